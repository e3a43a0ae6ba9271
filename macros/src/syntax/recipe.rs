//! `pub recipe Name { id: …, initial: …, guardrails: { … }, step … }`

use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{LitBool, LitStr, Path, Token, Visibility};

use super::claims::{Claim, Goal, claims};
use super::derives::derives;
use super::docs::Docs;
use super::fields::{
    Fields, Unknown, block, is_word, skip_item, skip_rest, starts_item, stray_mark,
};
use super::file_scope::FileScope;
use super::guardrails::{self, Entry};
use super::heading::heading;
use super::include::{self, Included};
use super::marks::{colon, marks, skip_marks};
use super::needs::needs;
use super::next::{Next, Reason};
use super::outcomes::unquoted;
use super::step::{Step, text};
use super::tools::{Tool, tools};
use crate::diagnostic::Diagnostics;

/// The input from a front macro: the path to the surefire crate in brackets, and what the author
/// wrote.
pub(crate) struct Input {
    pub(crate) krate: TokenStream,
    pub(crate) written: TokenStream,
}

impl Input {
    /// Separates the crate's path from the rest.
    pub(crate) fn split(tokens: TokenStream) -> Self {
        let mut tokens = tokens.into_iter();
        let krate = match tokens.next() {
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis => {
                group.stream()
            }
            other => other.into_iter().collect(),
        };
        Self { krate, written: tokens.collect() }
    }
}

/// A recipe as it was written.
pub(crate) struct Recipe {
    pub(crate) docs: Docs,
    pub(crate) visibility: Visibility,
    pub(crate) name: Ident,
    pub(crate) id: Fields<LitStr>,
    pub(crate) label: Fields<LitStr>,
    pub(crate) model: Fields<LitStr>,
    pub(crate) tools: Fields<Vec<Tool>>,
    pub(crate) scope: Fields<FileScope>,
    pub(crate) allow_lockfiles: Fields<LitBool>,
    pub(crate) needs: Fields<Vec<Ident>>,
    pub(crate) isolate: Fields<LitBool>,
    pub(crate) initial: Fields<Ident>,
    pub(crate) exits: Fields<Path>,
    pub(crate) derive: Fields<Vec<Path>>,
    pub(crate) guardrails: Fields<Vec<Entry>>,
    pub(crate) proves: Fields<Vec<Claim>>,
    pub(crate) steps: Vec<Step>,
    /// The word of every field, known or not, and of what may become one.
    pub(crate) keys: Vec<Ident>,
    /// Fields that recipes don't have.
    pub(crate) unknown: Vec<Unknown>,
    /// Whether a part could not be read: what seems to be missing may only have been lost.
    pub(crate) broken: bool,
    /// Whether steps could not be read: a name that seems to be unknown may be theirs.
    pub(crate) lost_steps: bool,
    /// Whether it has no block at all.
    lacks_block: bool,
}

impl Recipe {
    /// The fields that a recipe has.
    pub(crate) const FIELDS: [&'static str; 13] = [
        "id",
        "label",
        "model",
        "tools",
        "scope",
        "allow_lockfiles",
        "needs",
        "isolate",
        "initial",
        "exits",
        "derive",
        "guardrails",
        "proves",
    ];

    /// Whether it has an `initial` step, even if that could not be read.
    pub(crate) fn has_initial(&self) -> bool {
        !self.initial.is_missing() || self.broken || self.meant("initial")
    }

    /// Whether it has guardrails that could not be read.
    pub(crate) fn has_unread_guardrails(&self) -> bool {
        let unread = |entry: &Entry| matches!(entry.value, guardrails::Value::Broken);
        self.guardrails.first().is_some_and(|field| field.value.is_none())
            || self.guardrails.value().into_iter().flatten().any(unread)
            || self.meant("guardrails")
    }

    /// The exit reasons that its own steps and its claims name.
    pub(crate) fn reasons(&self) -> impl Iterator<Item = Reason> {
        let own = self.steps.iter().filter(|step| !step.shared);
        let taken = own.flat_map(Step::nexts).filter_map(|next| match next {
            Next::Exit(reason) => Some(reason.clone()),
            Next::Step(_) | Next::Restart(_) => None,
        });
        let claimed = self.claims().filter_map(|claim| match &claim.goal {
            Goal::Exit(name) => Some(Reason { standard: None, name: name.clone() }),
            Goal::Step(_) | Goal::Restart(_) => None,
        });
        taken.chain(claimed)
    }

    /// The steps that are named beside the steps themselves: by `initial` and by claims.
    pub(crate) fn named_steps(&self) -> impl Iterator<Item = &Ident> {
        let claimed = self.claims().flat_map(|claim| {
            let goal = match &claim.goal {
                Goal::Step(name) => Some(name),
                Goal::Exit(_) | Goal::Restart(_) => None,
            };
            let reporting = claim.needs.iter().map(|report| &report.step);
            goal.into_iter().chain(reporting).chain(&claim.since)
        });
        self.initial.value().into_iter().chain(claimed)
    }

