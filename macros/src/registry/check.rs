//! The rules for an enum of exit reasons.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use super::{Reason, Reasons};
use crate::diagnostic::Diagnostics;

/// Exit codes that are reserved for authors. Those between the two ranges mean something to the
/// command, or to other programs (`sysexits.h`).
const AUTHORS: [RangeInclusive<u8>; 2] = [40..=63, 80..=119];

pub(super) fn check(reasons: &Reasons, diagnostics: &mut Diagnostics) {
    for reason in &reasons.variants {
        complete(reason, diagnostics);
        if !reasons.standard {
            no_placeholders(reason, diagnostics);
            no_hint(reason, diagnostics);
        }
        exit_code(reason, reasons.standard, diagnostics);
    }
    codes_are_unique(reasons, diagnostics);
    exit_codes_are_unique(reasons, diagnostics);
}

fn complete(reason: &Reason, diagnostics: &mut Diagnostics) {
    let (name, columns) = (&reason.name, &reason.columns);
    if columns.broken {
        return;
    }
    match (&columns.category, &columns.message) {
        (None, None) => diagnostics.error(
            name,
            format!("exit reason `{name}` has no category and no message: add `#[reason(category = completed, message = \"…\")]`"),
        ),
        (None, Some(_)) => diagnostics.error(
            name,
            format!("exit reason `{name}` has no category: add `category = completed`, `guardrail` or `error`"),
        ),
        (Some(_), None) => {
            diagnostics.error(name, format!("exit reason `{name}` has no message: add `message = \"…\"`"));
        }
        (Some(_), Some(message)) if message.value().trim().is_empty() => {
            diagnostics.error(message, format!("the message of exit reason `{name}` is empty: say what happened"));
        }
        (Some(_), Some(_)) => {}
    }
    for text in [&columns.title, &columns.diagnosis, &columns.hint].into_iter().flatten() {
        if text.value().trim().is_empty() {
            diagnostics.error(text, "this text is empty; write one or leave the column out");
        }
    }
    if let (Some(category), Some(met)) = (&columns.category, &columns.goal_met)
        && met.value
        && category != "completed"
    {
        diagnostics.error(
            met,
            format!("a run that ends as `{category}` has not met its goal; leave `goal_met` out"),
        );
    }
    if let Some(code) = columns.code.as_ref().filter(|code| !is_code(&code.value())) {
        diagnostics.error(code, "a code is made of small letters, digits, hyphens and underscores");
    }
}

/// Only the standard guardrails have a step and a limit to insert into their messages.
fn no_placeholders(reason: &Reason, diagnostics: &mut Diagnostics) {
    if let Some(message) =
        reason.columns.message.as_ref().filter(|message| message.value().contains(['{', '}']))
    {
        diagnostics.error(message, "a message is shown as it is written; leave the braces out");
    }
}

/// Only the standard registry has diagnoses that are worded for other tools.
fn no_hint(reason: &Reason, diagnostics: &mut Diagnostics) {
    if let Some(hint) = &reason.columns.hint {
        diagnostics.error(
            hint,
            "the `diagnosis` of your own exit reason is what people read; write this there",
        );
    }
}

fn exit_code(reason: &Reason, standard: bool, diagnostics: &mut Diagnostics) {
    let (name, columns) = (&reason.name, &reason.columns);
    if columns.broken || columns.category.is_none() {
        return;
    }
    let band = match (&columns.family, standard) {
        (Some(family), true) => vec![band(&family.to_string())],
        (_, false) => AUTHORS.to_vec(),
        (None, true) => vec![0..=0],
    };
    let ranges: Vec<_> =
        band.iter().map(|range| format!("{} to {}", range.start(), range.end())).collect();
    let ranges = ranges.join(" or ");
    match (&columns.exit_code, columns.goal_met()) {
        (None, true) => {}
        (None, false) => diagnostics.error(
            name,
            format!("exit reason `{name}` does not meet the goal, so it needs an exit code: add `exit_code = …`, {ranges}"),
        ),
        (Some(code), true) => {
            if code.base10_parse::<u8>().ok() != Some(0) {
                diagnostics.error(code, format!("exit reason `{name}` meets the goal, so its exit code is 0; leave it out"));
            }
        }
        (Some(code), false) => match code.base10_parse::<u8>() {
            Ok(number) if band.iter().any(|range| range.contains(&number)) => {}
            Ok(0) => diagnostics.error(code, format!("exit code 0 means that the goal was met; for `{name}` choose {ranges}")),
            _ => diagnostics.error(code, format!("the exit code of `{name}` must be from {ranges}")),
        },
    }
}

fn codes_are_unique(reasons: &Reasons, diagnostics: &mut Diagnostics) {
    let mut seen = HashMap::new();
    for reason in &reasons.variants {
        let code = reason.columns.code(&reason.name);
        if let Some(first) = seen.get(&code) {
            let message = format!(
                "the exit reasons `{first}` and `{}` have the same code `{code}`",
                reason.name
            );
            diagnostics.error_and(&reason.name, message, first, "the_other_one");
        } else {
            seen.insert(code, &reason.name);
        }
    }
}

fn exit_codes_are_unique(reasons: &Reasons, diagnostics: &mut Diagnostics) {
    let mut seen = HashMap::new();
    for reason in &reasons.variants {
        let Some(written) = &reason.columns.exit_code else {
            continue;
        };
        let Ok(number @ 1..) = written.base10_parse::<u8>() else {
            continue;
        };
        if let Some((first, at)) = seen.get(&number) {
            let message = format!(
                "the exit reasons `{first}` and `{}` have the same exit code {number}",
                reason.name
            );
            diagnostics.error_and(written, message, at, "the_other_one");
        } else {
            seen.insert(number, (&reason.name, written));
        }
    }
}

/// The exit codes of a family in the standard registry. `Family::exit_codes` has the same table,
/// which this crate cannot import; a test compares every reason with that one.
fn band(family: &str) -> RangeInclusive<u8> {
    match family {
        "constraint" => 2..=9,
        "failure" => 10..=19,
        "review" => 20..=29,
        "worker" => 30..=39,
        "resource_limit" => 120..=129,
        _ => 130..=u8::MAX,
    }
}

fn is_code(code: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    !code.is_empty() && code.chars().all(plain)
}
