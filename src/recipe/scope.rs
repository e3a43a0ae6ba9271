//! What a recipe's generated module needs from the scope in which the recipe is defined.
//!
//! A module cannot name the items around it when the recipe is defined inside a function. So
//! `recipe!` implements these traits in the outer scope, on the module's `Step`, and the module
//! gets its prompts, tools, exits and restart targets through them.

use super::classify::ALIASES;
use super::erased::{NextOutline, Outline};
use super::exit_reason::ExitReason;
use super::ledger::Visits;
use super::registry::{AnyReason, Registry};
use super::tool::Tool;
use super::typed::Recipe;

/// The author's expressions, evaluated where the author wrote them.
pub trait Scope {
    /// The recipe itself.
    type Recipe: Recipe<Visits = Self::Visits>;
    /// The registry that its exits belong to.
    type Exits: Registry;
    /// One counter per step.
    type Visits: Visits;
    /// One prompt per step.
    const PROMPTS: &'static [&'static str];
    /// The tools of each step, if its author listed any.
    const TOOLS: &'static [Option<&'static [Tool]>];
    /// One reason per outcome that exits.
    const EXITS: &'static [AnyReason];
}

/// The `INDEX`th recipe that a recipe restarts.
pub trait RestartTarget<const INDEX: usize> {
    /// That recipe.
    type Target: Recipe;
}

/// A step as a type: the `S` of `At<S>`.
pub trait Place {
    /// The index of the step among the recipe's steps.
    const INDEX: usize;
}

/// Whether two ids are the same, at compile time.
#[must_use]
pub const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut index = 0;
    while index < a.len() {
        if a[index] != b[index] {
            return false;
        }
        index += 1;
    }
    true
}

/// Whether a prompt is blank, at compile time.
#[must_use]
pub const fn blank(prompt: &str) -> bool {
    prompt.trim_ascii().is_empty()
}

/// Whether a code belongs to the standard registry or once did, at compile time.
#[must_use]
pub const fn standard(code: &str) -> bool {
    let definitions = <ExitReason as Registry>::DEFINITIONS;
    let mut index = 0;
    while index < definitions.len() {
        if same(definitions[index].code, code) {
            return true;
        }
        index += 1;
    }
    let mut index = 0;
    while index < ALIASES.len() {
        if same(ALIASES[index].0, code) {
            return true;
        }
        index += 1;
    }
    false
}

/// Whether all recipes that a recipe restarts are among these ids, at compile time.
#[must_use]
pub const fn offers_restarts(outline: &Outline, ids: &[&str]) -> bool {
    let mut step = 0;
    while step < outline.steps.len() {
        let outcomes = outline.steps[step].outcomes;
        let mut outcome = 0;
        while outcome < outcomes.len() {
            if let NextOutline::Restart { id, .. } = outcomes[outcome].next
                && !contains(ids, id)
            {
                return false;
            }
            outcome += 1;
        }
        step += 1;
    }
    true
}

const fn contains(ids: &[&str], wanted: &str) -> bool {
    let mut index = 0;
    while index < ids.len() {
        if same(ids[index], wanted) {
            return true;
        }
        index += 1;
    }
    false
}
