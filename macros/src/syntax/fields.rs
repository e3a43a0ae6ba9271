//! `key: value,` pairs, and finding the next item after a mistake.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use syn::Token;
use syn::parse::ParseStream;

use crate::diagnostic::Diagnostics;
use crate::spelling;

/// One `key: value`; without a value if it could not be read, which was already reported.
#[derive(Clone)]
pub(crate) struct Field<T> {
    pub(crate) key: Ident,
    pub(crate) value: Option<T>,
}

/// A field that does not exist, and the one that the author probably meant.
#[derive(Clone)]
pub(crate) struct Unknown {
    pub(crate) key: Ident,
    pub(crate) meant: Option<&'static str>,
}

impl Unknown {
    pub(crate) fn new(key: Ident, known: &[&'static str]) -> Self {
        let text = key.to_string();
        // A guardrail beside the fields was meant to be among the guardrails.
        let is_guardrail = text.starts_with("max_") || text == "exit_on_other";
        let guardrails = known.iter().copied().find(|known| is_guardrail && *known == "guardrails");
        let other_word =
            OTHER_WORDS.iter().find(|(word, _)| *word == text).map(|(_, field)| *field);
        let meant = guardrails
            .or(other_word.filter(|field| known.contains(field)))
            .or_else(|| spelling::closest(&text, known.iter().copied()));
        Self { key, meant }
    }
}

/// What authors write instead of a field's name, where the spelling is too far from it.
const OTHER_WORDS: [(&str, &str); 36] = [
    ("visits", "max_visits"),
    ("limit", "max_visits"),
    ("max_step_visits", "max_visits"),
    ("limits", "guardrails"),
    ("guards", "guardrails"),
    ("start", "initial"),
    ("first", "initial"),
    ("begin", "initial"),
    ("entry", "initial"),
    ("name", "label"),
    ("title", "label"),
    ("requires", "needs"),
    ("permissions", "tools"),
    ("files", "scope"),
    ("claims", "proves"),
    ("asserts", "proves"),
    ("ensures", "proves"),
    ("invariants", "proves"),
    ("reasons", "exits"),
    ("text", "prompt"),
    ("ask", "prompt"),
    ("instructions", "prompt"),
    ("command", "run"),
    ("cmd", "run"),
    ("exec", "run"),
    ("shell", "run"),
    ("timeout", "time"),
    ("max_retries", "retries"),
    ("attempts", "retries"),
    ("budget", "budget_usd"),
    ("cost", "budget_usd"),
    ("max_cost_usd", "budget_usd"),
    ("results", "outcomes"),
    ("checks", "verify"),
    ("aliases", "was"),
    ("formerly", "was"),
];

/// All occurrences of a field; more than one is a mistake that a check reports.
#[derive(Clone)]
pub(crate) struct Fields<T>(pub(crate) Vec<Field<T>>);

impl<T> Fields<T> {
    /// The first one, which is the one that counts.
    pub(crate) fn first(&self) -> Option<&Field<T>> {
        self.0.first()
    }

    /// Its value, if it was written and could be read.
    pub(crate) fn value(&self) -> Option<&T> {
        self.first().and_then(|field| field.value.as_ref())
    }

