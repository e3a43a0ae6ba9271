//! `step Name { prompt: …, outcomes: […], Outcome => next, … }` or
//! `step Name { run: "…", Passed => …, Failed => … }`

use heck::ToUpperCamelCase;
use proc_macro2::{Delimiter, Ident, Span, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Expr, Lit, LitInt, LitStr, Token};

use super::alternatives::{self, Alternative};
use super::command::{Command, commands};
use super::docs::Docs;
use super::evidence::{Term, evidence};
use super::fields::{
    Fields, Unknown, block, expect_comma, is_word, skip_item, skip_rest, starts_item, stray_mark,
};
use super::findings::Carried;
use super::marks::{colon, marks};
use super::max_visits::MaxVisits;
use super::next::{Next, arrow, no_arrow};
use super::outcomes::{Declared, outcomes, unquoted};
use super::tools::{Tool, tools};
use super::visit_limit::{Limited, VisitLimit};
use super::was::{Former, was};
use crate::diagnostic::Diagnostics;
use crate::spelling;

/// A step as it was written.
#[derive(Clone)]
pub(crate) struct Step {
    pub(crate) docs: Docs,
    pub(crate) name: Ident,
    pub(crate) prompt: Fields<Expr>,
    pub(crate) run: Fields<Command>,
    pub(crate) time: Fields<Limited<LitInt>>,
    pub(crate) retries: Fields<Limited<LitInt>>,
    pub(crate) budget_usd: Fields<Limited<Lit>>,
    pub(crate) max_visits: Fields<MaxVisits>,
    pub(crate) model: Fields<LitStr>,
    pub(crate) tools: Fields<Vec<Tool>>,
    pub(crate) verify: Fields<Vec<Command>>,
    pub(crate) was: Fields<Vec<Former>>,
    pub(crate) outcomes: Fields<Vec<Declared>>,
    pub(crate) mappings: Vec<Mapping>,
    /// The word of every field, known or not, and of what may become one.
    pub(crate) keys: Vec<Ident>,
    /// Fields that steps don't have.
    pub(crate) unknown: Vec<Unknown>,
    /// Whether a part could not be read: what seems to be missing may only have been lost.
    pub(crate) broken: bool,
    /// Whether it has no block at all, so that nothing is known about it.
    pub(crate) lacks_block: bool,
    /// Whether it was included: its prompt was judged where the shared steps are defined.
    pub(crate) shared: bool,
}

/// `Outcome(findings) => next if evidence`
#[derive(Clone)]
pub(crate) struct Mapping {
    pub(crate) outcome: Ident,
    /// What it carries in addition to its name.
    pub(crate) carried: Option<Carried>,
    /// `None` if it could not be read, which was already reported.
    pub(crate) next: Option<Next>,
    /// What the engine must find before it follows the outcome.
    pub(crate) evidence: Vec<Term>,
    /// In a shared step, further evidence that the `include` requires.
    pub(crate) given: Vec<Term>,
}

