//! The recipe as it will be generated.
//!
//! A [`Shape`] says which items there will be and can be made from any recipe, also from a broken one, so that the
//! code below it still finds them. A [`Model`] is a shape that passed every check, with what was proven about it:
//! a `Model` that exists is valid.

use std::collections::HashSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::format_ident;
use syn::ext::IdentExt;
use syn::{Expr, Path, Visibility};

use crate::check::{self, Hints, Judgement, Reserved};
use crate::diagnostic::Diagnostics;
use crate::proof::Proof;
use crate::resolve::{Initial, Limits, OTHER, Resolved, Target};
use crate::spelling;
use crate::syntax::Docs;

/// A recipe that passed every check.
pub(crate) struct Model {
    pub(crate) shape: Shape,
    pub(crate) proof: Proof,
}

impl Model {
    /// Checks the recipe; what is wrong goes to the diagnostics, and the shape remains for the stubs.
    pub(crate) fn new(recipe: &Resolved, mut diagnostics: Diagnostics) -> Result<Self, Box<Broken>> {
        check::all(recipe, &mut diagnostics);
        let shape = Shape::new(recipe);
        match shape {
            // A part that was left out has been reported; were it not, a recipe would change its meaning silently.
            Some(shape) if diagnostics.is_empty() && shape.is_whole(recipe) => {
                let proof = Proof::new(&shape);
                Ok(Self { shape, proof })
            }
            shape => {
                if diagnostics.is_empty() {
                    let name = &recipe.written.name;
                    diagnostics.error(
                        name,
                        format!("recipe `{name}` cannot be generated; please report this as a bug"),
                    );
                }
                Err(Box::new(Broken { shape, diagnostics }))
            }
        }
    }
}

/// A recipe that did not pass: what to report, and what can be generated all the same.
pub(crate) struct Broken {
    pub(crate) shape: Option<Shape>,
    pub(crate) diagnostics: Diagnostics,
}

/// The items of a recipe, named and in order.
pub(crate) struct Shape {
    pub(crate) docs: Docs,
    pub(crate) visibility: Visibility,
    pub(crate) name: Ident,
    pub(crate) module: Ident,
    pub(crate) id: String,
    pub(crate) label: String,
    pub(crate) description: String,
    pub(crate) model: Option<String>,
    pub(crate) limits: Limits,
    pub(crate) initial: usize,
    pub(crate) steps: Vec<Step>,
    /// The exit of each outcome that exits, in order; an outcome refers to it by its place here.
    pub(crate) exits: Vec<Exit>,
    /// The recipes that are restarted, each once.
    pub(crate) restarts: Vec<Restart>,
    pub(crate) registry: Option<Path>,
}

/// One step.
pub(crate) struct Step {
    pub(crate) name: Ident,
    pub(crate) wire: String,
    pub(crate) docs: Docs,
    pub(crate) model: Option<String>,
    pub(crate) prompt: Option<Expr>,
    /// Whether only the generated code can tell that the prompt says something.
    pub(crate) unseen: bool,
    pub(crate) outcomes: Vec<Outcome>,
    pub(crate) outcome_enum: Ident,
    pub(crate) next_enum: Ident,
}

/// One outcome.
pub(crate) struct Outcome {
    pub(crate) name: Ident,
    pub(crate) wire: String,
    pub(crate) docs: Docs,
    pub(crate) method: Ident,
    pub(crate) next: Next,
}

/// Where an outcome leads, by place.
#[derive(Clone, Copy)]
pub(crate) enum Next {
    Step(usize),
    Exit(usize),
    Restart(usize),
}

/// Which reason an exit has.
pub(crate) enum Exit {
    /// A variant of the recipe's registry.
    Authored(Ident),
    /// The standard one of the implied `Other`, also where a mistake leaves nothing better.
    StandardOther,
}

impl Exit {
    /// Whether it is the one that every step has without a word from the author.
    pub(crate) fn is_implied(&self) -> bool {
        matches!(self, Self::StandardOther)
    }

    pub(crate) fn name(&self) -> String {
        match self {
            Self::Authored(name) => name.to_string(),
            Self::StandardOther => "UserProvidedOther".to_owned(),
        }
    }
}

