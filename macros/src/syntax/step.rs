//! `step Name { prompt: …, outcomes: […], Outcome => next, … }`

use proc_macro2::{Ident, Span};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Expr, LitStr, Token, braced, bracketed};

use super::docs::Docs;
use super::fields::{Fields, Unknown, expect_comma, skip_item};
use super::next::{Next, arrow};
use crate::diagnostic::Diagnostics;

/// A step as it was written.
#[derive(Clone)]
pub(crate) struct Step {
    pub(crate) docs: Docs,
    pub(crate) name: Ident,
    pub(crate) prompt: Fields<Expr>,
    pub(crate) model: Fields<LitStr>,
    pub(crate) outcomes: Fields<Vec<Declared>>,
    pub(crate) mappings: Vec<Mapping>,
    /// Fields that steps don't have.
    pub(crate) unknown: Vec<Unknown>,
    /// Whether a part could not be read: what seems to be missing may only have been lost.
    pub(crate) broken: bool,
    /// Whether it was included: its prompt was judged where the shared steps are defined.
    pub(crate) shared: bool,
}

/// An outcome in the list of outcomes.
#[derive(Clone)]
pub(crate) struct Declared {
    pub(crate) docs: Docs,
    pub(crate) name: Ident,
}

/// `Outcome => next`
#[derive(Clone)]
pub(crate) struct Mapping {
    pub(crate) outcome: Ident,
    /// Missing where it could not be read and an error has been reported.
    pub(crate) next: Option<Next>,
}

impl Mapping {
    /// The declaration that should have been there.
    pub(crate) fn declared(&self) -> Declared {
        Declared { docs: Docs::default(), name: self.outcome.clone() }
    }
}

impl Step {
    /// The fields that a step has.
    pub(crate) const FIELDS: [&'static str; 3] = ["prompt", "outcomes", "model"];

    /// Whether it has a prompt, if only one that could not be read.
    pub(crate) fn has_prompt(&self) -> bool {
        !self.prompt.is_missing() || self.broken || self.meant("prompt")
    }

    /// Whether it has a list of outcomes, if only one that could not be read.
    pub(crate) fn has_outcomes(&self) -> bool {
        !self.outcomes.is_missing() || self.broken || self.meant("outcomes")
    }

    fn meant(&self, field: &str) -> bool {
        self.unknown.iter().any(|unknown| unknown.meant == Some(field))
    }

    fn new(docs: Docs, name: Ident) -> Self {
        Self {
            docs,
            name,
            prompt: Fields::default(),
            model: Fields::default(),
            outcomes: Fields::default(),
            mappings: Vec::new(),
            unknown: Vec::new(),
            broken: false,
            shared: false,
        }
    }

    /// Reads what follows the word `step`.
    pub(super) fn parse(
        docs: Docs,
        word: Span,
        input: ParseStream<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Option<Self> {
        if !input.peek(Ident::peek_any) {
            diagnostics.error_at(word, "a step needs a name: `step Name { … }`");
            skip_block(input);
            return None;
        }
        // `peek_any` has just seen an identifier.
        let name = input.call(Ident::parse_any).ok()?;
        let mut step = Self::new(docs, name);
        if let Err(error) = step.body(input, diagnostics) {
            diagnostics.syntax(&error);
            skip_item(input);
            step.broken = true;
        }
        // A comma between steps is a habit worth no error.
        let _ = input.parse::<Option<Token![,]>>();
        Some(step)
    }

    fn body(&mut self, input: ParseStream<'_>, diagnostics: &mut Diagnostics) -> syn::Result<()> {
        if !input.peek(syn::token::Brace) {
            let name = &self.name;
            return Err(syn::Error::new(
                name.span(),
                format!("expected the block of step `{name}`: `{{ prompt: …, outcomes: […], … }}`"),
            ));
        }
        let block;
        braced!(block in input);
        while !block.is_empty() {
            if let Err(error) = self.item(&block, diagnostics) {
                diagnostics.syntax(&error);
                self.broken = true;
                skip_item(&block);
            }
        }
        Ok(())
    }

    fn item(&mut self, block: ParseStream<'_>, diagnostics: &mut Diagnostics) -> syn::Result<()> {
        let docs = Docs::parse(block, diagnostics)?;
        if !docs.is_empty() {
            let message =
                "a doc comment belongs in front of the recipe, a step, or an outcome in the list of outcomes";
            diagnostics.error(docs, message);
        }
        if !block.peek(Ident::peek_any) {
            return Err(block
                .error("expected a field of the step, or an outcome and what follows: `Outcome => Next`"));
        }
        let word = block.call(Ident::parse_any)?;
        if block.peek(Token![:]) && !block.peek(Token![::]) {
            block.parse::<Token![:]>()?;
            self.field(word, block, diagnostics);
            return Ok(());
        }
        if let Some(error) = arrow(block)? {
            diagnostics.syntax(&error);
        }
        let next = match block.parse::<Next>() {
            Ok(next) => {
                expect_comma(block, diagnostics, &format!("what follows `{word}`"));
                Some(next)
            }
            Err(error) => {
                diagnostics.syntax(&error);
                skip_item(block);
                None
            }
        };
        self.mappings.push(Mapping { outcome: word, next });
        Ok(())
    }

    fn field(&mut self, key: Ident, block: ParseStream<'_>, diagnostics: &mut Diagnostics) {
        match key.to_string().as_str() {
            "prompt" => self.prompt.read(key, block, diagnostics, expression),
            "model" => self.model.read(key, block, diagnostics, |input| text(input, "a model's name")),
            "outcomes" => {
                let list = outcomes(block, diagnostics);
                self.outcomes.read(key, block, diagnostics, |_| list);
            }
            _ => {
                self.unknown.push(Unknown::new(key, &Self::FIELDS));
                skip_item(block);
            }
        }
        self.broken |= self.outcomes.0.iter().any(|field| field.value.is_none());
    }
}

fn expression(input: ParseStream<'_>) -> syn::Result<Expr> {
    if input.is_empty() || input.peek(Token![,]) {
        return Err(input.error("expected the prompt: a text, `include_str!(\"file.md\")` or a constant"));
    }
    input.parse()
}

/// A text literal, with an error that says what it is for.
pub(super) fn text(input: ParseStream<'_>, what: &str) -> syn::Result<LitStr> {
    if !input.peek(LitStr) {
        return Err(input.error(format!("expected {what} in quotes")));
    }
    input.parse()
}

fn outcomes(input: ParseStream<'_>, diagnostics: &mut Diagnostics) -> syn::Result<Vec<Declared>> {
    if !input.peek(syn::token::Bracket) {
        return Err(input.error("expected the outcomes in brackets, e.g. `[Complete, Blocked]`"));
    }
    let list;
    bracketed!(list in input);
    let mut declared = Vec::new();
    while !list.is_empty() {
        let docs = Docs::parse(&list, diagnostics)?;
        if !list.peek(Ident::peek_any) {
            return Err(list.error("expected the name of an outcome"));
        }
        declared.push(Declared { docs, name: list.call(Ident::parse_any)? });
        if !list.is_empty() && list.parse::<Option<Token![,]>>()?.is_none() {
            return Err(list.error("expected `,` between outcomes"));
        }
    }
    Ok(declared)
}

/// Skips the block of a step that has no name.
fn skip_block(input: ParseStream<'_>) {
    if input.peek(syn::token::Brace) {
        let _ = input.parse::<proc_macro2::TokenTree>();
        let _ = input.parse::<Option<Token![,]>>();
    } else {
        skip_item(input);
    }
}
