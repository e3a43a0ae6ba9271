//! `key: value,` pairs, and finding the next item after a mistake.

use proc_macro2::{Ident, TokenTree};
use syn::Token;
use syn::parse::ParseStream;

use crate::diagnostic::Diagnostics;
use crate::spelling;

/// One `key: value`; the value is missing where it could not be read and an error has been reported.
#[derive(Clone)]
pub(crate) struct Field<T> {
    pub(crate) key: Ident,
    pub(crate) value: Option<T>,
}

/// A field that does not exist, and the one that was probably meant.
#[derive(Clone)]
pub(crate) struct Unknown {
    pub(crate) key: Ident,
    pub(crate) meant: Option<&'static str>,
}

impl Unknown {
    pub(crate) fn new(key: Ident, known: &[&'static str]) -> Self {
        let meant = spelling::closest(&key.to_string(), known.iter().copied());
        Self { key, meant }
    }
}

/// Every time a field was written; more than once is a mistake that a check reports.
#[derive(Clone)]
pub(crate) struct Fields<T>(pub(crate) Vec<Field<T>>);

impl<T> Fields<T> {
    /// The field that counts.
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

    /// Reads the value behind `key:` and the comma behind that.
    pub(crate) fn read(
        &mut self,
        key: Ident,
        input: ParseStream<'_>,
        diagnostics: &mut Diagnostics,
        parse: impl FnOnce(ParseStream<'_>) -> syn::Result<T>,
    ) {
        let value = match parse(input) {
            Ok(value) => {
                expect_comma(input, diagnostics, &format!("the value of `{key}`"));
                Some(value)
            }
            Err(error) => {
                diagnostics.syntax(&error);
                skip_item(input);
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

/// Reads the comma after an item; without one the next item is read as if it were there.
pub(crate) fn expect_comma(input: ParseStream<'_>, diagnostics: &mut Diagnostics, after: &str) {
    if input.is_empty() || input.parse::<Option<Token![,]>>().is_ok_and(|comma| comma.is_some()) {
        return;
    }
    let at_item = starts_item(input);
    diagnostics.error_at(input.span(), format!("expected `,` after {after}"));
    if !at_item {
        skip_item(input);
    }
}

/// Skips to the next place where an item can start: behind a comma, or at a `step`.
pub(crate) fn skip_item(input: ParseStream<'_>) {
    while !input.is_empty() {
        if input.parse::<Option<Token![,]>>().is_ok_and(|comma| comma.is_some()) {
            return;
        }
        // The stream is not empty, so there is a token to step over.
        let _ = input.parse::<TokenTree>();
        if is_word(input, "step") || is_word(input, "include") {
            return;
        }
    }
}

/// Whether the next token is this word.
pub(crate) fn is_word(input: ParseStream<'_>, word: &str) -> bool {
    input.cursor().ident().is_some_and(|(ident, _)| ident == word)
}

fn starts_item(input: ParseStream<'_>) -> bool {
    let Some((word, rest)) = input.cursor().ident() else {
        return false;
    };
    let followed_by_mark = rest.punct().is_some_and(|(mark, _)| matches!(mark.as_char(), ':' | '='));
    followed_by_mark || word == "step" || word == "include"
}