    /// The outcomes of this step that claims name.
    pub(crate) fn claimed_outcomes(&self, step: &Ident) -> impl Iterator<Item = &Ident> {
        let needs = self.claims().flat_map(|claim| &claim.needs);
        needs.filter(move |report| report.step == *step).map(|report| &report.outcome)
    }

    fn claims(&self) -> impl Iterator<Item = &Claim> {
        self.proves.value().into_iter().flatten()
    }

    /// The words of its guardrails.
    pub(crate) fn guardrail_keys(&self) -> Vec<Ident> {
        let entries = self.guardrails.value().into_iter().flatten();
        entries.map(|entry| entry.key.clone()).collect()
    }

    fn meant(&self, field: &str) -> bool {
        self.unknown.iter().any(|unknown| unknown.meant == Some(field))
    }

    /// Reads a recipe; `None` if not even its name could be read.
    pub(crate) fn parse(written: TokenStream, diagnostics: &mut Diagnostics) -> Option<Self> {
        let parser = |input: ParseStream<'_>| {
            let recipe = Self::header(input, diagnostics);
            // The rest was already reported; consuming it keeps syn from reporting it again.
            while !input.is_empty() {
                input.parse::<TokenTree>()?;
            }
            recipe
        };
        match parser.parse2(written) {
            Ok(recipe) => Some(recipe),
            Err(error) => {
                diagnostics.syntax(&error);
                None
            }
        }
    }

    fn header(input: ParseStream<'_>, diagnostics: &mut Diagnostics) -> syn::Result<Self> {
        const FORM: &str = "expected a recipe: `pub recipe Name { … }`";
        if input.is_empty() {
            return Err(syn::Error::new(Span::call_site(), FORM));
        }
        let docs = Docs::parse(input, diagnostics)?;
        let visibility = input.parse()?;
        if !is_word(input, "recipe") {
            return Err(input.error(FORM));
        }
        let word = input.call(Ident::parse_any)?;
        let quoted = |name: &Ident| format!("write `recipe {name} {{ … }}`, without quotes");
        let name = unquoted(input, diagnostics, quoted);
        let Some(name) = name.or_else(|| input.call(Ident::parse_any).ok()) else {
            return Err(syn::Error::new(word.span(), "a recipe needs a name: `recipe Name { … }`"));
        };
        let mut recipe = Self::new(docs, visibility, name);
        recipe.body(input, diagnostics);
        if !input.is_empty() && !recipe.lacks_block {
            nothing_behind(input, "recipe", "recipe!", diagnostics);
        }
        Ok(recipe)
    }

    fn new(docs: Docs, visibility: Visibility, name: Ident) -> Self {
        Self {
            docs,
            visibility,
            name,
            id: Fields::default(),
            label: Fields::default(),
            model: Fields::default(),
            tools: Fields::default(),
            scope: Fields::default(),
            allow_lockfiles: Fields::default(),
            needs: Fields::default(),
            isolate: Fields::default(),
            initial: Fields::default(),
            exits: Fields::default(),
            derive: Fields::default(),
            guardrails: Fields::default(),
            proves: Fields::default(),
            steps: Vec::new(),
            keys: Vec::new(),
            unknown: Vec::new(),
            broken: false,
            lost_steps: false,
            lacks_block: false,
        }
    }

    fn body(&mut self, input: ParseStream<'_>, diagnostics: &mut Diagnostics) {
        let name = &self.name;
        let parameters = if input.peek(Token![<]) { "a recipe has no parameters: " } else { "" };
        let form = format!("{parameters}write `recipe {name} {{ … }}`");
        let Some(block) = block(input, &form, diagnostics) else {
            diagnostics.error(
                name,
                format!("expected the block of recipe `{name}`: `{{ initial: …, step … }}`"),
            );
            (self.broken, self.lacks_block) = (true, true);
            return;
        };
        let parser = |input: ParseStream<'_>| {
            while !input.is_empty() {
                if let Err(error) = self.item(input, diagnostics) {
                    diagnostics.syntax(&error);
                    self.broken = true;
                    skip_rest(input);
                }
            }
            Ok(())
        };
        // The loop above reads to the end, so there is nothing left that could be an error.
        let _ = parser.parse2(block);
    }

    fn item(&mut self, input: ParseStream<'_>, diagnostics: &mut Diagnostics) -> syn::Result<()> {
        let docs = Docs::parse(input, diagnostics)?;
        if input.is_empty() {
            diagnostics
                .error(docs, "a doc comment belongs in front of the recipe or one of its steps");
            return Ok(());
        }
        if stray_mark(input, diagnostics) {
            return Ok(());
        }
        let heading = heading(input, diagnostics);
        if let Some(word) = heading {
            match Step::parse(docs, word, input, diagnostics) {
                Some(step) => {
                    self.lost_steps |=
                        step.keys.iter().any(|key| key == "include" || key == "step");
                    self.steps.push(step);
                }
                None => (self.broken, self.lost_steps) = (true, true),
            }
            return Ok(());
        }
        if !input.peek(Ident::peek_any) {
            return Err(input.error("expected a field of the recipe or a step: `step Name { … }`"));
        }
        let word = input.call(Ident::parse_any)?;
        if word == include::SPLICED {
            let included = Included::parse(input, diagnostics)?;
            self.broken |= included.broken;
            self.lost_steps |= included.broken;
            self.steps.extend(included.steps);
            return Ok(());
        }
        if include::is_meant(&word, input) {
            self.lost_steps = true;
            let message = "expected shared steps: `include name(parameter => Next);`";
            return Err(syn::Error::new(word.span(), message));
        }
        if !docs.is_empty() {
            diagnostics
                .error(docs, "a doc comment belongs in front of the recipe or one of its steps");
        }
        self.keys.push(word.clone());
        let is_known = Self::FIELDS.iter().any(|field| word == field);
        let is_arrow = matches!(marks(input).as_str(), "=>" | "->");
        if is_known && is_arrow {
            diagnostics.error_at(input.span(), format!("write `{word}: …`, with a colon"));
            skip_marks(input);
        } else if !colon(&word, is_known, input, diagnostics) {
            // Perhaps a step begins here.
            self.lost_steps |= !is_known;
            if syn::parse_str::<Ident>(&word.to_string()).is_err() {
                // A Rust item: step over its name, or a field would seem to begin there.
                let _ = input.parse::<TokenTree>();
            }
            if is_known {
                let message = format!("expected `:` and a value after `{word}`");
                return Err(syn::Error::new(word.span(), message));
            }
            let message = format!(
                "expected a field or a step; `{word}` is neither: write `{word}: value,` or `step {word} {{ … }}`"
            );
            return Err(syn::Error::new(word.span(), message));
        }
        self.field(word, input, diagnostics);
        Ok(())
    }

    fn field(&mut self, key: Ident, input: ParseStream<'_>, diagnostics: &mut Diagnostics) {
        match key.to_string().as_str() {
            "id" => self.id.read(key, input, diagnostics, |input| text(input, "the recipe's id")),
            "label" => {
                self.label.read(key, input, diagnostics, |input| text(input, "the recipe's label"));
            }
            "model" => {
                self.model.read(key, input, diagnostics, |input| text(input, "a model's name"));
            }
            "tools" => self.tools.read(key, input, diagnostics, tools),
            "scope" => {
                let scope = FileScope::parse(input, diagnostics);
                self.scope.read(key, input, diagnostics, |_| scope);
            }
            "allow_lockfiles" => {
                self.allow_lockfiles
                    .read(key, input, diagnostics, |input| switch(input, "allow_lockfiles"));
            }
            "needs" => self.needs.read(key, input, diagnostics, needs),
            "isolate" => {
                self.isolate.read(key, input, diagnostics, |input| switch(input, "isolate"));
            }
            "initial" => {
                let name = first_step(input, diagnostics);
                self.initial.read(key, input, diagnostics, |_| name);
            }
            "exits" => self.exits.read(key, input, diagnostics, |input| {
                input
                    .call(Path::parse_mod_style)
                    .map_err(|_| input.error("expected the name of an enum of exit reasons"))
            }),
            "derive" => self.derive.read(key, input, diagnostics, derives),
            "guardrails" => {
                let entries = guardrails::parse(input, diagnostics);
                self.guardrails.read(key, input, diagnostics, |_| entries);
            }
            "proves" => {
                let claims = claims(input, diagnostics);
                self.proves.read(key, input, diagnostics, |_| claims);
            }
            _ => {
                self.unknown.push(Unknown::new(key, &Self::FIELDS));
                skip_item(input);
            }
        }
    }
}