/// A recipe that is restarted.
pub(crate) struct Restart {
    pub(crate) path: Path,
    /// What it is called in the generated module.
    pub(crate) name: Ident,
}

impl Outcome {
    /// Whether it takes the agent's description: an `Other` that exits does.
    pub(crate) fn is_described(&self) -> bool {
        self.name.unraw() == OTHER && matches!(self.next, Next::Exit(_))
    }
}

impl Step {
    /// The steps and recipes that can follow, each once, in order.
    pub(crate) fn followers(&self) -> (Vec<usize>, Vec<usize>) {
        let (mut steps, mut restarts) = (Vec::new(), Vec::new());
        for outcome in &self.outcomes {
            match outcome.next {
                Next::Step(step) if !steps.contains(&step) => steps.push(step),
                Next::Restart(restart) if !restarts.contains(&restart) => restarts.push(restart),
                Next::Step(_) | Next::Restart(_) | Next::Exit(_) => {}
            }
        }
        (steps, restarts)
    }
}

impl Shape {
    /// `None` where there is no step to generate, or no name to generate it under.
    fn new(recipe: &Resolved) -> Option<Self> {
        let module = spelling::snake(&recipe.written.name).filter(|module| *module != recipe.written.name)?;
        let reserved = Reserved::new(recipe);
        if reserved.has_recipe() {
            return None;
        }
        // Names that collide have been reported; the first one gets the types.
        let mut types = HashSet::new();
        let kept = recipe
            .distinct_steps()
            .filter(|(_, step)| !reserved.has(step.name()) && types.insert(spelling::camel(step.name())));
        let kept: Vec<_> = kept.map(|(index, _)| index).collect();
        let mut places = Places {
            kept: vec![None; recipe.steps.len()],
            phantoms: Vec::new(),
            reserved: &reserved,
            hints: check::hints(recipe),
        };
        for (place, index) in kept.iter().enumerate() {
            places.kept[*index] = Some(place);
        }
        let mut shape = Self {
            docs: recipe.written.docs.clone(),
            visibility: recipe.written.visibility.clone(),
            name: recipe.written.name.clone(),
            module,
            id: recipe.id.clone(),
            label: recipe.label.clone(),
            description: description(&recipe.written.docs, &recipe.label),
            model: recipe.written.model.value().map(syn::LitStr::value),
            limits: recipe.limits,
            initial: 0,
            steps: Vec::new(),
            exits: Vec::new(),
            restarts: Vec::new(),
            registry: recipe.written.exits.value().cloned(),
        };
        for index in &kept {
            let step = shape.step(recipe, *index, kept.len(), &mut places);
            shape.steps.push(step);
        }
        shape.steps.extend(places.phantoms.iter().map(phantom));
        shape.initial = match recipe.initial {
            Initial::Step(index) | Initial::Unknown { meant: Some(index) } => places.kept[index].unwrap_or(0),
            Initial::Unknown { meant: None } | Initial::Missing => 0,
        };
        (!shape.steps.is_empty()).then_some(shape)
    }

    /// Whether everything that was written is generated.
    fn is_whole(&self, recipe: &Resolved) -> bool {
        let outcomes = |step: &Step| step.outcomes.len();
        let written = recipe.steps.iter().map(|step| step.outcomes.len());
        self.steps.iter().map(outcomes).eq(written)
    }

    fn step(&mut self, recipe: &Resolved, index: usize, kept: usize, places: &mut Places<'_>) -> Step {
        let step = &recipe.steps[index];
        let mut outcomes: Vec<Outcome> = Vec::new();
        for (place, outcome) in step.outcomes.iter().chain(&step.stray).enumerate() {
            let Some(method) = spelling::snake(&outcome.name) else {
                continue;
            };
            let collides = outcomes.iter().any(|other| other.method == method);
            if check::is_reserved_outcome(&outcome.name) || collides {
                continue;
            }
            let hint = places.hints.get(&(index, place)).and_then(|orphan| places.kept[*orphan]);
            let next = match hint {
                Some(orphan) => Next::Step(orphan),
                None => self.next(&outcome.target, kept, places),
            };
            let (name, wire, docs) = (outcome.name.clone(), outcome.wire.clone(), outcome.docs.clone());
            outcomes.push(Outcome { name, wire, docs, method, next });
        }
        let prompt = step.written.prompt.value();
        let judgement = prompt.map(check::judge);
        let missing = matches!(judgement, Some(Judgement::Missing(..)));
        Step {
            name: step.name().clone(),
            wire: step.wire.clone(),
            docs: step.written.docs.clone(),
            model: step.written.model.value().or(recipe.written.model.value()).map(syn::LitStr::value),
            // A file that is not there has been reported; asking the compiler for it would report it again.
            prompt: prompt.filter(|_| !missing).cloned(),
            unseen: matches!(judgement, Some(Judgement::Unknown)),
            outcomes,
            outcome_enum: type_name(step.name(), "Outcome"),
            next_enum: type_name(step.name(), "Next"),
        }
    }

