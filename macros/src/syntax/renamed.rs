//! `include name(…) as Early;`: the included steps are called `EarlyReview`, `EarlyFix` and so on,
//! so that a recipe can include the same steps twice.

use proc_macro2::{Ident, Span, TokenTree};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Path, Token};

use crate::diagnostic::Diagnostics;

/// What the names of included steps begin with.
pub(super) struct Prefix(Ident);

impl Prefix {
    /// How many of the tokens behind the arguments belong to it.
    pub(super) fn length(after: &[TokenTree]) -> usize {
        match after {
            [TokenTree::Ident(word), TokenTree::Punct(mark), ..]
                if word == "as" && matches!(mark.as_char(), ';' | ',') =>
            {
                1
            }
            [TokenTree::Ident(word), _, ..] if word == "as" => 2,
            [TokenTree::Ident(word)] if word == "as" => 1,
            _ => 0,
        }
    }

    /// Reads `as Early`, if it is there.
    pub(super) fn parse(
        input: ParseStream<'_>,
        path: &Path,
        diagnostics: &mut Diagnostics,
    ) -> Option<Self> {
        let word = input.parse::<Option<Token![as]>>().ok()??;
        let name = input.call(Ident::parse_any);
        // Whatever else stands here was one token.
        let _ = input.parse::<Option<TokenTree>>();
        name.map(Self)
            .map_err(|_| {
                let shared = path.segments.last().map(|last| last.ident.to_string());
                let shared = shared.unwrap_or_default();
                let message = format!(
                    "expected what the names of the steps begin with: `include {shared}(…) as Early;`"
                );
                diagnostics.error(word, message);
            })
            .ok()
    }

    /// The name of a shared step in this recipe. It lies where the prefix is written, and belongs
    /// to the macro, so that no editor renames a part of it.
    pub(super) fn rename(&self, step: &Ident) -> Ident {
        let span = self.0.span().resolved_at(Span::call_site());
        Ident::new(&format!("{}{}", self.0.unraw(), step.unraw()), span)
    }
}