/// Reads the name of the first step; what authors write around it is reported.
fn first_step(input: ParseStream<'_>, diagnostics: &mut Diagnostics) -> syn::Result<Ident> {
    let form = |name: &Ident| format!("write the name of the step alone: `initial: {name}`");
    if let Some(name) = unquoted(input, diagnostics, form) {
        return Ok(name);
    }
    if starts_item(input) {
        return Err(input.error("expected the name of the first step"));
    }
    let first = input
        .call(Ident::parse_any)
        .map_err(|_| input.error("expected the name of the first step"))?;
    let mut name = first.clone();
    while input.peek(Token![::]) || name == "step" && input.peek(Ident::peek_any) {
        input.parse::<Option<Token![::]>>()?;
        name = input.call(Ident::parse_any)?;
    }
    if name != first {
        diagnostics.error(first, form(&name));
    }
    Ok(name)
}

/// Reports what stands behind the block of a recipe, or of shared steps.
pub(super) fn nothing_behind(
    input: ParseStream<'_>,
    what: &str,
    called: &str,
    diagnostics: &mut Diagnostics,
) {
    if input.peek(Token![;]) || input.peek(Token![,]) {
        diagnostics.error_at(input.span(), format!("remove this: the {what} ends here"));
        return;
    }
    let message = format!("expected the end: each {what} has a `{called}` block of its own");
    diagnostics.error_at(input.span(), message);
}

fn switch(input: ParseStream<'_>, key: &str) -> syn::Result<LitBool> {
    if !input.peek(LitBool) {
        return Err(input.error(format!("`{key}` is `true` or `false`")));
    }
    input.parse()
}
