//! The author's visibility, seen from one module further in.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::Visibility;

/// The visibility that an item of the generated module needs in order to be seen wherever the recipe is.
pub(super) fn inside(outside: &Visibility) -> TokenStream {
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
