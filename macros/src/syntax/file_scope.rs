//! `scope: { allow: ["src/**"], deny: [".github/**"] }`

use proc_macro2::Ident;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{LitStr, Token, braced, bracketed};

use super::fields::{Fields, Unknown, skip_item};
use crate::diagnostic::Diagnostics;

/// Which files may be changed, as it was written.
#[derive(Clone, Default)]
pub(crate) struct FileScope {
    pub(crate) allow: Fields<Vec<LitStr>>,
    pub(crate) deny: Fields<Vec<LitStr>>,
    /// Lists that scopes don't have.
    pub(crate) unknown: Vec<Unknown>,
    /// Whether a part could not be read.
    pub(crate) broken: bool,
}

impl FileScope {
    /// The lists that a scope has.
    pub(crate) const LISTS: [&'static str; 2] = ["allow", "deny"];

    /// Whether nothing was written, not even what could not be read.
    pub(crate) fn is_empty(&self) -> bool {
        self.allow.is_missing() && self.deny.is_missing() && self.unknown.is_empty() && !self.broken
    }

    /// Reads the block.
    pub(super) fn parse(
        input: ParseStream<'_>,
        diagnostics: &mut Diagnostics,
    ) -> syn::Result<Self> {
        if !input.peek(syn::token::Brace) {
            return Err(input.error(
                "expected the lists of a scope in braces, e.g. `{ deny: [\".github/**\"] }`",
            ));
        }
        let block;
        braced!(block in input);
        let mut scope = Self::default();
        while !block.is_empty() {
            if let Err(error) = scope.list(&block, diagnostics) {
                diagnostics.syntax(&error);
                scope.broken = true;
                skip_item(&block);
            }
        }
        Ok(scope)
    }

    fn list(&mut self, block: ParseStream<'_>, diagnostics: &mut Diagnostics) -> syn::Result<()> {
        if !block.peek(Ident::peek_any) {
            return Err(block.error("expected `allow: […]` or `deny: […]`"));
        }
        let key = block.call(Ident::parse_any)?;
        block
            .parse::<Token![:]>()
            .map_err(|_| block.error(format!("expected `:` after `{key}`")))?;
        match key.to_string().as_str() {
            "allow" => self.allow.read(key, block, diagnostics, patterns),
            "deny" => self.deny.read(key, block, diagnostics, patterns),
            _ => {
                self.unknown.push(Unknown::new(key, &Self::LISTS));
                skip_item(block);
            }
        }
        Ok(())
    }
}

fn patterns(input: ParseStream<'_>) -> syn::Result<Vec<LitStr>> {
    if !input.peek(syn::token::Bracket) {
        return Err(input.error("expected the patterns in brackets, e.g. `[\"src/**\"]`"));
    }
    let list;
    bracketed!(list in input);
    let mut patterns = Vec::new();
    while !list.is_empty() {
        if !list.peek(LitStr) {
            return Err(list.error("expected a pattern in quotes, e.g. `\"src/**\"`"));
        }
        patterns.push(list.parse()?);
        if !list.is_empty() && list.parse::<Option<Token![,]>>()?.is_none() {
            return Err(list.error("expected `,` between patterns"));
        }
    }
    Ok(patterns)
}
