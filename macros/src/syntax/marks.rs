//! The marks behind a name: a colon, an arrow, and what other languages write in their place.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use syn::Token;
use syn::parse::ParseStream;

use crate::diagnostic::Diagnostics;

/// Reads the colon after a field's name; another mark in its place, or none, is reported, and the
/// value is still read.
pub(super) fn colon(
    key: &Ident,
    is_known: bool,
    input: ParseStream<'_>,
    diagnostics: &mut Diagnostics,
) -> bool {
    let marks = marks(input);
    if marks == ":" {
        return input.parse::<Token![:]>().is_ok();
    }
    if !is_known || !stands_for_colon(&marks, input) {
        return false;
    }
    diagnostics.error_at(input.span(), format!("write `{key}: …`, with a colon"));
    skip_marks(input);
    true
}

/// The marks between a name and what follows it, as far as they may stand for a colon or an arrow.
pub(super) fn marks(input: ParseStream<'_>) -> String {
    let (mut marks, mut cursor) = (String::new(), input.cursor());
    while let Some((mark, rest)) = cursor.punct().filter(|(mark, _)| is_arrow_part(mark.as_char()))
    {
        // `time: -10m` has a colon, and a number below zero.
        if marks == ":" && !matches!(mark.as_char(), ':' | '=') {
            break;
        }
        marks.push(mark.as_char());
        cursor = rest;
    }
    marks
}

/// Steps over these marks, and returns them.
pub(super) fn skip_marks(input: ParseStream<'_>) -> TokenStream {
    marks(input).chars().filter_map(|_| input.parse::<TokenTree>().ok()).collect()
}

fn is_arrow_part(mark: char) -> bool {
    matches!(mark, ':' | '=' | '>' | '-' | '~')
}

/// Whether the value of a field follows these marks. After an arrow that is only what cannot follow
/// an outcome.
fn stands_for_colon(marks: &str, input: ParseStream<'_>) -> bool {
    let (mut value, mut behind) = (None, None);
    let mut cursor = input.cursor();
    for _ in 0..marks.chars().count() {
        cursor = cursor.token_tree().map_or(cursor, |(_, rest)| rest);
    }
    if let Some((token, rest)) = cursor.token_tree() {
        value = Some(token);
        behind = rest.token_tree().map(|(token, _)| token);
    }
    let is_name = matches!(value, Some(TokenTree::Ident(_)));
    let leads = matches!(&behind, Some(TokenTree::Punct(mark)) if is_arrow_part(mark.as_char()));
    match marks {
        "" => match value {
            Some(TokenTree::Ident(_)) => !leads,
            Some(TokenTree::Literal(_)) => true,
            Some(TokenTree::Group(group)) => group.delimiter() != Delimiter::Parenthesis,
            Some(TokenTree::Punct(_)) | None => false,
        },
        "=" | ":=" | "::" | "==" => true,
        _ => !is_name && !matches!(value, Some(TokenTree::Punct(_)) | None),
    }
}
