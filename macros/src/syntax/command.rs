//! Commands that the engine runs: `"cargo test | tee log"` for a shell, `["cargo", "test"]` without
//! one.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::ParseStream;
use syn::{LitStr, Token, bracketed};

/// A command as it was written.
#[derive(Clone)]
pub(crate) enum Command {
    /// A line for a shell.
    Shell(LitStr),
    /// A program and its arguments.
    Program { words: Vec<LitStr>, span: Span },
}

impl Command {
    /// Whether a command follows, judging by the first token.
    pub(super) fn peek(input: ParseStream<'_>) -> bool {
        input.peek(LitStr) || input.peek(syn::token::Bracket)
    }

    /// Reads one command.
    pub(super) fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(LitStr) {
            return input.parse().map(Self::Shell);
        }
        if !input.peek(syn::token::Bracket) {
            return Err(input.error(
                "expected a command: a line for a shell in quotes, or a program and its arguments as a list",
            ));
        }
        let list;
        let brackets = bracketed!(list in input);
        let mut words = Vec::new();
        while !list.is_empty() {
            if !list.peek(LitStr) {
                return Err(list.error(
                    "expected a program and its arguments in quotes, e.g. `[\"cargo\", \"test\"]`",
                ));
            }
            words.push(list.parse()?);
            if !list.is_empty() && list.parse::<Option<Token![,]>>()?.is_none() {
                return Err(list.error("expected `,` between a program and its arguments"));
            }
        }
        Ok(Self::Program { words, span: brackets.span.join() })
    }
}

impl ToTokens for Command {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::Shell(line) => line.to_tokens(tokens),
            Self::Program { words, span } => {
                let mut list = Group::new(Delimiter::Bracket, quote!(#(#words),*));
                list.set_span(*span);
                tokens.extend([TokenTree::from(list)]);
            }
        }
    }
}

/// Reads `["cargo test", ["cargo", "clippy"]]`.
pub(super) fn commands(input: ParseStream<'_>) -> syn::Result<Vec<Command>> {
    if !input.peek(syn::token::Bracket) {
        return Err(input.error("expected the commands in brackets, e.g. `[\"cargo test\"]`"));
    }
    let list;
    bracketed!(list in input);
    let mut commands = Vec::new();
    while !list.is_empty() {
        commands.push(Command::parse(&list)?);
        if !list.is_empty() && list.parse::<Option<Token![,]>>()?.is_none() {
            return Err(list.error("expected `,` between commands"));
        }
    }
    Ok(commands)
}
