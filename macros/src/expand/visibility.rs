//! The author's visibility, seen from one module further in.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::Visibility;

use crate::place::quote;

/// The visibility that an item of the generated module needs in order to be seen wherever the
/// recipe is.
///
/// It has the span of the recipe's name, like the names of the generated types: the compiler's
/// messages about them then point there, and not at the whole recipe.
pub(super) fn inside(outside: &Visibility, name: Span) -> TokenStream {
    respan(inner(outside), name)
}

/// The same, seen from two modules further in.
pub(super) fn inside_twice(outside: &Visibility, name: Span) -> TokenStream {
    // Every visibility that `inner` returns can be parsed.
    let once = syn::parse2(inner(outside)).unwrap_or(Visibility::Inherited);
    inside(&once, name)
}

fn inner(outside: &Visibility) -> TokenStream {
    let Visibility::Restricted(restricted) = outside else {
        return match outside {
            Visibility::Public(_) => outside.to_token_stream(),
            Visibility::Inherited | Visibility::Restricted(_) => quote!(pub(super)),
        };
    };
    let path = &restricted.path;
    match path.segments.first().map(|segment| segment.ident.to_string()).as_deref() {
        Some("crate") => quote!(pub(in #path)),
        Some("self") => {
            let rest = path.segments.iter().skip(1);
            quote!(pub(in super #(::#rest)*))
        }
        Some("super") => quote!(pub(in super::#path)),
        _ => outside.to_token_stream(),
    }
}

fn respan(tokens: TokenStream, span: Span) -> TokenStream {
    let respanned = tokens.into_iter().map(|token| match token {
        TokenTree::Group(group) => {
            let mut group = Group::new(group.delimiter(), respan(group.stream(), span));
            group.set_span(span);
            TokenTree::Group(group)
        }
        mut token => {
            token.set_span(span);
            token
        }
    });
    respanned.collect()
}
