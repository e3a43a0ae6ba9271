//! Names can be generated, and don't collide with what is.

use proc_macro2::Ident;
use syn::ext::IdentExt;

use crate::diagnostic::Diagnostics;
use crate::resolve::{Resolved, Target};
use crate::spelling;

/// Types that the recipe's module has beside its steps.
const TYPES: [&str; 4] = ["Step", "At", "Anywhere", "Exit"];
/// Methods that `At` has beside its outcomes.
const METHODS: [&str; 2] = ["on", "position"];

pub(super) fn check(recipe: &Resolved, diagnostics: &mut Diagnostics) {
    recipe_name(&recipe.written.name, diagnostics);
    for (_, step) in recipe.distinct_steps() {
        let name = step.name();
        if is_unusable(name) {
            diagnostics.error(name, unusable(name, "step"));
        } else if let Some(what) = taken(recipe, name) {
            diagnostics.error(
                name,
                format!("a step cannot be called `{name}`: {what}; rename it"),
            );
        }
    }
    for step in &recipe.steps {
        for outcome in &step.outcomes {
            let name = &outcome.name;
            if is_unusable(name) || spelling::snake(name).is_none() {
                diagnostics.error(name, unusable(name, "outcome"));
            } else if is_reserved_outcome(name) {
                let method = spelling::snake(name).map_or_else(String::new, |method| method.to_string());
                diagnostics.error(name, format!("an outcome cannot be called `{name}`: `At` has the method `{method}` already; rename it"));
            }
        }
    }
}

/// Whether a step of this name cannot be generated.
pub(crate) fn is_reserved_step(recipe: &Resolved, name: &Ident) -> bool {
    is_unusable(name) || taken(recipe, name).is_some()
}

/// Whether an outcome of this name cannot be generated.
pub(crate) fn is_reserved_outcome(name: &Ident) -> bool {
    match spelling::snake(name) {
        Some(method) => is_unusable(name) || METHODS.contains(&method.to_string().as_str()),
        None => true,
    }
}

fn recipe_name(name: &Ident, diagnostics: &mut Diagnostics) {
    if is_unusable(name) {
        diagnostics.error(name, unusable(name, "recipe"));
    } else if spelling::snake(name).is_none_or(|module| module == *name) {
        let better = spelling::camel(name);
        diagnostics.error(
            name,
            format!("a recipe is a type, and its module is called `{name}`: name it `{better}`"),
        );
    }
}

/// What has this name already.
fn taken(recipe: &Resolved, name: &Ident) -> Option<String> {
    let text = name.unraw().to_string();
    if TYPES.contains(&text.as_str()) {
        return Some(format!("the recipe's module has a type `{name}` already"));
    }
    if *name == recipe.written.name {
        return Some("that is the recipe's name".to_owned());
    }
    if restart_targets(recipe).any(|target| *target == text) {
        return Some("a recipe that it restarts has that name".to_owned());
    }
    let owner = text
        .strip_suffix("Outcome")
        .or_else(|| text.strip_suffix("Next"))?;
    let owner = recipe
        .distinct_steps()
        .find(|(_, step)| spelling::camel(step.name()) == owner)?;
    Some(format!(
        "step `{}` has a type of that name already",
        owner.1.name()
    ))
}

fn restart_targets(recipe: &Resolved) -> impl Iterator<Item = &Ident> {
    recipe
        .steps
        .iter()
        .flat_map(|step| &step.outcomes)
        .filter_map(|outcome| match &outcome.target {
            Target::Restart(path) => path.segments.last().map(|segment| &segment.ident),
            _ => None,
        })
}

/// Keywords, and names made of nothing but underscores.
fn is_unusable(name: &Ident) -> bool {
    let keyword = syn::parse_str::<Ident>(&name.to_string()).is_err();
    keyword || spelling::wire(name).is_empty()
}

fn unusable(name: &Ident, what: &str) -> String {
    let raw = syn::parse_str::<Ident>(&format!("r#{name}"));
    if syn::parse_str::<Ident>(&name.to_string()).is_err() && raw.is_ok() {
        return format!("`{name}` is a keyword: write `r#{name}`, or give the {what} another name");
    }
    format!(
        "`{name}` cannot be the name of {}: Rust has no such name for what is generated; rename it",
        with_article(what)
    )
}

fn with_article(what: &str) -> String {
    let article = if what.starts_with('o') { "an" } else { "a" };
    format!("{article} {what}")
}