impl Mapping {
    /// Reads what follows the arrow, and the comma after that.
    pub(super) fn parse(
        outcome: Ident,
        input: ParseStream<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Self {
        let mut mapping = Self::unread(outcome);
        let ends = is_word(input, "exit") || is_word(input, "restart");
        let next = if starts_item(input) && !ends {
            Err(input.error(format!("expected what follows `{}`", mapping.outcome)))
        } else {
            Next::parse(input, diagnostics)
        };
        let parsed = next.and_then(|next| {
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
                skip_rest(input);
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

const NO_WILDCARD: &str = "map each outcome by its name; outcomes that lead to the same place can share a line: `A | B => Next`";
const WILDCARDS: [&str; 3] = ["else", "default", "otherwise"];

impl Step {
    /// The fields that a step has.
    pub(crate) const FIELDS: [&'static str; 11] = [
        "prompt",
        "outcomes",
        "model",
        "tools",
        "verify",
        "run",
        "time",
        "retries",
        "budget_usd",
        "max_visits",
        "was",
    ];
    /// The outcomes of a command step.
    pub(crate) const COMMAND_OUTCOMES: [&'static str; 2] = ["Passed", "Failed"];

    /// Whether it has a prompt, even one that could not be read.
    pub(crate) fn has_prompt(&self) -> bool {
        !self.prompt.is_missing() || self.broken || self.meant("prompt")
    }

    /// Whether it is a command. If it also has a prompt, which is a mistake, its other fields
    /// decide.
    pub(crate) fn is_command(&self) -> bool {
        let has_run = !self.run.is_missing() || self.meant("run");
        let asks = !self.outcomes.is_missing()
            || !self.mappings.iter().all(|mapping| is_command_outcome(&mapping.outcome));
        has_run && !(asks && (!self.prompt.is_missing() || self.meant("prompt")))
    }

    /// Whether it has commands that verify it, even if they could not be read.
    pub(crate) fn has_verify(&self) -> bool {
        !self.verify.is_missing() || self.broken || self.meant("verify")
    }

    /// Whether it has tools that could not be read.
    pub(crate) fn has_unread_tools(&self) -> bool {
        self.tools.first().is_some_and(|field| field.value.is_none())
            || self.broken
            || self.meant("tools")
    }

    /// Whether one of its outcomes carries something, even if that could not be read.
    pub(crate) fn carries(&self) -> bool {
        self.broken
            || self.mappings.iter().any(|mapping| mapping.carried.is_some())
            || self.outcomes.value().into_iter().flatten().any(|declared| declared.carries)
    }

    /// Whether it has a list of outcomes, even one that could not be read.
    pub(crate) fn has_outcomes(&self) -> bool {
        !self.outcomes.is_missing() || self.broken || self.meant("outcomes")
    }

    /// What follows it, as far as it could be read.
    pub(crate) fn nexts(&self) -> impl Iterator<Item = &Next> {
        let visits = self.max_visits.value().and_then(|limit| limit.next.as_ref());
        let limits = self.after_limits().map(|(_, next)| next);
        self.mappings.iter().filter_map(|mapping| mapping.next.as_ref()).chain(limits).chain(visits)
    }

    /// Where the limits of a visit lead, as far as that is written.
    pub(crate) fn after_limits(&self) -> impl Iterator<Item = (VisitLimit, &Next)> {
        let time = self.time.value().and_then(|limit| limit.next.as_ref());
        let retries = self.retries.value().and_then(|limit| limit.next.as_ref());
        let budget = self.budget_usd.value().and_then(|limit| limit.next.as_ref());
        let limits = [
            (VisitLimit::Time, time),
            (VisitLimit::Retries, retries),
            (VisitLimit::Budget, budget),
        ];
        limits.into_iter().filter_map(|(limit, next)| Some((limit, next?)))
    }

    /// What follows the arrow of each limit, to be changed.
    pub(super) fn limits_mut(&mut self) -> impl Iterator<Item = &mut Option<Next>> {
        fn nexts<T>(fields: &mut Fields<Limited<T>>) -> impl Iterator<Item = &mut Option<Next>> {
            let values = fields.0.iter_mut().filter_map(|field| field.value.as_mut());
            values.map(|limit| &mut limit.next)
        }
        let visits = self.max_visits.0.iter_mut().filter_map(|field| field.value.as_mut());
        nexts(&mut self.time)
            .chain(nexts(&mut self.retries))
            .chain(nexts(&mut self.budget_usd))
            .chain(visits.map(|limit| &mut limit.next))
    }

    /// The word of the field that sets a limit.
    pub(crate) fn limit_key(&self, limit: VisitLimit) -> Option<&Ident> {
        match limit {
            VisitLimit::Time => self.time.first().map(|field| &field.key),
            VisitLimit::Retries => self.retries.first().map(|field| &field.key),
            VisitLimit::Budget => self.budget_usd.first().map(|field| &field.key),
        }
    }

    /// Whether its visits have a limit of their own, even if that could not be read.
    pub(crate) fn limits_visits(&self) -> bool {
        !self.max_visits.is_missing() || self.meant("max_visits")
    }

    /// Whether a part that could not be read may have said where a limit leads.
    pub(crate) fn may_have_had_a_limit(&self) -> bool {
        self.max_visits.first().is_some_and(|field| field.value.is_none())
            || self.time.first().is_some_and(|field| field.value.is_none())
            || self.retries.first().is_some_and(|field| field.value.is_none())
            || self.budget_usd.first().is_some_and(|field| field.value.is_none())
            || self.broken
            || !self.unknown.is_empty()
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
            retries: Fields::default(),
            budget_usd: Fields::default(),
            max_visits: Fields::default(),
            model: Fields::default(),
            tools: Fields::default(),
            verify: Fields::default(),
            was: Fields::default(),
            outcomes: Fields::default(),
            mappings: Vec::new(),
            keys: Vec::new(),
            unknown: Vec::new(),
            broken: false,
            lacks_block: false,
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
        let Some(name) = name(input, diagnostics) else {
            diagnostics.error_at(word, "a step needs a name: `step Name { … }`");
            skip_block(input);
            return None;
        };
        let mut step = Self::new(docs, name);
        if let Err(error) = step.body(input, diagnostics) {
            diagnostics.syntax(&error);
            skip_item(input);
            step.broken = true;
        }
        // A mark between steps is harmless.
        if input.parse::<Option<Token![,]>>().is_ok_and(|comma| comma.is_none()) {
            let _ = input.parse::<Option<Token![;]>>();
        }
        Some(step)
    }

    fn body(&mut self, input: ParseStream<'_>, diagnostics: &mut Diagnostics) -> syn::Result<()> {
        let name = &self.name;
        let form = format!("write `step {name} {{ … }}`");
        let Some(block) = block(input, &form, diagnostics) else {
            self.lacks_block = true;
            return Err(syn::Error::new(
                name.span(),
                format!("expected the block of step `{name}`: `{{ prompt: …, outcomes: […], … }}`"),
            ));
        };
        let read = |block: ParseStream<'_>| {
            while !block.is_empty() {
                if let Err(error) = self.item(block, diagnostics) {
                    diagnostics.syntax(&error);
                    self.broken = true;
                    skip_rest(block);
                }
            }
            Ok(())
        };
        // The loop above reads to the end, so there is nothing left that could be an error.
        let _ = read.parse2(block);
        Ok(())
    }

    fn item(&mut self, block: ParseStream<'_>, diagnostics: &mut Diagnostics) -> syn::Result<()> {
        let docs = Docs::parse(block, diagnostics)?;
        if !docs.is_empty() {
            let message = "a doc comment belongs in front of the recipe, a step, or an outcome in the list of outcomes";
            diagnostics.error(docs, message);
        }
        if block.is_empty() || stray_mark(block, diagnostics) {
            return Ok(());
        }
        if block.peek(Token![*]) || block.peek(Token![..]) {
            return Err(block.error(NO_WILDCARD));
        }
        if let Some(outcomes) = alternatives::in_brackets(block, diagnostics) {
            return self.mapping(outcomes, block, diagnostics);
        }
        let quoted = |name: &Ident| format!("write the outcome without quotes: `{name} => …`");
        let Some(mut word) =
            unquoted(block, diagnostics, quoted).or_else(|| block.call(Ident::parse_any).ok())
        else {
            return Err(block.error(
                "expected a field of the step, or an outcome and what follows: `Outcome => Next`",
            ));
        };
        if (word == "include" || word == "step") && block.peek(Ident::peek_any) {
            self.keys.push(word.clone());
            let message = format!("`{word}` belongs beside the steps, in the block of the recipe");
            return Err(syn::Error::new(word.span(), message));
        }
        if (word == "exit" || word == "restart") && block.peek(Ident::peek_any) {
            let message = format!("expected an outcome in front of this: `Outcome => {word} …`");
            return Err(syn::Error::new(word.span(), message));
        }
        let is_known = Self::FIELDS.iter().any(|field| word == field);
        // Fields are written small, so this is an outcome.
        let is_outcome = word.to_string().starts_with(char::is_uppercase);
        if !is_outcome && colon(&word, is_known, block, diagnostics) {
            self.keys.push(word.clone());
            self.field(word, block, diagnostics);
            return Ok(());
        }
        if is_known
            && block.peek(syn::token::Paren)
            && block.fork().call(alternatives::findings_in).is_err()
        {
            let message = format!("write `{word}: …`, with a colon");
            return Err(syn::Error::new(word.span(), message));
        }
        if self.mappings_in_a_block(&word, block, diagnostics) {
            return Ok(());
        }
        if !is_outcome && let Some(outcome) = alternatives::outcome_behind(block) {
            // `on Done => …`
            diagnostics.error(&word, format!("write `{outcome} => …`"));
            word = block.call(Ident::parse_any)?;
        }
        let mut outcomes = vec![Alternative::parse(word, block, diagnostics)];
        while alternatives::another(block, &outcomes, diagnostics)? {
            let word = block.call(Ident::parse_any)?;
            outcomes.push(Alternative::parse(word, block, diagnostics));
        }
        self.mapping(outcomes, block, diagnostics)
    }

    /// Reads what follows these outcomes.
    fn mapping(
        &mut self,
        outcomes: Vec<Alternative>,
        block: ParseStream<'_>,
        diagnostics: &mut Diagnostics,
    ) -> syn::Result<()> {
        if block.peek(Token![if]) {
            let message = "write the evidence behind what follows: `Outcome => Next if evidence`";
            diagnostics.error_at(block.span(), message);
            while !block.is_empty() && !block.peek(Token![,]) && !block.peek(Token![=>]) {
                block.parse::<TokenTree>()?;
            }
        }
        // A small word may be a field, and then not an arrow is missing.
        let name = &outcomes[0].name;
        let is_outcome = name.to_string().starts_with(char::is_uppercase);
        if is_outcome || outcomes.len() > 1 || matches!(marks(block).as_str(), "=>" | "->") {
            diagnostics.maybe(arrow(name, block)?);
        } else {
            let evidence = self.mappings.last().is_some_and(|last| !last.evidence.is_empty());
            let ends = block.is_empty() || block.peek(Token![,]);
            let joined = format!("evidence is joined with `&&`: `… && {name}`");
            let joined = (evidence && ends).then(|| syn::Error::new(name.span(), joined));
            return Err(joined.unwrap_or_else(|| no_arrow(block)));
        }
        let wildcard = outcomes.iter().find(|outcome| self.is_wildcard(&outcome.name));
        let wildcard = wildcard.map(|outcome| outcome.name.clone());
        if let Some(wildcard) = &wildcard {
            diagnostics.error(wildcard, NO_WILDCARD);
            self.broken = true;
        }
        let mapping = Mapping::parse(outcomes[0].name.clone(), block, diagnostics);
        for Alternative { name: outcome, carried } in outcomes {
            if wildcard.as_ref() != Some(&outcome) {
                self.mappings.push(Mapping { outcome, carried, ..mapping.clone() });
            }
        }
        Ok(())
    }

    /// Reads `transitions: { Done => Bake }`, the mappings in a block of their own.
    fn mappings_in_a_block(
        &mut self,
        word: &Ident,
        block: ParseStream<'_>,
        diagnostics: &mut Diagnostics,
    ) -> bool {
        let Some((TokenTree::Group(group), _)) = block.cursor().token_tree() else { return false };
        let is_small = !word.to_string().starts_with(char::is_uppercase);
        let maps = group
            .stream()
            .into_iter()
            .any(|token| matches!(&token, TokenTree::Punct(mark) if mark.as_char() == '='));
        if !is_small || !maps || group.delimiter() != Delimiter::Brace {
            return false;
        }
        let _ = block.parse::<TokenTree>();
        let message = "write fields and mappings in the block of the step, without another one";
        diagnostics.error(word, message);
        let read = |inner: ParseStream<'_>| {
            while !inner.is_empty() {
                if let Err(error) = self.item(inner, diagnostics) {
                    diagnostics.syntax(&error);
                    self.broken = true;
                    skip_rest(inner);
                }
            }
            Ok(())
        };
        let _ = read.parse2(group.stream());
        let _ = block.parse::<Option<Token![,]>>();
        true
    }

    /// Whether this stands for all other outcomes in other languages, and the step does not have
    /// it.
    fn is_wildcard(&self, name: &Ident) -> bool {
        let declared = || self.outcomes.value().into_iter().flatten();
        name == "_"
            || WILDCARDS.iter().any(|word| name == word)
                && !declared().any(|declared| declared.name == *name)
    }

    fn field(&mut self, key: Ident, block: ParseStream<'_>, diagnostics: &mut Diagnostics) {
        match key.to_string().as_str() {
            "prompt" => self.prompt.read(key, block, diagnostics, expression),
            "run" => self.run.read(key, block, diagnostics, Command::parse),
            "time" => self.time.read_with(key, block, diagnostics, Limited::time),
            "retries" => self.retries.read_with(key, block, diagnostics, Limited::retries),
            "budget_usd" => self.budget_usd.read_with(key, block, diagnostics, Limited::budget),
            "max_visits" => self.max_visits.read_with(key, block, diagnostics, MaxVisits::parse),
            "model" => {
                self.model.read(key, block, diagnostics, |input| text(input, "a model's name"));
            }
            "tools" => self.tools.read(key, block, diagnostics, tools),
            "verify" => self.verify.read(key, block, diagnostics, commands),
            "was" => {
                let list = was(block, diagnostics);
                self.was.read(key, block, diagnostics, |_| list);
            }
            "outcomes" => {
                let list = outcomes(block, diagnostics);
                self.outcomes.read(key, block, diagnostics, |_| list);
            }
            _ if self.mappings_in_a_block(&key, block, diagnostics) => {}
            _ => {
                self.unknown.push(Unknown::new(key, &Self::FIELDS));
                skip_item(block);
            }
        }
        self.broken |= self.outcomes.0.iter().any(|field| field.value.is_none());
    }
}

/// The name of a step; quotes around it are reported.
fn name(input: ParseStream<'_>, diagnostics: &mut Diagnostics) -> Option<Ident> {
    let quoted = |name: &Ident| format!("write the step without quotes: `step {name} {{ … }}`");
    if let Some(name) = unquoted(input, diagnostics, quoted) {
        return Some(name);
    }
    if let Ok(text) = input.fork().parse::<LitStr>() {
        let name = spelling::identifier(&text.value().to_upper_camel_case(), text.span())?;
        input.parse::<LitStr>().ok()?;
        let message = format!("a step's name is one word without quotes: `step {name} {{ … }}`");
        diagnostics.error(text, message);
        return Some(name);
    }
    input.call(Ident::parse_any).ok()
}

fn expression(input: ParseStream<'_>) -> syn::Result<Expr> {
    if input.is_empty() || input.peek(Token![,]) {
        return Err(
            input.error("expected the prompt: a text, `include_str!(\"file.md\")` or a constant")
        );
    }
    let prompt = input.parse()?;
    if input.peek(Ident::peek_any) && !starts_item(input) {
        return Err(syn::Error::new_spanned(prompt, "write the prompt in quotes"));
    }
    Ok(prompt)
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

/// Skips the block of a step that has no name.
fn skip_block(input: ParseStream<'_>) {
    if input.peek(syn::token::Brace) {
        let _ = input.parse::<TokenTree>();
        let _ = input.parse::<Option<Token![,]>>();
    } else {
        skip_item(input);
    }
}
