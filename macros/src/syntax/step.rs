//! `step Name { prompt: …, outcomes: […], Outcome => next, … }` or `step Name { run: "…", Passed => …, Failed => … }`

use proc_macro2::{Ident, Span};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Expr, Lit, LitInt, LitStr, Token, braced, bracketed};

use super::command::{Command, commands};
use super::docs::Docs;
use super::evidence::{Term, evidence};
use super::fields::{Fields, Unknown, expect_comma, skip_item};
use super::findings::{Carried, group};
use super::next::{Next, arrow};
use super::tools::{Tool, tools};
use crate::diagnostic::Diagnostics;

/// A step as it was written.
#[derive(Clone)]
pub(crate) struct Step {
    pub(crate) docs: Docs,
    pub(crate) name: Ident,
    pub(crate) prompt: Fields<Expr>,
    pub(crate) run: Fields<Command>,
    pub(crate) time: Fields<LitInt>,
    pub(crate) model: Fields<LitStr>,
    pub(crate) tools: Fields<Vec<Tool>>,
    pub(crate) verify: Fields<Vec<Command>>,
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
    /// Whether it says here what it carries, which has been reported: that belongs where it is mapped.
    pub(crate) carries: bool,
}

/// `Outcome(findings) => next if evidence`
#[derive(Clone)]
pub(crate) struct Mapping {
    pub(crate) outcome: Ident,
    /// What it carries beside its name.
    pub(crate) carried: Option<Carried>,
    /// Missing where it could not be read and an error has been reported.
    pub(crate) next: Option<Next>,
    /// What the engine has to find before it leads there.
    pub(crate) evidence: Vec<Term>,
    /// In a shared step, what the `include` asks for beside that.
    pub(crate) given: Vec<Term>,
}

impl Mapping {
    /// Reads what follows the arrow, and the comma behind that.
    pub(super) fn parse(outcome: Ident, input: ParseStream<'_>, diagnostics: &mut Diagnostics) -> Self {
        let mut mapping = Self::unread(outcome);
        let parsed = input.parse().and_then(|next| {
            mapping.next = Some(next);
            evidence(input)
        });
        match parsed {
            Ok(evidence) => {
                mapping.evidence = evidence;
                expect_comma(input, diagnostics, &format!("what follows `{}`", mapping.outcome));
            }
            Err(error) => {
                diagnostics.syntax(&error);
                skip_item(input);
            }
        }
        mapping
    }

    /// One whose rest could not be read.
    pub(super) fn unread(outcome: Ident) -> Self {
        Self { outcome, carried: None, next: None, evidence: Vec::new(), given: Vec::new() }
    }

    /// The declaration that should have been there.
    pub(crate) fn declared(&self) -> Declared {
        Declared { docs: Docs::default(), name: self.outcome.clone(), carries: false }
    }
}

impl Step {
    /// The fields that a step has.
    pub(crate) const FIELDS: [&'static str; 7] =
        ["prompt", "outcomes", "model", "tools", "verify", "run", "time"];
    /// What the command of a step can come to.
    pub(crate) const COMMAND_OUTCOMES: [&'static str; 2] = ["Passed", "Failed"];

    /// Whether it has a prompt, if only one that could not be read.
    pub(crate) fn has_prompt(&self) -> bool {
        !self.prompt.is_missing() || self.broken || self.meant("prompt")
    }

    /// Whether it is a command. One that has a prompt as well, which is a mistake, is taken for what the rest of it fits.
    pub(crate) fn is_command(&self) -> bool {
        let has_run = !self.run.is_missing() || self.meant("run");
        let asks = !self.outcomes.is_missing()
            || !self.mappings.iter().all(|mapping| is_command_outcome(&mapping.outcome));
        has_run && !(asks && (!self.prompt.is_missing() || self.meant("prompt")))
    }

    /// Whether it has commands that verify it, if only such that could not be read.
    pub(crate) fn has_verify(&self) -> bool {
        !self.verify.is_missing() || self.broken || self.meant("verify")
    }

    /// Whether it has tools that could not be read.
    pub(crate) fn has_unread_tools(&self) -> bool {
        self.tools.first().is_some_and(|field| field.value.is_none()) || self.broken || self.meant("tools")
    }

    /// Whether one of its outcomes carries something, if only in a way that could not be read.
    pub(crate) fn carries(&self) -> bool {
        self.broken
            || self.mappings.iter().any(|mapping| mapping.carried.is_some())
            || self.outcomes.value().into_iter().flatten().any(|declared| declared.carries)
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
            run: Fields::default(),
            time: Fields::default(),
            model: Fields::default(),
            tools: Fields::default(),
            verify: Fields::default(),
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
        let carried = Carried::parse(&word, block, diagnostics);
        if let Some(error) = arrow(block)? {
            diagnostics.syntax(&error);
        }
        let mapping = Mapping::parse(word, block, diagnostics);
        self.mappings.push(Mapping { carried, ..mapping });
        Ok(())
    }

    fn field(&mut self, key: Ident, block: ParseStream<'_>, diagnostics: &mut Diagnostics) {
        match key.to_string().as_str() {
            "prompt" => self.prompt.read(key, block, diagnostics, expression),
            "run" => self.run.read(key, block, diagnostics, Command::parse),
            "time" => self.time.read(key, block, diagnostics, time),
            "model" => self.model.read(key, block, diagnostics, |input| text(input, "a model's name")),
            "tools" => self.tools.read(key, block, diagnostics, tools),
            "verify" => self.verify.read(key, block, diagnostics, commands),
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

/// A number with its unit, which Rust reads as one literal.
fn time(input: ParseStream<'_>) -> syn::Result<LitInt> {
    const EXPECTED: &str = "expected a time: a whole number and its unit, e.g. `10m`";
    match input.parse::<Lit>().map_err(|_| input.error(EXPECTED))? {
        Lit::Int(time) => Ok(time),
        other => Err(syn::Error::new_spanned(other, EXPECTED)),
    }
}

fn is_command_outcome(name: &Ident) -> bool {
    Step::COMMAND_OUTCOMES.iter().any(|outcome| name == outcome)
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
        let name = list.call(Ident::parse_any)?;
        let carried = group(&list);
        if let Some(carried) = &carried {
            let message = format!("write it where the outcome is mapped: `{name}(findings) => …`");
            diagnostics.error(carried, message);
        }
        declared.push(Declared { docs, name, carries: carried.is_some() });
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
