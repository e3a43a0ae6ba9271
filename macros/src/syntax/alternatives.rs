//! `A | B => Next`: the outcomes in front of an arrow, and how other languages join them.

use proc_macro2::{Ident, TokenTree};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Token, parenthesized};

use super::findings::Carried;
use crate::diagnostic::Diagnostics;

/// One of the outcomes in front of an arrow.
pub(super) struct Alternative {
    pub(super) name: Ident,
    pub(super) carried: Option<Carried>,
}

impl Alternative {
    pub(super) fn parse(
        name: Ident,
        block: ParseStream<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Self {
        let carried = Carried::parse(&name, block, diagnostics);
        Self { name, carried }
    }
}

/// What an outcome carries: one name in parentheses.
pub(super) fn findings_in(block: ParseStream<'_>) -> syn::Result<Ident> {
    let carried;
    parenthesized!(carried in block);
    carried.call(Ident::parse_any)
}

/// `(A | B)` or `[A, B]` in front of an arrow: reported, and read.
pub(super) fn in_brackets(
    block: ParseStream<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<Alternative>> {
    // `| A | B => …`, as in a `match`.
    let leading = block.fork().parse::<Option<Token![|]>>().ok().flatten();
    if let Some(bar) = leading {
        block.parse::<Token![|]>().ok()?;
        diagnostics.error(bar, "remove this: `|` stands between outcomes");
        return None;
    }
    let (TokenTree::Group(group), rest) = block.cursor().token_tree()? else { return None };
    rest.punct()?;
    let names: Option<Vec<Ident>> = group
        .stream()
        .into_iter()
        .filter(|token| !matches!(token, TokenTree::Punct(_)))
        .map(|token| if let TokenTree::Ident(name) = token { Some(name) } else { None })
        .collect();
    let names = names.filter(|names| !names.is_empty())?;
    let written: Vec<_> = names.iter().map(Ident::to_string).collect();
    diagnostics.error_at(group.span_open(), format!("write `{} => …`", written.join(" | ")));
    block.parse::<TokenTree>().ok()?;
    Some(names.into_iter().map(|name| Alternative { name, carried: None }).collect())
}

/// Reads the mark between two outcomes of one mapping. One of another language is reported.
pub(super) fn another(
    block: ParseStream<'_>,
    outcomes: &[Alternative],
    diagnostics: &mut Diagnostics,
) -> syn::Result<bool> {
    if block.parse::<Option<Token![||]>>()?.is_some() {
        diagnostics.error_at(block.span(), "write `|` between outcomes");
        return Ok(block.peek(Ident::peek_any));
    }
    if block.parse::<Option<Token![|]>>()?.is_some() {
        let expected = || block.error("expected another outcome after `|`");
        return if block.peek(Ident::peek_any) { Ok(true) } else { Err(expected()) };
    }
    let name = &outcomes[0].name;
    if block.peek(Token![,]) && name.to_string().starts_with(char::is_uppercase) {
        let message = format!(
            "expected what follows: `{name} => …`; outcomes that lead to the same place can share a line: `A | B => Next`"
        );
        return Err(syn::Error::new(name.span(), message));
    }
    let Some((mark, rest)) = block.cursor().token_tree() else { return Ok(false) };
    let joins = match &mark {
        TokenTree::Ident(word) => word == "or" || word == "and",
        TokenTree::Punct(mark) => matches!(mark.as_char(), '/' | '&' | '+'),
        TokenTree::Group(_) | TokenTree::Literal(_) => false,
    };
    if joins && rest.ident().is_some() {
        diagnostics.error(mark, "write `|` between outcomes");
        block.parse::<TokenTree>()?;
        return Ok(true);
    }
    // Another outcome with its own arrow: either a mark between them or an arrow is missing.
    if outcome_behind(block).is_some() && block.peek(Ident::peek_any) {
        let names: Vec<_> = outcomes.iter().map(|outcome| outcome.name.to_string()).collect();
        let message = format!("expected what follows: `{} => …`", names.join(" | "));
        return Err(syn::Error::new(outcomes[0].name.span(), message));
    }
    Ok(false)
}

/// The outcome that stands here in front of an arrow.
pub(super) fn outcome_behind(block: ParseStream<'_>) -> Option<Ident> {
    let (name, rest) = block.cursor().ident()?;
    let (mark, _) = rest.punct()?;
    let is_arrow = matches!(mark.as_char(), '=' | '-');
    (is_arrow && name.to_string().starts_with(char::is_uppercase)).then_some(name)
}
