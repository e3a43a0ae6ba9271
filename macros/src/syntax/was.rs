//! `was: [Review, Found => IssuesFound]`: former names, for runs that began with them.

use proc_macro2::Ident;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Token, bracketed};

use super::outcomes::unquoted;
use crate::diagnostic::Diagnostics;

/// A name that a step or one of its outcomes had before.
#[derive(Clone)]
pub(crate) struct Former {
    pub(crate) name: Ident,
    /// The outcome that had it; without one it is the step's.
    pub(crate) outcome: Option<Ident>,
}

/// Reads the list.
pub(super) fn was(
    input: ParseStream<'_>,
    diagnostics: &mut Diagnostics,
) -> syn::Result<Vec<Former>> {
    if !input.peek(syn::token::Bracket) {
        return Err(input.error(
            "expected former names in brackets: `[Old]` for the step, `[Old => New]` for its outcome `New`",
        ));
    }
    let list;
    bracketed!(list in input);
    let mut former = Vec::new();
    while !list.is_empty() {
        let name = name(&list, diagnostics, "a former name")?;
        let outcome = match list.parse::<Option<Token![=>]>>()? {
            Some(_) => Some(self::name(&list, diagnostics, "the outcome that had this name")?),
            None => None,
        };
        former.push(Former { name, outcome });
        if !list.is_empty() && list.parse::<Option<Token![,]>>()?.is_none() {
            return Err(list.error("expected `,` between former names"));
        }
    }
    Ok(former)
}

fn name(list: ParseStream<'_>, diagnostics: &mut Diagnostics, what: &str) -> syn::Result<Ident> {
    let quoted = |name: &Ident| format!("write the name without quotes: `{name}`");
    match unquoted(list, diagnostics, quoted) {
        Some(name) => Ok(name),
        None if list.peek(Ident::peek_any) => list.call(Ident::parse_any),
        None => Err(list.error(format!("expected {what}"))),
    }
}
