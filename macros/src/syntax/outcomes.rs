//! `outcomes: [Complete, Blocked]`

use proc_macro2::{Ident, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{ParseBuffer, ParseStream, Parser};
use syn::{LitStr, Token, bracketed};

use super::docs::Docs;
use super::findings::group;
use crate::diagnostic::Diagnostics;
use crate::spelling;

/// An outcome in the list of outcomes.
#[derive(Clone)]
pub(crate) struct Declared {
    pub(crate) docs: Docs,
    pub(crate) name: Ident,
    /// Whether it has `(findings)` in the list of outcomes, which has been reported: that belongs
    /// to its mapping.
    pub(crate) carries: bool,
}

/// Reads the list, or what was meant to be one.
pub(super) fn outcomes(
    input: ParseStream<'_>,
    diagnostics: &mut Diagnostics,
) -> syn::Result<Vec<Declared>> {
    let error = input.error("expected the outcomes in brackets, e.g. `[Complete, Blocked]`");
    if input.peek(syn::token::Bracket) {
        let list;
        bracketed!(list in input);
        return outcome_list(&list, diagnostics);
    }
    // Without the right brackets they are still outcomes, if all of them are names.
    if input.peek(syn::token::Brace) || input.peek(syn::token::Paren) {
        let names = |list: ParseStream<'_>| outcome_list(list, &mut Diagnostics::default());
        let TokenTree::Group(group) = input.fork().parse()? else { return Err(error) };
        let declared = names.parse2(group.stream()).map_err(|_| error.clone())?;
        input.parse::<TokenTree>()?;
        diagnostics.syntax(&error);
        return Ok(declared);
    }
    let mut declared = Vec::new();
    while let Some(name) = bare_outcome(input) {
        declared.push(Declared { docs: Docs::default(), name, carries: false });
        if !(input.peek(Token![,]) && bare_outcome(&after_comma(input)).is_some()) {
            break;
        }
        input.parse::<Token![,]>()?;
    }
    if declared.is_empty() {
        return Err(error);
    }
    diagnostics.syntax(&error);
    Ok(declared)
}

/// The names between the brackets. One wrong mark does not hide the names after it.
fn outcome_list(
    list: ParseStream<'_>,
    diagnostics: &mut Diagnostics,
) -> syn::Result<Vec<Declared>> {
    let mut declared = Vec::new();
    while !list.is_empty() {
        let docs = Docs::parse(list, diagnostics)?;
        if list.is_empty() {
            diagnostics.error(docs, "a doc comment belongs in front of an outcome");
            break;
        }
        let quoted = |name: &Ident| format!("write the outcome without quotes: `{name}`");
        let name = match unquoted(list, diagnostics, quoted) {
            Some(name) => name,
            None if list.peek(Ident::peek_any) => list.call(Ident::parse_any)?,
            None => return Err(list.error("expected the name of an outcome")),
        };
        let carried = group(list);
        if let Some(carried) = &carried {
            let message = format!("write it where the outcome is mapped: `{name}(findings) => …`");
            diagnostics.error(carried, message);
        }
        declared.push(Declared { docs, name, carries: carried.is_some() });
        if list.is_empty() || list.parse::<Option<Token![,]>>()?.is_some() {
            continue;
        }
        let error = list.error("expected `,` between outcomes");
        let is_mark = [';', '|', '.', '/', '&', '+'].map(Some).contains(&mark(list));
        if is_mark {
            list.parse::<TokenTree>()?;
        } else if !list.peek(Ident::peek_any) && !list.peek(LitStr) && !list.peek(Token![#]) {
            return Err(error);
        }
        diagnostics.syntax(&error);
    }
    Ok(declared)
}

fn mark(list: ParseStream<'_>) -> Option<char> {
    list.cursor().punct().map(|(mark, _)| mark.as_char())
}

/// A name in a list without brackets: a comma or the end follows.
fn bare_outcome(input: ParseStream<'_>) -> Option<Ident> {
    let (name, rest) = input.cursor().ident()?;
    let ends =
        rest.eof() || rest.punct().is_some_and(|(mark, _)| matches!(mark.as_char(), ',' | ';'));
    if !ends {
        return None;
    }
    input.parse::<TokenTree>().ok().map(|_| name)
}

fn after_comma(input: ParseStream<'_>) -> ParseBuffer<'_> {
    let rest = input.fork();
    let _ = rest.parse::<Option<Token![,]>>();
    rest
}

/// A name in quotes: reports the quotes, and returns the name.
pub(super) fn unquoted(
    input: ParseStream<'_>,
    diagnostics: &mut Diagnostics,
    message: impl FnOnce(&Ident) -> String,
) -> Option<Ident> {
    let text = input.fork().parse::<LitStr>().ok()?;
    let name = spelling::identifier(&text.value(), text.span())?;
    input.parse::<LitStr>().ok()?;
    diagnostics.error(text, message(&name));
    Some(name)
}
