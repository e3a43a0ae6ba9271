//! Names can be generated, and don't collide with generated names.

use std::collections::{HashMap, HashSet};

use proc_macro2::Ident;
use syn::Path;
use syn::ext::IdentExt;

use crate::diagnostic::Diagnostics;
use crate::resolve::{Resolved, Step, Target};
use crate::spelling;

/// Types that the recipe's module has in addition to its steps.
const TYPES: [&str; 5] = ["Step", "At", "AnyStep", "End", "Exit"];
/// Methods that `At` has in addition to its outcomes.
const METHODS: [&str; 2] = ["on", "position"];

pub(super) fn check(recipe: &Resolved, diagnostics: &mut Diagnostics) {
    let reserved = Reserved::new(recipe);
    recipe_name(&recipe.written.name, &reserved, diagnostics);
    for (_, step) in recipe.distinct_steps() {
        let name = step.name();
        if is_unusable(name) {
            diagnostics.error(name, unusable(name, "step"));
        } else if let Some(what) = reserved.taken(name) {
            diagnostics.error(name, format!("a step cannot be called `{name}`: {what}; rename it"));
        }
    }
    restart_targets(recipe, &reserved, diagnostics);
    for (step, outcome) in
        recipe.steps.iter().flat_map(|step| step.outcomes.iter().map(move |it| (step, it)))
    {
        let name = &outcome.name;
        let method = spelling::snake(name).filter(|_| !is_unusable(name));
        match method {
            None => diagnostics.error(name, unusable(name, "outcome")),
            Some(method) if is_reserved_outcome(name) => diagnostics.error(
                name,
                format!(
                    "an outcome cannot be called `{name}`: `At` has the method `{method}` already; rename it"
                ),
            ),
            Some(method) if is_method_of_a_limit(step, &method) => diagnostics.error(
                name,
                format!(
                    "an outcome cannot be called `{name}` here: a limit of step `{}` has the method `{method}` already; rename it",
                    step.name()
                ),
            ),
            Some(_) => {}
        }
    }
}

/// Whether a limit of the step that leads somewhere has a method of this name.
fn is_method_of_a_limit(step: &Step, method: &Ident) -> bool {
    step.after_limits.iter().any(|(limit, _)| method == limit.method())
}

/// A restarted recipe is named by the last segment of its path, so two of them cannot share it.
fn restart_targets(recipe: &Resolved, reserved: &Reserved<'_>, diagnostics: &mut Diagnostics) {
    let mut seen: HashMap<String, &Path> = HashMap::new();
    for outcome in recipe.steps.iter().flat_map(|step| &step.outcomes) {
        let Target::Restart(path) = &outcome.target else { continue };
        let Some(last) = path.segments.last().map(|segment| segment.ident.to_string()) else {
            continue;
        };
        if let Some(what) = path.segments.last().and_then(|last| reserved.generated(&last.ident)) {
            let message = format!(
                "a recipe called `{last}` cannot be restarted here: {what}; rename it with `use … as …`"
            );
            diagnostics.error(path, message);
        }
        let first = *seen.entry(last.clone()).or_insert(path);
        if first != path {
            let message = format!(
                "two recipes called `{last}` are restarted; write both with one path, or rename one with `use … as …`"
            );
            diagnostics.error_and(path, message, first, "the_other_one");
        }
    }
}

/// Whether an outcome of this name cannot be generated.
pub(crate) fn is_reserved_outcome(name: &Ident) -> bool {
    match spelling::snake(name) {
        Some(method) => is_unusable(name) || METHODS.contains(&method.to_string().as_str()),
        None => true,
    }
}

/// The names that steps of this recipe cannot have.
pub(crate) struct Reserved<'a> {
    recipe: &'a Ident,
    /// The recipes that it restarts.
    restarts: HashSet<String>,
    /// The steps by the prefix of their types' names.
    steps: HashMap<String, &'a Ident>,
    /// The same for the steps whose limit leads somewhere.
    limited: HashSet<String>,
}