    fn next(&mut self, target: &Target, kept: usize, places: &mut Places<'_>) -> Next {
        match target {
            Target::Step { index } | Target::Unknown { meant: Some(index), .. } => {
                match places.kept[*index] {
                    Some(place) => Next::Step(place),
                    None => self.exit(Exit::StandardOther),
                }
            }
            // A step that does not exist gets a name to stand on, for the code below that uses it.
            Target::Unknown { name, meant: None } if !places.reserved.has(name) => {
                Next::Step(kept + places.phantom(name))
            }
            Target::Exit(reason) => self.exit(Exit::Authored(reason.clone())),
            Target::Restart(path) => self.restart(path, places.reserved),
            Target::Unknown { .. } | Target::StandardOther | Target::Unmapped | Target::Broken => {
                self.exit(Exit::StandardOther)
            }
        }
    }

    fn exit(&mut self, exit: Exit) -> Next {
        self.exits.push(exit);
        Next::Exit(self.exits.len() - 1)
    }

    fn restart(&mut self, path: &Path, reserved: &Reserved<'_>) -> Next {
        let name = path.segments.last().map(|segment| segment.ident.clone());
        let Some(name) = name.filter(|name| !reserved.has_restart(name)) else {
            return self.exit(Exit::StandardOther);
        };
        let known = self.restarts.iter().position(|restart| restart.name == name);
        Next::Restart(known.unwrap_or_else(|| {
            self.restarts.push(Restart { path: path.clone(), name });
            self.restarts.len() - 1
        }))
    }

    /// The path of the enum that the recipe's exits are variants of.
    pub(crate) fn registry(&self, krate: &TokenStream) -> TokenStream {
        match &self.registry {
            Some(path) => quote::quote!(#path),
            None => quote::quote!(#krate::ExitReason),
        }
    }
}

/// Where the resolved steps end up among the generated ones.
struct Places<'a> {
    reserved: &'a Reserved<'a>,
    /// What an outcome that leads nowhere was probably meant to lead to: code below may go on from there.
    hints: Hints,
    /// For each resolved step its place, unless it cannot be generated.
    kept: Vec<Option<usize>>,
    /// Steps that are named as targets and do not exist.
    phantoms: Vec<Ident>,
}

impl Places<'_> {
    fn phantom(&mut self, name: &Ident) -> usize {
        let known = self.phantoms.iter().position(|phantom| phantom == name);
        known.unwrap_or_else(|| {
            self.phantoms.push(name.clone());
            self.phantoms.len() - 1
        })
    }
}

/// What the doc comment says first, without its full stop; it is shown in lists.
fn description(docs: &Docs, label: &str) -> String {
    let text = docs.first_paragraph();
    let text = text.strip_suffix('.').unwrap_or(&text).to_owned();
    if text.is_empty() { label.to_owned() } else { text }
}

fn type_name(step: &Ident, suffix: &str) -> Ident {
    format_ident!("{}{suffix}", spelling::camel(step), span = step.span())
}

fn phantom(name: &Ident) -> Step {
    Step {
        wire: spelling::wire(name),
        docs: Docs::default(),
        model: None,
        prompt: None,
        unseen: false,
        outcomes: Vec::new(),
        outcome_enum: type_name(name, "Outcome"),
        next_enum: type_name(name, "Next"),
        name: Ident::new(&name.to_string(), name.span().resolved_at(Span::call_site())),
    }
}
