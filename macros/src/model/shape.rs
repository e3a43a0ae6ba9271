//! Which items are generated for a recipe, even for a broken one.

use std::collections::HashSet;

use proc_macro2::Ident;
use quote::format_ident;
use syn::Path;

use super::{
    AfterLimit, Exit, Files, Needs, Next, Outcome, Prompt, Restart, Run, Shape, Step,
    WrittenRecipe, WrittenStep,
};
use crate::check::{self, Hints, Reserved};
use crate::place;
use crate::resolve::{self, CLEAN_TREE, Initial, Resolved, TASK, Target, VisitLimits};
use crate::spelling;
use crate::syntax::{self, Docs};

impl Shape {
    /// `None` if there is no step to generate, or no valid name for the recipe.
    pub(crate) fn new(recipe: &Resolved) -> Option<Self> {
        let module = spelling::snake(&recipe.written.name)
            .filter(|module| *module != recipe.written.name)?;
        let reserved = Reserved::new(recipe);
        if reserved.has_recipe() {
            return None;
        }
        // Collisions of names were already reported; the first one gets the types.
        let mut types = HashSet::new();
        let kept = recipe.distinct_steps().filter(|(_, step)| {
            !reserved.has(step.name()) && types.insert(spelling::camel(step.name()))
        });
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
            name: spelling::defined(&recipe.written.name),
            module: spelling::defined(&module),
            id: recipe.id.clone(),
            label: recipe.label.clone(),
            description: description(&recipe.written.docs, &recipe.label),
            model: recipe.written.model.value().map(syn::LitStr::value),
            limits: recipe.limits,
            files: files(recipe),
            initial: 0,
            initial_at: None,
            steps: Vec::new(),
            exits: Vec::new(),
            restarts: Vec::new(),
            registry: recipe.written.exits.value().cloned(),
            derive: derives(recipe),
            written: WrittenRecipe {
                fields: recipe.written.keys.clone(),
                guardrails: recipe.written.guardrail_keys(),
                steps: recipe.written.named_steps().cloned().collect(),
                reasons: recipe.written.reasons().collect(),
            },
        };
        for index in &kept {
            let step = shape.step(recipe, *index, kept.len(), &mut places);
            shape.steps.push(step);
        }
        shape.steps.extend(places.phantoms.iter().map(phantom));
        (shape.initial, shape.initial_at) = match recipe.initial {
            Initial::Step { index, at } => {
                places.kept[index].map_or((0, None), |place| (place, Some(at)))
            }
            Initial::Unknown { meant: Some(index) } => (places.kept[index].unwrap_or(0), None),
            Initial::Unknown { meant: None } | Initial::Missing => (0, None),
        };
        (!shape.steps.is_empty()).then_some(shape)
    }

    /// Whether everything that was written is generated.
    pub(super) fn is_whole(&self, recipe: &Resolved) -> bool {
        let outcomes = |step: &Step| step.outcomes.len();
        let written = recipe.steps.iter().map(|step| step.outcomes.len());
        self.steps.iter().map(outcomes).eq(written)
    }

    fn step(
        &mut self,
        recipe: &Resolved,
        index: usize,
        kept: usize,
        places: &mut Places<'_>,
    ) -> Step {
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
            let is_stray = place >= step.outcomes.len();
            let at = is_stray.then(place::here);
            let name = spelling::defined(&spelling::at(&outcome.name, at));
            let method = spelling::defined(&spelling::at(&method, at));
            let (wire, docs) = (outcome.wire.clone(), outcome.docs.clone());
            let (evidence, findings) = (outcome.evidence.clone(), outcome.findings);
            let was = outcome.was.clone();
            let (mapped_at, target_at) = (outcome.mapped_at, outcome.target.named_at());
            outcomes.push(Outcome {
                name,
                wire,
                docs,
                method,
                mapped_at,
                next,
                target_at,
                evidence,
                findings,
                was,
            });
        }
        let when_full = step.when_full.as_ref();
        let when_full = when_full.and_then(|target| self.after_limit(target, index, kept, places));
        let limits = step.after_limits.iter().filter_map(|(limit, target)| {
            let next = self.after_limit(target, index, kept, places)?;
            Some(AfterLimit { limit: *limit, next, at: target.named_at() })
        });
        let after_limits = limits.collect();
        let asks = !step.written.is_command();
        let tools = step.tools.as_ref().or(recipe.tools.as_ref()).filter(|_| asks);
        let model = step.written.model.value().or(recipe.written.model.value()).filter(|_| asks);
        Step {
            name: spelling::defined(step.name()),
            wire: step.wire.clone(),
            docs: step.written.docs.clone(),
            model: model.map(syn::LitStr::value),
            prompt: prompt(&step.prompt),
            tools: tools.map(|tools| tools.known.clone()),
            verify: if asks { step.verify.clone() } else { Vec::new() },
            run: step.run.clone().map(|(command, time)| Run { command, time }),
            max_visits: step.max_visits,
            when_full,
            when_full_at: step.when_full.as_ref().and_then(Target::named_at),
            visit_limits: step.visit_limits,
            after_limits,
            was: step.was.clone(),
            outcomes,
            outcome_enum: type_name(step.name(), "Outcome"),
            next_enum: type_name(step.name(), "Next"),
            entry_enum: type_name(step.name(), "Entry"),
            written: written(&recipe.written, &step.written),
        }
    }

    /// Where a limit of the step at this index leads. A target that was reported is left out.
    fn after_limit(
        &mut self,
        target: &Target,
        index: usize,
        kept: usize,
        places: &mut Places<'_>,
    ) -> Option<Next> {
        match target {
            target @ Target::Exit(_) => Some(self.next(target, kept, places)),
            target => {
                let other = target.step().filter(|other| *other != index)?;
                places.kept[other].map(Next::Step)
            }
        }
    }

    fn next(&mut self, target: &Target, kept: usize, places: &mut Places<'_>) -> Next {
        match target {
            Target::Step { index, .. }
            | Target::RestartedStep { index, .. }
            | Target::Unknown { meant: Some(index), .. } => match places.kept[*index] {
                Some(place) => Next::Step(place),
                None => self.exit(Exit::StandardOther),
            },
            // A step that does not exist becomes a stub, for the author's code that uses it.
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
    /// The step that an outcome without a target was probably meant to lead to: the author's code
    /// may continue from there.
    hints: Hints,
    /// For each resolved step its index, unless it cannot be generated.
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

/// The first sentence of the doc comment, without its full stop; it is shown in lists.
fn description(docs: &Docs, label: &str) -> String {
    let text = docs.first_paragraph();
    let text = text.strip_suffix('.').unwrap_or(&text).to_owned();
    if text.is_empty() { label.to_owned() } else { text }
}

/// The traits without a flaw: the compiler would report the others once more.
fn derives(recipe: &Resolved) -> Vec<Path> {
    let paths = recipe.written.derive.value().map_or(&[][..], Vec::as_slice);
    let sound = (0..paths.len()).filter_map(|index| resolve::judge_derive(paths, index).ok());
    sound.cloned().collect()
}

fn files(recipe: &Resolved) -> Files {
    let written = &recipe.written;
    let holds = |switch: Option<&syn::LitBool>| switch.is_some_and(syn::LitBool::value);
    let needs = |word: &str| written.needs.value().into_iter().flatten().any(|need| need == word);
    Files {
        allow: recipe.scope.allow.known.clone(),
        deny: recipe.scope.deny.known.clone(),
        allow_lockfiles: holds(written.allow_lockfiles.value()),
        needs: Needs { clean_tree: needs(CLEAN_TREE), task: needs(TASK) },
        isolate: holds(written.isolate.value()),
    }
}

fn prompt(known: &resolve::Prompt) -> Prompt {
    match known {
        resolve::Prompt::Good(prompt) | resolve::Prompt::Empty { prompt, .. } => {
            Prompt::Written(prompt.clone())
        }
        resolve::Prompt::Unseen(prompt) => Prompt::Asserted(prompt.clone()),
        // A missing file was already reported; the compiler would report it again.
        resolve::Prompt::NoFile { .. }
        | resolve::Prompt::Missing
        | resolve::Prompt::Unread
        | resolve::Prompt::Command => Prompt::Stub,
    }
}

/// The names in a step, and its outcomes that claims name. Included steps are named in `steps!`,
/// where an editor finds nothing here.
fn written(recipe: &syntax::Recipe, step: &syntax::Step) -> WrittenStep {
    let claimed = recipe.claimed_outcomes(&step.name).cloned();
    if step.shared {
        return WrittenStep { outcomes: claimed.collect(), ..WrittenStep::default() };
    }
    let targets = step.nexts().filter_map(|next| match next {
        syntax::Next::Step(name) => Some(name.clone()),
        syntax::Next::Exit(_) | syntax::Next::Restart(_) => None,
    });
    let renamed = step.was.value().into_iter().flatten();
    let renamed = renamed.filter_map(|former| former.outcome.clone());
    let mapped = step.mappings.iter().map(|mapping| mapping.outcome.clone());
    WrittenStep {
        fields: step.keys.clone(),
        outcomes: mapped.chain(renamed).chain(claimed).collect(),
        targets: targets.collect(),
    }
}

fn type_name(step: &Ident, suffix: &str) -> Ident {
    spelling::defined(&format_ident!("{}{suffix}", spelling::camel(step), span = step.span()))
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
        max_visits: None,
        when_full: None,
        when_full_at: None,
        visit_limits: VisitLimits::default(),
        after_limits: Vec::new(),
        was: Vec::new(),
        outcomes: Vec::new(),
        outcome_enum: type_name(name, "Outcome"),
        next_enum: type_name(name, "Next"),
        entry_enum: type_name(name, "Entry"),
        written: WrittenStep::default(),
        // Not where the author wrote it: an editor would take that for a definition.
        name: Ident::new(&name.to_string(), place::here()),
    }
}