    pub(crate) fn is_missing(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn keys(&self) -> Vec<&Ident> {
        self.0.iter().map(|field| &field.key).collect()
    }

    /// Reads the value after `key:` and the comma after that.
    pub(crate) fn read(
        &mut self,
        key: Ident,
        input: ParseStream<'_>,
        diagnostics: &mut Diagnostics,
        parse: impl FnOnce(ParseStream<'_>) -> syn::Result<T>,
    ) {
        self.read_with(key, input, diagnostics, |input, _| parse(input));
    }

    /// The same with a parser that reports mistakes and continues.
    pub(crate) fn read_with(
        &mut self,
        key: Ident,
        input: ParseStream<'_>,
        diagnostics: &mut Diagnostics,
        parse: impl FnOnce(ParseStream<'_>, &mut Diagnostics) -> syn::Result<T>,
    ) {
        let parsed = if starts_item(input) {
            Err(input.error(format!("expected the value of `{key}`")))
        } else {
            parse(input, diagnostics)
        };
        let value = match parsed {
            Ok(value) => {
                expect_comma(input, diagnostics, &format!("the value of `{key}`"));
                Some(value)
            }
            Err(error) => {
                diagnostics.syntax(&error);
                skip_rest(input);
                None
            }
        };
        self.0.push(Field { key, value });
    }
}

impl<T> Default for Fields<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// Reads the comma after an item; a missing one is reported, and the next item is still read.
pub(crate) fn expect_comma(input: ParseStream<'_>, diagnostics: &mut Diagnostics, after: &str) {
    if input.is_empty() || input.parse::<Option<Token![,]>>().is_ok_and(|comma| comma.is_some()) {
        return;
    }
    let at_item = starts_item(input);
    diagnostics.error_at(input.span(), format!("expected `,` after {after}"));
    let is_semicolon = input.parse::<Option<Token![;]>>().is_ok_and(|mark| mark.is_some());
    if is_semicolon {
        let _ = input.parse::<Option<Token![,]>>();
    } else if !at_item {
        skip_item(input);
    }
}

/// Reads a block in braces. Tokens in front of it, or brackets of another kind, are reported with
/// this message, and the block is still read.
pub(super) fn block(
    input: ParseStream<'_>,
    message: &str,
    diagnostics: &mut Diagnostics,
) -> Option<TokenStream> {
    let mut cursor = input.cursor();
    let mut in_front = Vec::new();
    while let Some((token, rest)) = cursor.token_tree() {
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                let in_front: TokenStream = in_front.into_iter().collect();
                if !in_front.is_empty() {
                    diagnostics.error(&in_front, message);
                }
                for _ in in_front {
                    input.parse::<TokenTree>().ok()?;
                }
                input.parse::<TokenTree>().ok()?;
                return Some(group.stream());
            }
            TokenTree::Punct(mark) if matches!(mark.as_char(), ',' | ';') => break,
            TokenTree::Ident(word) if word == "step" || word == "include" => break,
            token => in_front.push(token),
        }
        cursor = rest;
    }
    let TokenTree::Group(group) = input.cursor().token_tree()?.0 else { return None };
    diagnostics.error_at(group.span_open(), message);
    input.parse::<TokenTree>().ok()?;
    Some(group.stream())
}

/// Skips to the next place where an item can start: after a comma, or at a `step`. A semicolon is
/// taken for a comma.
pub(crate) fn skip_item(input: ParseStream<'_>) {
    while !input.is_empty() {
        if input.parse::<Option<Token![,]>>().is_ok_and(|comma| comma.is_some())
            || input.parse::<Option<Token![;]>>().is_ok_and(|mark| mark.is_some())
        {
            return;
        }
        // The stream is not empty, so there is a token to step over.
        let _ = input.parse::<TokenTree>();
        if is_word(input, "step") || is_word(input, "include") {
            return;
        }
    }
}

/// Skips the rest of an item that could not be read, unless the next one begins here: the mistake
/// is then that something is missing.
pub(crate) fn skip_rest(input: ParseStream<'_>) {
    if !starts_item(input) {
        skip_item(input);
    }
}

/// Reports a comma or semicolon where an item could begin.
pub(super) fn stray_mark(input: ParseStream<'_>, diagnostics: &mut Diagnostics) -> bool {
    if !input.peek(Token![,]) && !input.peek(Token![;]) {
        return false;
    }
    diagnostics.error_at(input.span(), "remove this: nothing stands in front of it");
    input.parse::<TokenTree>().is_ok()
}

/// Whether the next token is this word.
pub(crate) fn is_word(input: ParseStream<'_>, word: &str) -> bool {
    input.cursor().ident().is_some_and(|(ident, _)| ident == word)
}

/// Whether the next item begins here: a field, a mapping, a step or an `include`.
pub(super) fn starts_item(input: ParseStream<'_>) -> bool {
    let Some((word, rest)) = input.cursor().ident() else {
        return false;
    };
    // A path is a value.
    let is_path = rest.punct().is_some_and(|(mark, rest)| {
        mark.as_char() == ':' && rest.punct().is_some_and(|(mark, _)| mark.as_char() == ':')
    });
    let followed_by_mark =
        rest.punct().is_some_and(|(mark, _)| matches!(mark.as_char(), ':' | '='));
    let named = rest.ident();
    let has_block = named.as_ref().is_some_and(|(_, rest)| rest.group(Delimiter::Brace).is_some());
    followed_by_mark && !is_path
        || word == "step" && has_block
        || word == "include" && named.is_some()
}
