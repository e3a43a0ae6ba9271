//! The word in front of a step's name, and what authors write in its place.

use proc_macro2::{Ident, Span};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Token, Visibility};

use super::fields::is_word;
use crate::diagnostic::Diagnostics;

/// Reads the word `step`; `None` if something else begins here. Another word in its place, or a
/// visibility in front of it, is reported, and the step is still read.
pub(super) fn heading(input: ParseStream<'_>, diagnostics: &mut Diagnostics) -> Option<Span> {
    let visible = input.fork();
    if let Ok(visibility @ (Visibility::Public(_) | Visibility::Restricted(_))) = visible.parse()
        && is_word(&visible, "step")
    {
        let message = "a step is as visible as its recipe: remove this";
        diagnostics.error(visibility, message);
        input.parse::<Visibility>().ok()?;
    }
    if is_word(input, "step") && !input.peek2(Token![:]) && !input.peek2(Token![=]) {
        return input.call(Ident::parse_any).ok().map(|word| word.span());
    }
    let (word, rest) = input.cursor().ident()?;
    if word == "include" || word == "recipe" {
        return None;
    }
    let (name, rest) = rest.ident()?;
    rest.group(proc_macro2::Delimiter::Brace)?;
    diagnostics.error(&word, format!("write `step {name} {{ … }}`"));
    input.call(Ident::parse_any).ok().map(|word| word.span())
}