impl<'a> Reserved<'a> {
    pub(crate) fn new(recipe: &'a Resolved) -> Self {
        let restarts = recipe.steps.iter().flat_map(|step| &step.outcomes);
        let restarts = restarts.filter_map(|outcome| match &outcome.target {
            Target::Restart(path) => path.segments.last().map(|segment| segment.ident.to_string()),
            _ => None,
        });
        Self {
            recipe: &recipe.written.name,
            restarts: restarts.collect(),
            steps: recipe
                .distinct_steps()
                .map(|(_, step)| (spelling::camel(step.name()), step.name()))
                .collect(),
            limited: recipe
                .distinct_steps()
                .filter(|(_, step)| step.when_full.is_some())
                .map(|(_, step)| spelling::camel(step.name()))
                .collect(),
        }
    }

    /// Whether the recipe itself cannot be generated under its name.
    pub(crate) fn has_recipe(&self) -> bool {
        is_unusable(self.recipe) || self.generated(self.recipe).is_some()
    }

    /// Whether a recipe of this name cannot be restarted.
    pub(crate) fn has_restart(&self, name: &Ident) -> bool {
        self.generated(name).is_some()
    }

    /// Whether a step of this name cannot be generated.
    pub(crate) fn has(&self, name: &Ident) -> bool {
        is_unusable(name) || self.taken(name).is_some()
    }

    /// What already has this name that a step was given.
    fn taken(&self, name: &Ident) -> Option<String> {
        let text = name.unraw().to_string();
        if self.recipe.unraw() == text {
            return Some("that is the recipe's name".to_owned());
        }
        if self.restarts.contains(&text) {
            return Some("a recipe that it restarts has that name".to_owned());
        }
        self.generated(name)
    }

    /// Which generated type already has this name.
    fn generated(&self, name: &Ident) -> Option<String> {
        let text = name.unraw().to_string();
        if TYPES.contains(&text.as_str()) {
            return Some(format!("the recipe's module has a type `{name}` already"));
        }
        let entry = text.strip_suffix("Entry").filter(|owner| self.limited.contains(*owner));
        let owner = text.strip_suffix("Outcome").or_else(|| text.strip_suffix("Next")).or(entry)?;
        let owner = self.steps.get(owner)?;
        Some(format!("step `{owner}` has a type of that name already"))
    }
}

fn recipe_name(name: &Ident, reserved: &Reserved<'_>, diagnostics: &mut Diagnostics) {
    if is_unusable(name) {
        diagnostics.error(name, unusable(name, "recipe"));
        return;
    }
    if let Some(what) = reserved.generated(name) {
        diagnostics.error(name, format!("a recipe cannot be called `{name}`: {what}; rename it"));
        return;
    }
    match spelling::snake(name) {
        None => {
            let module = spelling::wire(name);
            let message = format!(
                "a recipe cannot be called `{name}`: its module would be `{module}`, and Rust keeps that word for itself"
            );
            diagnostics.error(name, message);
        }
        Some(module) if module == *name => {
            let camel = spelling::camel(name);
            let better = if *name == camel {
                "start it with a capital letter".to_owned()
            } else {
                format!("call it `{camel}`")
            };
            diagnostics.error(
                name,
                format!("a recipe is a type, and `{name}` is the name of its module: {better}"),
            );
        }
        Some(_) => {}
    }
}

/// Keywords, names made of nothing but underscores, and names that would start with a digit without
/// them.
fn is_unusable(name: &Ident) -> bool {
    let keyword = !spelling::is_identifier(&name.to_string());
    keyword
        || !spelling::is_identifier(&format!("{}Outcome", spelling::camel(name)))
        || spelling::wire(name).is_empty()
}

fn unusable(name: &Ident, what: &str) -> String {
    let text = name.to_string();
    let keyword = !spelling::is_identifier(&text);
    if keyword && spelling::is_identifier(&format!("r#{text}")) {
        return format!("`{name}` is a keyword: write `r#{name}`, or give the {what} another name");
    }
    let article = if what.starts_with('o') { "an" } else { "a" };
    let wire = spelling::wire(name);
    let why = if wire.is_empty() {
        "it has no letters".to_owned()
    } else if keyword {
        "Rust keeps that word for itself".to_owned()
    } else if wire.starts_with(|first: char| first.is_numeric()) {
        "without its underscores it starts with a digit".to_owned()
    } else {
        format!("its method would be `{wire}`, and Rust keeps that word for itself")
    };
    format!("`{name}` cannot be the name of {article} {what}: {why}; rename it")
}
