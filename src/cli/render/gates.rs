//! Text for a step's tools, command and checks, and for the files that a recipe may change.

use std::fmt::Write as _;

use super::format::one_line;
use super::paint;
use crate::{
    CommandStep, Evidence, FileScope, Needs, OutcomeOutline, Outline, StepLimits, StepOutline,
    Tool, VisitLimit,
};

/// Lines wrap before this column.
const MAX_COLUMNS: usize = 96;
/// Indentation of lines about a recipe, and of lines about one of its steps.
const RECIPE_INDENT: usize = 2;
const STEP_INDENT: usize = 4;
/// A longer list of tools is printed once, at the first step that has it; later steps refer to it.
const MAX_REPEATED_TOOLS: usize = 6;

/// The lines between a step's description and its outcomes.
pub(super) fn gates(outline: &Outline, step: &StepOutline) -> String {
    let mut text = String::new();
    if let Some(CommandStep { command, time }) = step.command {
        let time = time.map(|time| format!(" (at most {})", humantime::format_duration(time)));
        entry(
            &mut text,
            STEP_INDENT,
            "runs",
            &[format!("{}{}", one_line(&command.to_string()), time.unwrap_or_default())],
        );
    } else {
        entry(&mut text, STEP_INDENT, "tools", &tools(outline, step));
    }
    if !step.verify.is_empty() {
        let commands: Vec<_> =
            step.verify.iter().map(|command| one_line(&command.to_string())).collect();
        entry(&mut text, STEP_INDENT, "verify", &commands);
    }
    let limits = limits(step);
    if !limits.is_empty() {
        entry(&mut text, STEP_INDENT, "limits", &limits);
    }
    text
}

/// The limits that a step has of its own.
fn limits(step: &StepOutline) -> Vec<String> {
    let StepLimits { max_visits, time, retries, budget_usd, .. } = step.limits;
    let visits = max_visits.map(|most| match most {
        1 => "one visit".to_owned(),
        most => format!("{most} visits"),
    });
    let of_visit = [
        time.map(|_| step.limit_value(VisitLimit::Time)),
        retries.map(|_| step.limit_value(VisitLimit::Retries)),
        budget_usd.map(|_| step.limit_value(VisitLimit::Budget)),
    ];
    let of_visit: Vec<_> = of_visit.into_iter().flatten().collect();
    let of_visit = (!of_visit.is_empty()).then(|| format!("{} a visit", of_visit.join(", ")));
    visits.into_iter().chain(of_visit).collect()
}

/// The lines about the files that a run may change and what it requires of the working directory.
pub(super) fn files(outline: &Outline) -> String {
    let mut text = String::new();
    let FileScope { allow, deny } = outline.scope;
    for (name, patterns) in [("allow", allow), ("deny", deny)] {
        if !patterns.is_empty() {
            let patterns: Vec<_> =
                patterns.iter().map(|pattern| pattern.clone().into_owned()).collect();
            entry(&mut text, RECIPE_INDENT, name, &patterns);
        }
    }
    let lockfiles = if outline.allow_lockfiles { "may be changed" } else { "may not be changed" };
    entry(&mut text, RECIPE_INDENT, "lockfiles", &[lockfiles.to_owned()]);
    let Needs { clean_tree, task } = outline.needs;
    let needs = [(clean_tree, "a clean tree"), (task, "a task (given as text, or from `bd`)")];
    let needs: Vec<_> =
        needs.iter().filter(|(needed, _)| *needed).map(|(_, what)| (*what).to_owned()).collect();
    if !needs.is_empty() {
        entry(&mut text, RECIPE_INDENT, "needs", &needs);
    }
    if outline.isolate {
        entry(&mut text, RECIPE_INDENT, "isolated", &["in a git worktree of its own".to_owned()]);
    }
    text
}

fn tools(outline: &Outline, step: &StepOutline) -> Vec<String> {
    let Some(tools) = step.tools else { return vec!["left to the operator".to_owned()] };
    let first = outline.steps.iter().find(|other| other.tools == Some(tools));
    match first.filter(|first| first.name != step.name && tools.len() > MAX_REPEATED_TOOLS) {
        Some(first) => vec![format!("as {}", first.name)],
        None => folded(tools),
    }
}

/// The tools in order, with consecutive patterns of one program merged: `cargo {test, check} *`.
fn folded(tools: &[Tool]) -> Vec<String> {
    let tools: Vec<_> = tools.iter().map(ToString::to_string).collect();
    let together = |a: &String, b: &String| program(a).is_some() && program(a) == program(b);
    let fold = |tools: &[String]| match (tools, program(&tools[0])) {
        ([_, _, ..], Some(program)) => {
            let inner = tools.iter().map(|tool| &tool[program.len() + 1..tool.len() - ANY.len()]);
            format!("{program} {{{}}}{ANY}", inner.collect::<Vec<_>>().join(", "))
        }
        (tools, _) => tools.concat(),
    };
    tools.chunk_by(together).map(fold).collect()
}

/// The end of a pattern that allows any further arguments.
const ANY: &str = " *";

/// The program of a pattern that names a subcommand: `cargo` in `cargo test *`.
fn program(tool: &str) -> Option<&str> {
    tool.strip_suffix(ANY)?.split_once(' ').map(|(program, _)| program)
}

/// The evidence that an outcome requires, to be appended to its target.
pub(super) fn evidence(outcome: &OutcomeOutline) -> String {
    match outcome.evidence {
        [] => String::new(),
        evidence => format!(" if {}", one_line(&Evidence::all(evidence))),
    }
}

/// A name and its entries, separated by commas and wrapped.
fn entry(text: &mut String, indent: usize, name: &str, entries: &[String]) {
    let start = indent + name.len() + 2;
    // Writing to a string cannot fail.
    let _ = write!(text, "{:indent$}{}:", "", paint::dim(name));
    let mut column = start - 1;
    for (index, entry) in entries.iter().enumerate() {
        let comma = if index + 1 < entries.len() { "," } else { "" };
        let width = entry.chars().count() + comma.len();
        if index > 0 && column + 1 + width > MAX_COLUMNS {
            let _ = write!(text, "\n{:width$}", "", width = start - 1);
            column = start - 1;
        }
        let _ = write!(text, " {entry}{comma}");
        column += 1 + width;
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_one_program_are_merged() {
        let tools =
            ["edit", "cargo *", "cargo test *", "cargo fmt --check *", "make", "bd show *", "go *"];
        let tools: Vec<Tool> = tools.iter().map(|tool| tool.parse().unwrap()).collect();
        let expected =
            ["edit", "cargo *", "cargo {test, fmt --check} *", "make", "bd show *", "go *"];
        assert_eq!(folded(&tools), expected);
        assert!(folded(&[]).is_empty());
    }

    #[test]
    fn a_long_list_is_broken_between_entries() {
        let mut text = String::new();
        let entries: Vec<_> = (0..40).map(|number| format!("tool-{number}")).collect();
        entry(&mut text, STEP_INDENT, "tools", &entries);
        let plain = anstream::adapter::strip_str(&text).to_string();
        assert!(
            plain.lines().count() > 2 && plain.lines().all(|line| line.len() <= MAX_COLUMNS),
            "{plain}"
        );
        assert!(plain.lines().skip(1).all(|line| line.starts_with("           tool-")), "{plain}");
    }
}
