//! Where an outcome leads: a step, `exit Reason` or `restart Recipe`.
//!
//! A reason is a variant of the recipe's `exits:`. Beside reasons of their own, authors write
//! standard ones as `exit ExitReason::Name`.

use heck::ToUpperCamelCase;
use proc_macro2::{Ident, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{LitStr, Path, Token};

use super::fields::is_word;
use super::marks::{marks, skip_marks};
use crate::diagnostic::Diagnostics;
use crate::spelling;

const EXPECTED: &str = "expected what follows: a step, `exit Reason` or `restart Recipe`";

/// What follows `=>`.
#[derive(Clone)]
pub(crate) enum Next {
    /// The name of a step or, in shared steps, of a parameter.
    Step(Ident),
    /// `exit Reason`
    Exit(Reason),
    /// `restart Recipe`
    Restart(Path),
}

/// Why a run ends, as it was written.
#[derive(Clone)]
pub(crate) struct Reason {
    /// The word `ExitReason` in front of a standard reason.
    pub(crate) standard: Option<Ident>,
    pub(crate) name: Ident,
}

/// The enum of the standard reasons.
const STANDARD: &str = "ExitReason";

/// Words of other languages for `exit`, and for going to a step.
const EXITING: [&str; 17] = [
    "return",
    "end",
    "stop",
    "finish",
    "quit",
    "terminate",
    "throw",
    "abort",
    "fail",
    "break",
    "done",
    "halt",
    "raise",
    "panic",
    "yield",
    "exits",
    "complete",
];
const GOING: [&str; 16] = [
    "goto", "go", "to", "then", "next", "jump", "step", "continue", "state", "call", "run",
    "enter", "switch", "redo", "retry", "await",
];

impl Next {
    /// Reads what follows; a word of another language is reported, and what it means is still read.
    pub(super) fn parse(
        input: ParseStream<'_>,
        diagnostics: &mut Diagnostics,
    ) -> syn::Result<Self> {
        if let Ok(text) = input.fork().parse::<LitStr>()
            && let Some(name) = step_in_quotes(&text)
        {
            diagnostics.error(text, format!("write the step without quotes: `=> {name}`"));
            input.parse::<LitStr>()?;
            return Ok(Self::Step(name));
        }
        if let Some(name) = wrapped(input) {
            diagnostics.error_at(input.span(), format!("write `=> {name}`"));
            input.parse::<TokenTree>()?;
            return Ok(Self::Step(name));
        }
        if !input.peek(Ident::peek_any) {
            return Err(input.error(EXPECTED));
        }
        if input.peek(Token![if]) {
            return Err(input.error(
                "expected what follows before `if`: a step, `exit Reason` or `restart Recipe`",
            ));
        }
        let word = input.call(Ident::parse_any)?;
        let more = !input.is_empty() && !input.peek(Token![,]) && !input.peek2(Token![=>]);
        if word == "exit" && more {
            return Ok(Self::Exit(reason(input)?));
        }
        if word == "restart" && more {
            let recipe = input.call(Path::parse_mod_style);
            return recipe.map(Self::Restart).map_err(|error| {
                syn::Error::new(error.span(), "expected a recipe after `restart`")
            });
        }
        if word == "exit" || word == "restart" {
            let what = if word == "exit" { "an exit reason" } else { "a recipe" };
            return Err(syn::Error::new(word.span(), format!("expected {what} after `{word}`")));
        }
        let small = word.to_string().to_lowercase();
        if more && input.peek(Ident::peek_any) && (small == "exit" || small == "restart") {
            let error = format!("write `{small}` in small letters");
            // What follows it is not the mistake.
            input.parse::<TokenTree>()?;
            return Err(syn::Error::new(word.span(), error));
        }
        if input.peek(Token![::]) {
            let error = format!(
                "expected the bare name of a step, or `exit Reason`; found a path that starts with `{word}`"
            );
            return Err(syn::Error::new(word.span(), error));
        }
        let target = input.fork().call(Ident::parse_any).ok();
        let target = target.filter(|target| more && target != "if");
        if let Some(target) = target {
            let (exits, goes) =
                (EXITING.contains(&small.as_str()), GOING.contains(&small.as_str()));
            if exits || goes {
                let mut target = input.call(Ident::parse_any)?;
                // `go to X`, `goto step X`
                while GOING.contains(&target.to_string().as_str()) && input.peek(Ident::peek_any) {
                    target = input.call(Ident::parse_any)?;
                }
                let written = if exits { format!("exit {target}") } else { target.to_string() };
                diagnostics.error(&word, format!("write `=> {written}`"));
                let reason = |name| Reason { standard: None, name };
                return Ok(if exits { Self::Exit(reason(target)) } else { Self::Step(target) });
            }
            if word.to_string().starts_with(char::is_lowercase) {
                let message = format!(
                    "write `=> {target}` if it is a step, `=> exit {target}` if it is an exit reason"
                );
                return Err(syn::Error::new(word.span(), message));
            }
        }
        if input.peek(Token![-]) || input.peek(Token![.]) || input.peek(syn::token::Paren) {
            let message = "expected the bare name of a step, `exit Reason` or `restart Recipe`";
            return Err(syn::Error::new(word.span(), message));
        }
        Ok(Self::Step(word))
    }
}

/// The name of a step in quotes; its name on the wire is read as the step's.
fn step_in_quotes(text: &LitStr) -> Option<Ident> {
    let (name, span) = (text.value(), text.span());
    let is_wire = name.starts_with(char::is_lowercase);
    spelling::identifier(&if is_wire { name.to_upper_camel_case() } else { name }, span)
}

/// The name of a step in brackets.
fn wrapped(input: ParseStream<'_>) -> Option<Ident> {
    let (TokenTree::Group(group), _) = input.cursor().token_tree()? else { return None };
    Ident::parse_any.parse2(group.stream()).ok()
}

/// One name, or the path of a standard reason; for another path, the error says which part of it to
/// keep.
fn reason(input: ParseStream<'_>) -> syn::Result<Reason> {
    if !input.peek(Ident::peek_any) {
        let text = input.fork().parse::<LitStr>().ok().map(|text| text.value());
        let group = wrapped(input).map(|name| name.to_string());
        let name = text.or(group).map(|name| name.to_upper_camel_case());
        let name = name.filter(|name| !name.is_empty());
        let form = name.map_or(String::new(), |name| format!(": write `exit {name}`"));
        let message = format!("expected the name of an exit reason after `exit`{form}");
        return Err(input.error(message));
    }
    let standard = is_word(input, STANDARD) && input.peek2(Token![::]);
    let path = input.fork().call(Path::parse_mod_style);
    if let Ok(path) = path
        && path.segments.len() > if standard { 2 } else { 1 }
        && let Some(last) = path.segments.last()
    {
        let name = &last.ident;
        let message = format!(
            "write the reason alone, `exit {name}`; the enum it belongs to is the recipe's `exits:`, and a standard one beside those is `exit {STANDARD}::{name}`"
        );
        return Err(syn::Error::new_spanned(&path, message));
    }
    let standard = if standard {
        let word = input.parse()?;
        input.parse::<Token![::]>()?;
        Some(word)
    } else {
        None
    };
    if standard.is_some() && !input.peek(Ident::peek_any) {
        let message = format!("expected the name of a standard exit reason after `{STANDARD}::`");
        return Err(input.error(message));
    }
    let name: Ident = input.parse().map_err(|_| {
        input.error("expected the name of an exit reason after `exit`, found a keyword")
    })?;
    if input.peek(Token![-]) {
        let message =
            "expected the name of an exit reason as its enum has it, e.g. `exit TaskCommitted`";
        return Err(syn::Error::new(name.span(), message));
    }
    Ok(Reason { standard, name })
}

/// The arrow between an outcome and what follows; a colon, or the arrow of another language, is
/// reported and accepted.
pub(crate) fn arrow(outcome: &Ident, input: ParseStream<'_>) -> syn::Result<Option<syn::Error>> {
    let marks = marks(input);
    if marks.starts_with("=>") {
        input.parse::<Token![=>]>()?;
        return Ok(None);
    }
    if marks == "::" || marks.is_empty() && !input.peek(Ident::peek_any) {
        return Err(no_arrow(input));
    }
    let span = input.span();
    let written = skip_marks(input);
    let message = format!("write `{outcome} => …`, with an arrow");
    Ok(Some(if written.is_empty() {
        syn::Error::new(span, message)
    } else {
        syn::Error::new_spanned(written, message)
    }))
}

/// What is said where neither a colon nor an arrow follows.
pub(super) fn no_arrow(input: ParseStream<'_>) -> syn::Error {
    let found = input.cursor().token_tree().map(|(token, _)| token);
    let found = found
        .as_ref()
        .map(TokenTree::to_string)
        .map_or(String::new(), |token| format!(", found `{token}`"));
    input.error(format!("expected `:` after a field or `=>` after an outcome{found}"))
}
