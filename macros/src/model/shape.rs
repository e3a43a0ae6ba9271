//! Which items come out of a recipe, also out of a broken one.

use std::collections::HashSet;

use proc_macro2::{Ident, Span};
use quote::format_ident;
use syn::Path;

use super::{Exit, Files, Next, Outcome, Prompt, Restart, Run, Shape, Step};
use crate::check::{self, Hints, Reserved};
use crate::resolve::{self, Initial, Resolved, Target};
use crate::spelling;
use crate::syntax::Docs;

impl Shape {
    /// `None` where there is no step to generate, or no name to generate it under.
    pub(crate) fn new(recipe: &Resolved) -> Option<Self> {
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
            files: files(recipe),
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
    pub(super) fn is_whole(&self, recipe: &Resolved) -> bool {
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
            let (evidence, findings) = (outcome.evidence.clone(), outcome.findings);
            outcomes.push(Outcome { name, wire, docs, method, next, evidence, findings });
        }
        let asks = !step.written.is_command();
        let tools = step.tools.as_ref().or(recipe.tools.as_ref()).filter(|_| asks);
        let model = step.written.model.value().or(recipe.written.model.value()).filter(|_| asks);
        Step {
            name: step.name().clone(),
            wire: step.wire.clone(),
            docs: step.written.docs.clone(),
            model: model.map(syn::LitStr::value),
            prompt: prompt(&step.prompt),
            tools: tools.map(|tools| tools.known.clone()),
            verify: if asks { step.verify.clone() } else { Vec::new() },
            run: step.run.clone().map(|(command, time)| Run { command, time }),
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

fn files(recipe: &Resolved) -> Files {
    let written = &recipe.written;
    let holds = |switch: Option<&syn::LitBool>| switch.is_some_and(syn::LitBool::value);
    Files {
        allow: recipe.scope.allow.known.clone(),
        deny: recipe.scope.deny.known.clone(),
        allow_lockfiles: holds(written.allow_lockfiles.value()),
        clean_tree: written.needs.value().into_iter().flatten().any(|need| need == "clean_tree"),
        isolate: holds(written.isolate.value()),
    }
}

fn prompt(known: &resolve::Prompt) -> Prompt {
    match known {
        resolve::Prompt::Good(prompt) | resolve::Prompt::Empty { prompt, .. } => {
            Prompt::Written(prompt.clone())
        }
        resolve::Prompt::Unseen(prompt) => Prompt::Asserted(prompt.clone()),
        // A file that is not there has been reported; asking the compiler for it would report it again.
        resolve::Prompt::NoFile { .. }
        | resolve::Prompt::Missing
        | resolve::Prompt::Unread
        | resolve::Prompt::Command => Prompt::Stub,
    }
}

fn type_name(step: &Ident, suffix: &str) -> Ident {
    format_ident!("{}{suffix}", spelling::camel(step), span = step.span())
}

fn phantom(name: &Ident) -> Step {
    Step {
        wire: spelling::wire(name),
        docs: Docs::default(),
        model: None,
        prompt: Prompt::Stub,
        tools: None,
        verify: Vec::new(),
        run: None,
        outcomes: Vec::new(),
        outcome_enum: type_name(name, "Outcome"),
        next_enum: type_name(name, "Next"),
        name: Ident::new(&name.to_string(), name.span().resolved_at(Span::call_site())),
    }
}
