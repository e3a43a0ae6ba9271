//! Doc comments: kept as attributes, and read as text.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::parse::ParseStream;
use syn::{Attribute, Expr, ExprLit, Lit, Meta, Token};

use crate::diagnostic::Diagnostics;

/// The doc comment in front of an item.
#[derive(Default, Clone)]
pub(crate) struct Docs {
    attributes: Vec<Attribute>,
}

impl Docs {
    /// Reads the attributes in front of an item. Of a recipe's conditions none
    /// is left here, so only doc comments are allowed.
    pub(crate) fn parse(
        input: ParseStream<'_>,
        diagnostics: &mut Diagnostics,
    ) -> syn::Result<Self> {
        if input.peek(Token![#]) && !input.peek2(Token![!]) && !input.peek2(syn::token::Bracket) {
            return Err(input.error("a comment begins with `//`, a doc comment with `///`"));
        }
        while input.peek(Token![#]) && input.peek2(Token![!]) {
            let inner = input.call(Attribute::parse_inner)?;
            for inner in inner {
                let message = if inner.path().is_ident("doc") {
                    "write `///`, in front of what it describes"
                } else {
                    "attributes cannot stand here; put them on the module around the recipe"
                };
                diagnostics.error(inner, message);
            }
        }
        let (attributes, others): (Vec<_>, Vec<_>) = input
            .call(Attribute::parse_outer)?
            .into_iter()
            .partition(|attribute| attribute.path().is_ident("doc"));
        for other in others {
            let message = if other.path().is_ident("derive") {
                "write `derive: […]` in the block of the recipe: its enums of steps and outcomes derive those traits"
            } else if other.path().is_ident("cfg") {
                "write the condition in parentheses, in front of a whole step, line or entry: `#[cfg(feature = \"…\")]`"
            } else {
                "only doc comments and `#[cfg(…)]` can stand here; put other attributes on the module around the recipe"
            };
            diagnostics.error(other, message);
        }
        Ok(Self { attributes })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.attributes.is_empty()
    }

    /// The same attributes, under a condition.
    pub(crate) fn under(&self, condition: &TokenStream) -> TokenStream {
        let metas = self.attributes.iter().map(|attribute| &attribute.meta);
        quote!(#(#[cfg_attr(#condition, #metas)])*)
    }

    /// Whether they have no text.
    pub(crate) fn are_blank(&self) -> bool {
        let blank = |text: String| text.trim().is_empty();
        self.attributes.iter().all(|attribute| text(attribute).is_some_and(blank))
    }

    /// The first paragraph, on one line.
    pub(crate) fn first_paragraph(&self) -> String {
        // A block comment is one attribute with many lines, each perhaps with a star.
        let texts: Vec<_> = self.attributes.iter().filter_map(text).collect();
        let lines = texts.iter().flat_map(|text| text.split('\n'));
        let lines = lines.map(|line| line.trim().trim_start_matches('*').trim().to_owned());
        let paragraph: Vec<_> =
            lines.skip_while(String::is_empty).take_while(|line| !line.is_empty()).collect();
        paragraph.join(" ")
    }
}

impl ToTokens for Docs {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let attributes = &self.attributes;
        tokens.extend(quote!(#(#attributes)*));
    }
}

fn text(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(pair) = &attribute.meta else {
        return None;
    };
    match &pair.value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
        _ => None,
    }
}
