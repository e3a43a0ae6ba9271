//! Guardrails are known, written once, and make sense.

use std::collections::HashMap;

use proc_macro2::Ident;
use syn::LitInt;

use super::time;
use crate::diagnostic::Diagnostics;
use crate::resolve::{GUARDRAILS, REVIEW_ROUNDS, Resolved, Target, VERIFY_TIME};
use crate::spelling;
use crate::syntax::{Entry, Value};

/// The only guardrail that is not a number.
const SWITCH: &str = "exit_on_other";

pub(super) fn check(recipe: &Resolved, diagnostics: &mut Diagnostics) {
    let entries = recipe.written.guardrails.value().map_or(&[][..], Vec::as_slice);
    let mut seen = HashMap::new();
    for entry in entries {
        let key = &entry.key;
        if let Some(first) = seen.get(&key.to_string()) {
            let message = format!("guardrail `{key}` is written twice; keep one of them");
            diagnostics.error_and(key, message, first, "first_written_here");
        } else {
            seen.insert(key.to_string(), key);
            sensible(entry, diagnostics);
        }
    }
    visits_within_total(entries, diagnostics);
    restarts_are_bounded(recipe, diagnostics);
    verify_is_there(recipe, entries, diagnostics);
    findings_are_there(recipe, entries, diagnostics);
}

fn sensible(Entry { key, value }: &Entry, diagnostics: &mut Diagnostics) {
    let name = key.to_string();
    if !GUARDRAILS.contains(&name.as_str()) {
        if matches!(value, Value::Broken) {
            // Half a line, which was already reported.
            return;
        }
        let advice = spelling::advice(&name, GUARDRAILS, "the guardrails are");
        diagnostics.error(key, format!("there is no guardrail `{key}`{advice}"));
        return;
    }
    if name == VERIFY_TIME {
        match value {
            Value::Number(limit) => time::check(VERIFY_TIME, limit, diagnostics),
            Value::Switch(switch) => {
                diagnostics.error(switch, format!("`{key}` is a time, e.g. `{key}: 30m`"));
            }
            Value::Broken => {}
        }
        return;
    }
    match (value, name == SWITCH) {
        (Value::Broken, _) | (Value::Switch(_), true) => {}
        (Value::Number(number), true) => {
            diagnostics.error(number, format!("`{key}` is `true` or `false`"));
        }
        (Value::Switch(switch), false) => {
            diagnostics.error(switch, format!("`{key}` is a whole number, e.g. `{key}: 3`"));
        }
        (Value::Number(number), false) if ["s", "m", "h"].contains(&number.suffix()) => {
            let count = number.base10_digits();
            diagnostics.error(
                number,
                format!("`{key}` is a number and not a time: write `{key}: {count}`"),
            );
        }
        (Value::Number(number), false) => match number.base10_parse::<u32>() {
            Ok(1..) => {}
            Err(_) if !number.base10_digits().starts_with('-') => {
                diagnostics.error(number, format!("`{key}` is at most {}", u32::MAX));
            }
            Ok(0) | Err(_) => {
                let message =
                    format!("`{key}` must be at least 1, or the recipe could not {}", purpose(key));
                diagnostics.error(number, message);
            }
        },
    }
}

fn purpose(key: &Ident) -> &'static str {
    match key.to_string().as_str() {
        "max_restarts" => "restart",
        REVIEW_ROUNDS => "have anything reviewed",
        _ => "take its first step",
    }
}

fn visits_within_total(entries: &[Entry], diagnostics: &mut Diagnostics) {
    let (Some(visits), Some(total)) =
        (number(entries, "max_step_visits"), number(entries, "max_total_steps"))
    else {
        return;
    };
    if let (Ok(most), Ok(all)) = (visits.base10_parse::<u32>(), total.base10_parse::<u32>())
        && most > all
        && all > 0
    {
        let message = format!(
            "`max_step_visits` ({most}) could never be reached within `max_total_steps` ({all}); lower it or raise the total"
        );
        diagnostics.error_and(visits, message, total, "the_total_is_here");
    }
}

fn number<'a>(entries: &'a [Entry], name: &str) -> Option<&'a LitInt> {
    entries.iter().find(|entry| entry.key == name).and_then(|entry| match &entry.value {
        Value::Number(number) => Some(number),
        Value::Switch(_) | Value::Broken => None,
    })
}

fn restarts_are_bounded(recipe: &Resolved, diagnostics: &mut Diagnostics) {
    if recipe.limits.max_restarts.is_some() || recipe.written.has_unread_guardrails() {
        return;
    }
    let mut outcomes = recipe.steps.iter().flat_map(|step| &step.outcomes);
    let restart = outcomes.find_map(|outcome| match &outcome.target {
        Target::Restart(path) => Some(path),
        _ => None,
    });
    if let Some(path) = restart {
        let message = format!(
            "nothing bounds how often recipe `{}` restarts: add `max_restarts: 50` to its guardrails",
            recipe.written.name
        );
        diagnostics.error(path, message);
    }
}

fn verify_is_there(recipe: &Resolved, entries: &[Entry], diagnostics: &mut Diagnostics) {
    let may_verify =
        recipe.written.broken || recipe.steps.iter().any(|step| step.written.has_verify());
    if let Some(entry) = entries.iter().find(|entry| entry.key == VERIFY_TIME)
        && !may_verify
    {
        let key = &entry.key;
        diagnostics
            .error(key, format!("no step has `verify`, so `{key}` bounds nothing: remove it"));
    }
}

fn findings_are_there(recipe: &Resolved, entries: &[Entry], diagnostics: &mut Diagnostics) {
    let may_carry = recipe.written.broken || recipe.steps.iter().any(|step| step.written.carries());
    if let Some(entry) = entries.iter().find(|entry| entry.key == REVIEW_ROUNDS)
        && !may_carry
    {
        let key = &entry.key;
        let message = format!(
            "nothing carries findings: write `IssuesFound(findings) => …` in a review, or remove `{key}`"
        );
        diagnostics.error(key, message);
    }
}
