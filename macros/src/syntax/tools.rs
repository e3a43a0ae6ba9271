//! `tools: [read, edit, "cargo *", ..BUILD]`

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{LitStr, Path, Token, bracketed};

/// One entry of the list.
#[derive(Clone)]
pub(crate) enum Tool {
    /// `edit`
    Word(Ident),
    /// `"cargo *"`
    Pattern(LitStr),
    /// `..BUILD`
    Group(Group),
}

/// A constant whose tools are inserted into the list.
#[derive(Clone)]
pub(crate) struct Group {
    /// Where it is found.
    pub(crate) path: Path,
    /// Its name, as the author writes it.
    pub(crate) name: String,
    /// Whether it was included: its tools were judged where the shared steps are defined.
    pub(crate) shared: bool,
}

impl ToTokens for Tool {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::Word(word) => word.to_tokens(tokens),
            Self::Pattern(pattern) => pattern.to_tokens(tokens),
            Self::Group(group) => group.path.to_tokens(tokens),
        }
    }
}

/// Reads the list.
pub(super) fn tools(input: ParseStream<'_>) -> syn::Result<Vec<Tool>> {
    if !input.peek(syn::token::Bracket) {
        return Err(input.error("expected the tools in brackets, e.g. `[edit, \"cargo *\"]`"));
    }
    let list;
    bracketed!(list in input);
    let mut tools = Vec::new();
    while !list.is_empty() {
        tools.push(tool(&list)?);
        if !list.is_empty() && list.parse::<Option<Token![,]>>()?.is_none() {
            return Err(list.error("expected `,` between tools"));
        }
    }
    Ok(tools)
}

fn tool(list: ParseStream<'_>) -> syn::Result<Tool> {
    if list.peek(LitStr) {
        return list.parse().map(Tool::Pattern);
    }
    if list.peek(Token![..]) {
        list.parse::<Token![..]>()?;
        let path = list
            .call(Path::parse_mod_style)
            .map_err(|_| list.error("expected the name of a constant with tools after `..`"))?;
        let name = quote!(#path).to_string().replace(' ', "");
        return Ok(Tool::Group(Group { path, name, shared: false }));
    }
    if list.peek(Ident::peek_any) {
        let word = list.call(Ident::parse_any)?;
        if list.peek(syn::token::Paren) {
            let message = "write a command alone, in quotes: `\"cargo *\"`";
            return Err(syn::Error::new(word.span(), message));
        }
        return Ok(Tool::Word(word));
    }
    Err(list
        .error("expected `read`, `edit`, `web`, a command in quotes such as `\"cargo *\"`, or `..CONSTANT`"))
}
