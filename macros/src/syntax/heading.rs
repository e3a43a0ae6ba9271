//! The word in front of a step's name, and what authors write in its place.

use proc_macro2::{Delimiter, Ident, Span, TokenTree};
use syn::buffer::Cursor;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Token, Visibility};

use super::fields::is_word;
use super::recipe::Recipe;
use crate::diagnostic::Diagnostics;

/// Reads the word `step`; `None` if something else begins here. Another word in its place, a mark
/// behind it, or a modifier in front of it is reported, and the step is still read.
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
    let slip = slip(input)?;
    diagnostics.error(&slip.at, format!("write `step {} {{ … }}`", slip.name));
    for _ in 0..slip.in_front_of_name {
        input.parse::<TokenTree>().ok()?;
    }
    Some(slip.at.span())
}

/// A step that does not begin with the word `step`.
struct Slip {
    /// The token that is wrong.
    at: TokenTree,
    in_front_of_name: usize,
    name: Ident,
}

/// `state Bake {`, `async step Bake {`, `step: Bake {` or `Bake {`.
fn slip(input: ParseStream<'_>) -> Option<Slip> {
    let (word, rest) = input.cursor().ident()?;
    if word == "include" || word == "recipe" {
        return None;
    }
    let is_field = Recipe::FIELDS.iter().any(|field| word == field);
    let (at, in_front_of_name, named) = if let Some((mark, rest)) = rest.punct() {
        if is_field || !matches!(mark.as_char(), ':' | '=') {
            return None;
        }
        (TokenTree::from(mark), 2, rest)
    } else if rest.group(Delimiter::Brace).is_some() {
        if !word.to_string().starts_with(char::is_uppercase) {
            return None;
        }
        (TokenTree::from(word), 0, input.cursor())
    } else {
        let (next, behind) = rest.ident()?;
        let is_modifier = next == "step" && behind.ident().is_some();
        (
            TokenTree::from(word),
            1 + usize::from(is_modifier),
            if is_modifier { behind } else { rest },
        )
    };
    let name = name_of_block(named)?;
    Some(Slip { at, in_front_of_name, name })
}

fn name_of_block(cursor: Cursor<'_>) -> Option<Ident> {
    let (name, rest) = cursor.ident()?;
    rest.group(Delimiter::Brace).map(|_| name)
}
