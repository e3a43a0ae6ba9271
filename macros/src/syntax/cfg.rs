//! `#[cfg(…)]` in front of a part of a recipe, or of shared steps.
//!
//! A macro cannot know which configuration is compiled. So it calls itself twice, with the part and
//! without it, each call behind a `#[cfg(…)]` of its own, and the compiler expands one of the two.
//! The next condition is decided there. What is checked, proven and generated at last is the recipe
//! of the configuration that is compiled, and a condition means what it means to the compiler.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::quote;

use super::recipe::Input;

/// How deep conditions are looked for: in a list of a list of a step of a recipe. What is nested
/// deeper is part of an expression, if it is anything at all.
const DEPTH: usize = 4;

/// The two calls of the macro with this name; `None` if no part has a condition.
pub(crate) fn configured(called: &str, input: &Input) -> Option<TokenStream> {
    let condition = first_condition(&input.written, DEPTH)?;
    let text = condition.to_string();
    let called = Ident::new(called, Span::call_site());
    let krate = &input.krate;
    let call = |written: TokenStream| {
        // A recipe as a whole may have a condition.
        (!written.is_empty()).then(|| quote!(#krate::__private::#called! { (#krate) #written }))
    };
    let with = call(decided(&input.written, &text, true, DEPTH));
    let with = with.map(|call| quote!(#[cfg(#condition)] #call));
    let without = call(decided(&input.written, &text, false, DEPTH));
    let without = without.map(|call| quote!(#[cfg(not(#condition))] #call));
    Some(quote!(#with #without))
}

/// The condition that is written first.
fn first_condition(written: &TokenStream, depth: usize) -> Option<TokenStream> {
    parts(written).iter().find_map(|part| {
        let own = part.attributes.iter().find_map(Attribute::condition);
        own.or_else(|| {
            let mut blocks = part.tokens.iter().filter_map(|token| block(token, depth));
            blocks.find_map(|block| first_condition(&block.stream(), depth - 1))
        })
    })
}

/// The same parts if this condition holds, or if it does not.
fn decided(written: &TokenStream, condition: &str, holds: bool, depth: usize) -> TokenStream {
    let is_decided = |attribute: &Attribute| {
        attribute.condition().is_some_and(|other| other.to_string() == condition)
    };
    let kept = parts(written).into_iter().filter_map(|part| {
        if !holds && part.attributes.iter().any(is_decided) {
            return None;
        }
        let attributes = part.attributes.into_iter().filter(|attribute| !is_decided(attribute));
        let attributes = attributes.flat_map(|attribute| attribute.tokens);
        let tokens = part.tokens.into_iter().map(|token| match block(&token, depth) {
            Some(group) => {
                let inner = decided(&group.stream(), condition, holds, depth - 1);
                let mut decided = Group::new(group.delimiter(), inner);
                decided.set_span(group.span());
                decided.into()
            }
            None => token,
        });
        Some(attributes.chain(tokens).collect::<TokenStream>())
    });
    kept.collect()
}

/// A step, a field, a mapping, or what else ends with a comma, a semicolon or its block.
#[derive(Default)]
struct Part {
    attributes: Vec<Attribute>,
    tokens: Vec<TokenTree>,
}

/// `#[…]`
struct Attribute {
    tokens: [TokenTree; 2],
}

impl Attribute {
    /// What stands in the brackets of `#[cfg(…)]`, if it is one.
    fn condition(&self) -> Option<TokenStream> {
        let TokenTree::Group(group) = &self.tokens[1] else { return None };
        let mut inner = group.stream().into_iter();
        match (inner.next(), inner.next(), inner.next()) {
            (Some(TokenTree::Ident(word)), Some(TokenTree::Group(condition)), None)
                if word == "cfg"
                    && condition.delimiter() == Delimiter::Parenthesis
                    && !condition.stream().is_empty() =>
            {
                Some(condition.stream())
            }
            _ => None,
        }
    }
}

fn parts(written: &TokenStream) -> Vec<Part> {
    let mut tokens = written.clone().into_iter().peekable();
    let (mut parts, mut part) = (Vec::new(), Part::default());
    while let Some(token) = tokens.next() {
        let is_attribute = part.tokens.is_empty()
            && is_mark(&token, '#')
            && matches!(tokens.peek(), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Bracket);
        if is_attribute && let Some(group) = tokens.next() {
            part.attributes.push(Attribute { tokens: [token, group] });
            continue;
        }
        let is_end = |token: &TokenTree| is_mark(token, ',') || is_mark(token, ';');
        let is_block =
            matches!(&token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
        let ends = is_end(&token) || is_block && !tokens.peek().is_some_and(is_end);
        part.tokens.push(token);
        if ends {
            parts.push(std::mem::take(&mut part));
        }
    }
    parts.push(part);
    parts
}

/// A group whose parts may have conditions: a block, or a list in brackets.
fn block(token: &TokenTree, depth: usize) -> Option<&Group> {
    match token {
        TokenTree::Group(group)
            if depth > 0 && matches!(group.delimiter(), Delimiter::Brace | Delimiter::Bracket) =>
        {
            Some(group)
        }
        _ => None,
    }
}

fn is_mark(token: &TokenTree, mark: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == mark)
}
