//! What an outcome carries in addition to its name: `IssuesFound(findings) => Fix`.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};

use crate::diagnostic::Diagnostics;

/// The parentheses after an outcome.
#[derive(Clone)]
pub(crate) struct Carried {
    pub(crate) parentheses: Group,
    /// The word in them; `None` if it could not be read, which was already reported.
    pub(crate) word: Option<Ident>,
}

impl Carried {
    /// Reads the parentheses, if an arrow or another outcome follows them: without either they do
    /// not belong to a mapping.
    pub(super) fn parse(
        outcome: &Ident,
        input: ParseStream<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Option<Self> {
        let (_, _, behind) = input.cursor().group(Delimiter::Parenthesis)?;
        let (mark, _) = behind.punct()?;
        if !matches!(mark.as_char(), '=' | '-' | '|' | ':' | '~' | '>') {
            return None;
        }
        let parentheses = group(input)?;
        let word = Ident::parse_any.parse2(parentheses.stream()).ok();
        if word.is_none() {
            let message = format!("expected what the outcome carries: `{outcome}(findings) => …`");
            diagnostics.error(&parentheses, message);
        }
        Some(Self { parentheses, word })
    }
}

impl ToTokens for Carried {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.parentheses.to_tokens(tokens);
    }
}

/// Parentheses, with all that is in them.
pub(super) fn group(input: ParseStream<'_>) -> Option<Group> {
    if !input.peek(syn::token::Paren) {
        return None;
    }
    match input.parse() {
        Ok(TokenTree::Group(group)) => Some(group),
        Ok(TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_)) | Err(_) => None,
    }
}
