//! Evidence is something that the engine can look for, and find.

use syn::ext::IdentExt;

use super::commands;
use crate::diagnostic::Diagnostics;
use crate::resolve::{EVIDENCE, Evidence, EvidenceFlaw, OTHER, Resolved, judge_evidence};
use crate::spelling;
use crate::syntax::{Mapping, Step, Term};

pub(super) fn check(recipe: &Resolved, diagnostics: &mut Diagnostics) {
    for step in &recipe.steps {
        let step = &step.written;
        if !step.shared {
            check_step(step, diagnostics);
        }
        for mapping in &step.mappings {
            terms(step, mapping, &mapping.given, &mapping.evidence, diagnostics);
        }
    }
}

/// The rule for one step: a recipe's, or a shared one.
pub(super) fn check_step(step: &Step, diagnostics: &mut Diagnostics) {
    for mapping in &step.mappings {
        terms(step, mapping, &mapping.evidence, &[], diagnostics);
    }
}

/// Checks terms that follow `earlier` ones, which were already checked.
fn terms(
    step: &Step,
    mapping: &Mapping,
    written: &[Term],
    earlier: &[Term],
    diagnostics: &mut Diagnostics,
) {
    let Some(first) = written.first() else { return };
    if step.is_command() {
        let message = format!(
            "step `{}` runs a command, and its exit status is the evidence: remove `if …`",
            step.name
        );
        return diagnostics.error(first, message);
    }
    if mapping.outcome.unraw() == OTHER {
        let message = "`Other` is for what the recipe does not foresee, so there is nothing to look for: remove `if …`";
        return diagnostics.error(first, message);
    }
    let mut seen: Vec<(Evidence, &Term)> =
        earlier.iter().filter_map(|term| Some((judge_evidence(term).ok()?, term))).collect();
    for term in written {
        match judge_evidence(term) {
            Ok(evidence) => {
                distinct(&evidence, term, &seen, diagnostics);
                seen.push((evidence, term));
            }
            Err(flaw) => report(term, &flaw, diagnostics),
        }
    }
}

/// Reports a term that repeats or contradicts an earlier one.
fn distinct(
    evidence: &Evidence,
    term: &Term,
    seen: &[(Evidence, &Term)],
    diagnostics: &mut Diagnostics,
) {
    let written = evidence.written();
    if let Some((_, first)) = seen.iter().find(|(known, _)| known.written() == written) {
        let message = format!("`{written}` is written twice; keep one of them");
        diagnostics.error_and(term, message, first, "first_written_here");
        return;
    }
    let opposite = match evidence {
        Evidence::Commit => "no_commit",
        Evidence::NoCommit => "commit",
        Evidence::Clean
        | Evidence::CleanTree
        | Evidence::Changed
        | Evidence::RebasedOnMain
        | Evidence::Exists(_)
        | Evidence::Command(_) => return,
    };
    if let Some((_, first)) = seen.iter().find(|(known, _)| known.written() == opposite) {
        let message = format!(
            "`{written}` contradicts `{opposite}`, so no run could continue here: keep one of them"
        );
        diagnostics.error_and(term, message, first, "the_other_one");
    }
}

fn report(term: &Term, flaw: &EvidenceFlaw, diagnostics: &mut Diagnostics) {
    match (flaw, term) {
        (EvidenceFlaw::Command(flaw), Term::Command(command)) => {
            commands::report(command, flaw, diagnostics);
        }
        (EvidenceFlaw::Unknown, Term::Word { word, .. }) => {
            let name = word.to_string();
            let advice = spelling::advice(&name, EVIDENCE, "the words are");
            let command = match spelling::closest(&name, EVIDENCE) {
                Some(_) => "",
                None => "; a command is written in quotes",
            };
            diagnostics.error(word, format!("there is no evidence `{word}`{advice}{command}"));
        }
        (EvidenceFlaw::NoPath, _) => {
            diagnostics.error(term, "`exists` needs a path in quotes: `exists \"docs/design.md\"`");
        }
        (EvidenceFlaw::Path { path, why }, _) => {
            diagnostics.error(path, format!("`exists` cannot look for this path: {why}"));
        }
        (EvidenceFlaw::Text(text), Term::Word { word, .. }) => {
            let message = format!(
                "`{word}` takes no text; join a command with `&&`, or write `exists \"path\"`"
            );
            diagnostics.error(text, message);
        }
        // Only the other kind of term has these flaws.
        (EvidenceFlaw::Unknown | EvidenceFlaw::Text(_), Term::Command(_))
        | (EvidenceFlaw::Command(_), Term::Word { .. }) => {}
    }
}
