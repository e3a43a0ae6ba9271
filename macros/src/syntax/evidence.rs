//! What follows the `if` of a transition:
//! `Committed => exit TaskCommitted if commit && clean`.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{LitStr, Token};

use super::command::Command;
use super::fields::{is_word, starts_item};

const EXPECTED: &str = "expected what the engine has to find: a word such as `commit`, `exists \"path\"`, or a command in quotes";

/// Words of other languages for `if`.
const WORDS: [&str; 7] = ["when", "with", "where", "given", "provided", "requires", "unless"];

/// One thing that the engine must find.
#[derive(Clone)]
pub(crate) enum Term {
    /// `commit`, or `exists "path"`.
    Word { word: Ident, text: Option<LitStr> },
    /// `"make check"`
    Command(Command),
}

impl ToTokens for Term {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::Word { word, text } => {
                word.to_tokens(tokens);
                text.to_tokens(tokens);
            }
            Self::Command(command) => command.to_tokens(tokens),
        }
    }
}

/// Reads `if` and what follows it; nothing if there is no `if`.
pub(super) fn evidence(input: ParseStream<'_>) -> syn::Result<Vec<Term>> {
    let mut terms = Vec::new();
    if let Some(word) = WORDS.iter().find(|word| is_word(input, word)) {
        return Err(input.error(format!("write `if …` instead of `{word} …`")));
    }
    if input.peek(syn::token::Bracket) {
        return Err(
            input.error("write what the engine has to find behind `if`: `if commit && clean`")
        );
    }
    if input.parse::<Option<Token![if]>>()?.is_none() {
        return Ok(terms);
    }
    loop {
        terms.push(term(input)?);
        if input.peek(Token![||]) || is_word(input, "or") {
            return Err(input.error(
                "there is no `||`: all evidence of an outcome has to be found, joined with `&&`; for an alternative, \
                 declare another outcome",
            ));
        }
        if input.peek(Token![&]) && !input.peek(Token![&&]) || is_word(input, "and") {
            return Err(input.error("evidence is joined with `&&`"));
        }
        if input.parse::<Option<Token![&&]>>()?.is_none() {
            let goes_on = input.peek(Ident::peek_any) || input.peek(Token![-]);
            if goes_on && !starts_item(input) {
                return Err(
                    input.error("expected `&&` or `,`; a command or a path is written in quotes")
                );
            }
            return Ok(terms);
        }
    }
}

fn term(input: ParseStream<'_>) -> syn::Result<Term> {
    if Command::peek(input) {
        return Command::parse(input).map(Term::Command);
    }
    if input.peek(Token![!]) || is_word(input, "not") {
        return Err(input.error(
            "evidence is something that is found: write what has to be there, or a command in quotes that fails otherwise",
        ));
    }
    if input.peek(syn::token::Paren) || input.peek(syn::token::Brace) {
        return Err(input.error("write the evidence without these: `if commit && clean`"));
    }
    if !input.peek(Ident::peek_any) {
        return Err(input.error(EXPECTED));
    }
    let word = input.call(Ident::parse_any)?;
    if input.peek(syn::token::Paren) {
        let path = if word == "exists" { " \"path\"" } else { "" };
        return Err(input.error(format!("write it without parentheses: `{word}{path}`")));
    }
    let text = if input.peek(LitStr) { Some(input.parse()?) } else { None };
    Ok(Term::Word { word, text })
}
