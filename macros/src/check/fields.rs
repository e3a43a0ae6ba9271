//! A field is known, and written once.

use proc_macro2::Ident;

use crate::diagnostic::Diagnostics;
use crate::resolve::{GUARDRAILS, Resolved};
use crate::spelling;
use crate::syntax::{Recipe, Step, Unknown};

pub(super) fn check(recipe: &Resolved, diagnostics: &mut Diagnostics) {
    let written = &recipe.written;
    unknown(&written.unknown, "recipe", &Recipe::FIELDS, diagnostics);
    once(&written.id.keys(), diagnostics);
    once(&written.label.keys(), diagnostics);
    once(&written.model.keys(), diagnostics);
    once(&written.tools.keys(), diagnostics);
    once(&written.scope.keys(), diagnostics);
    once(&written.allow_lockfiles.keys(), diagnostics);
    once(&written.needs.keys(), diagnostics);
    once(&written.isolate.keys(), diagnostics);
    once(&written.initial.keys(), diagnostics);
    once(&written.exits.keys(), diagnostics);
    once(&written.guardrails.keys(), diagnostics);
    once(&written.proves.keys(), diagnostics);
    for step in &recipe.steps {
        unknown(&step.written.unknown, "step", &Step::FIELDS, diagnostics);
        once(&step.written.prompt.keys(), diagnostics);
        once(&step.written.model.keys(), diagnostics);
        once(&step.written.outcomes.keys(), diagnostics);
        once(&step.written.tools.keys(), diagnostics);
        once(&step.written.verify.keys(), diagnostics);
        once(&step.written.run.keys(), diagnostics);
        once(&step.written.time.keys(), diagnostics);
        once(&step.written.retries.keys(), diagnostics);
        once(&step.written.budget_usd.keys(), diagnostics);
        once(&step.written.max_visits.keys(), diagnostics);
        once(&step.written.was.keys(), diagnostics);
    }
}

fn unknown(fields: &[Unknown], what: &str, known: &[&'static str], diagnostics: &mut Diagnostics) {
    for Unknown { key, meant } in fields {
        let text = key.to_string();
        if known.contains(&"guardrails") && GUARDRAILS.contains(&text.as_str()) {
            let message = format!("`{key}` is a guardrail: write `guardrails: {{ {key}: … }}`");
            diagnostics.error(key, message);
            continue;
        }
        let other = if what == "recipe" {
            ("step", &Step::FIELDS[..])
        } else {
            ("recipe", &Recipe::FIELDS[..])
        };
        if other.1.contains(&text.as_str()) && meant.is_none() {
            let message = format!("`{key}` is a field of a {}, not of a {what}", other.0);
            diagnostics.error(key, message);
            continue;
        }
        let advice = match meant {
            // Too far from the field's name for the list of close ones.
            Some(meant) if spelling::closest(&text, known.iter().copied()) != Some(meant) => {
                format!("; did you mean `{meant}`?")
            }
            Some(_) | None => spelling::advice(&text, known.iter().copied(), "it has"),
        };
        diagnostics.error(key, format!("a {what} has no field `{key}`{advice}"));
    }
}

/// Reports every time but the first.
pub(super) fn once(keys: &[&Ident], diagnostics: &mut Diagnostics) {
    for again in keys.iter().skip(1) {
        let message = format!("`{again}` is written twice; keep one of them");
        diagnostics.error_and(again, message, keys[0], "first_written_here");
    }
}
