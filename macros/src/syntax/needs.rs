//! `needs: { clean_tree, task }`

use proc_macro2::Ident;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Token, braced};

/// Reads the words.
pub(super) fn needs(input: ParseStream<'_>) -> syn::Result<Vec<Ident>> {
    if !input.peek(syn::token::Brace) {
        return Err(input.error("expected what a run needs in braces: `{ clean_tree, task }`"));
    }
    let block;
    braced!(block in input);
    let mut words = Vec::new();
    while !block.is_empty() {
        if !block.peek(Ident::peek_any) {
            return Err(block.error("expected what a run needs: `clean_tree` or `task`"));
        }
        let word = block.call(Ident::parse_any)?;
        if block.peek(Token![:]) {
            return Err(block.error(format!("write the word alone: `{{ {word} }}`")));
        }
        words.push(word);
        if !block.is_empty() && block.parse::<Option<Token![,]>>()?.is_none() {
            return Err(block.error("expected `,` between what a run needs"));
        }
    }
    Ok(words)
}
