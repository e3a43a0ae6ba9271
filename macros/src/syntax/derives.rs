//! `derive: [PartialOrd, Ord]`

use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::{Path, Token, bracketed};

const EXPECTED: &str = "expected the traits in brackets, e.g. `[PartialOrd, Ord]`";

/// Reads the list.
pub(super) fn derives(input: ParseStream<'_>) -> syn::Result<Vec<Path>> {
    if !input.peek(syn::token::Bracket) {
        return Err(input.error(EXPECTED));
    }
    let list;
    bracketed!(list in input);
    let paths = Punctuated::<Path, Token![,]>::parse_terminated_with(&list, |input| {
        input.call(Path::parse_mod_style).map_err(|_| input.error(EXPECTED))
    });
    Ok(paths?.into_iter().collect())
}
