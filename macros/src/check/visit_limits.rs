//! The limits of a visit are numbers that mean something, belong to a step that can have them, and
//! lead somewhere else.

use syn::{Lit, LitInt};

use super::{limit_target, time};
use crate::diagnostic::Diagnostics;
use crate::resolve::{NumberFlaw, Resolved, dollars, retries};
use crate::syntax::{Next, Step, VisitLimit};

pub(super) fn check(recipe: &Resolved, diagnostics: &mut Diagnostics) {
    for (index, step) in recipe.steps.iter().enumerate() {
        if !step.written.shared {
            check_step(&step.written, diagnostics);
        }
        for (limit, target) in &step.after_limits {
            let written = written(&step.written, *limit);
            limit_target::check(recipe, index, &written, target, diagnostics);
        }
    }
}

/// The rule for one step: a recipe's, or a shared one.
pub(super) fn check_step(step: &Step, diagnostics: &mut Diagnostics) {
    let name = &step.name;
    if let Some(limit) = step.time.value() {
        time::check("time", &limit.value, diagnostics);
    }
    // The rule about commands reports these in a command step.
    if !step.is_command() {
        if let Some(limit) = step.retries.value() {
            check_retries(&limit.value, diagnostics);
        }
        if let Some(limit) = step.budget_usd.value() {
            check_budget(&limit.value, diagnostics);
        }
    }
    for (limit, next) in step.after_limits() {
        if let Next::Step(target) = next
            && target == name
        {
            let message = format!(
                "the {} of `{name}` cannot lead to `{name}` itself: name another step, or `exit Reason`",
                limit.words()
            );
            diagnostics.error(target, message);
        }
    }
}

fn check_retries(number: &LitInt, diagnostics: &mut Diagnostics) {
    let digits = number.base10_digits();
    let message = match retries(number) {
        Ok(_) => return,
        Err(NumberFlaw::Suffix) => format!("`retries` is a number: write `retries: {digits}`"),
        Err(NumberFlaw::TooSmall) => {
            "`retries` is at least 0: the agent is then never asked again".to_owned()
        }
        Err(NumberFlaw::TooLarge) => format!("`retries` is at most {}", u32::MAX),
    };
    diagnostics.error(number, message);
}

fn check_budget(amount: &Lit, diagnostics: &mut Diagnostics) {
    let message = match dollars(amount) {
        Ok(_) => return,
        Err(NumberFlaw::Suffix) => {
            "`budget_usd` is a number of US dollars: write it without a unit, e.g. `1.50`"
        }
        Err(NumberFlaw::TooSmall) => {
            "`budget_usd` must be at least 0.01, or no agent could do anything in the step"
        }
        Err(NumberFlaw::TooLarge) => "`budget_usd` is at most 1000000",
    };
    diagnostics.error(amount, message);
}

/// A limit as its author wrote it.
fn written(step: &Step, limit: VisitLimit) -> String {
    let value = match limit {
        VisitLimit::Time => step.time.value().map(|limit| limit.value.to_string()),
        VisitLimit::Retries => step.retries.value().map(|limit| limit.value.to_string()),
        VisitLimit::Budget => step.budget_usd.value().map(|limit| match &limit.value {
            Lit::Float(amount) => amount.to_string(),
            Lit::Int(amount) => amount.to_string(),
            _ => String::new(),
        }),
    };
    format!("{}: {}", limit.field(), value.unwrap_or_default())
}
