//! What a recipe claims holds on every path, and each part of a claim matters.

use proc_macro2::Ident;
use quote::ToTokens;

use crate::diagnostic::Diagnostics;
use crate::resolve::{Claim, Goal, Initial, Report, Resolved, Step};
use crate::spelling;
use crate::syntax;
use crate::witness::{self, Search, Taken, Way, Witness};

pub(super) fn check(recipe: &Resolved, diagnostics: &mut Diagnostics) {
    let Initial::Step { index: initial, .. } = recipe.initial else { return };
    // What an unread transition would add is unknown, so nothing is known to be without effect.
    let is_complete = !recipe.written.broken && !recipe.steps.iter().any(Step::is_open);
    if recipe.claims.is_empty() {
        return;
    }
    let search = Search::new(recipe, initial);
    for claim in &recipe.claims {
        let Some((goal, needs, since)) = claim.parts() else { continue };
        if needs.iter().all(|need| Goal::Step(need.step) == *goal) {
            continue;
        }
        if let Some(witness) = witness::find(&search, goal, &needs, since) {
            contradicted(recipe, claim, &witness, diagnostics);
        } else if is_complete {
            since_matters(recipe, claim, goal, since, diagnostics);
            alternatives_matter(recipe, claim, goal, &needs, diagnostics);
        }
    }
}

fn contradicted(
    recipe: &Resolved,
    claim: &Claim,
    witness: &Witness,
    diagnostics: &mut Diagnostics,
) {
    let written = &claim.written;
    let needs: Vec<_> = written
        .needs
        .iter()
        .map(|syntax::Report { step, outcome }| format!("{step}.{outcome}"))
        .collect();
    let since = match &written.since {
        Some(step) if witness.after_since => format!(" since `{step}`"),
        Some(_) | None => String::new(),
    };
    let (subject, end) = match &written.goal {
        syntax::Goal::Step(name) => (format!("step `{name}` can be reached"), format!("`{name}`")),
        syntax::Goal::Exit(name) => {
            (format!("a run can end with `{name}`"), format!("exit `{name}`"))
        }
        syntax::Goal::Restart(path) => {
            let name = path_name(path);
            (format!("a run can restart `{name}`"), format!("restart `{name}`"))
        }
    };
    let mut path = Vec::new();
    for Taken { step, way, full } in &witness.taken {
        let step = &recipe.steps[*step];
        path.push(match way {
            Way::Outcome(outcome) => {
                format!("`{}` ({})", step.name(), step.outcomes[*outcome].name)
            }
            Way::Limit(limit) => {
                format!("after the {} of `{}`", step.after_limits[*limit].0.words(), step.name())
            }
        });
        let full = full.iter().map(|step| recipe.steps[*step].name());
        path.extend(full.map(|step| format!("`{step}` (full)")));
    }
    path.push(end);
    let path = match witness.taken.as_slice() {
        [] => "a run begins there".to_owned(),
        [..] => spelling::shortened(&path),
    };
    let message = format!("{subject} without {}{since}: {path}", spelling::alternatives(&needs));
    match last_mapping(recipe, witness) {
        Some(mapping) => {
            diagnostics.error_and(&written.goal, message, mapping, "contradicted_here");
        }
        None => diagnostics.error(&written.goal, message),
    }
}

/// The outcome or the limit that reaches the goal, where it is written in this recipe.
fn last_mapping<'a>(recipe: &'a Resolved, witness: &Witness) -> Option<&'a Ident> {
    let Taken { step, way, .. } = witness.taken.last()?;
    let step = &recipe.steps[*step];
    let written = match way {
        Way::Outcome(outcome) => {
            let outcome = &step.outcomes[*outcome];
            let mut mappings = step.written.mappings.iter();
            &mappings.find(|mapping| mapping.outcome == outcome.name)?.outcome
        }
        Way::Limit(limit) => step.written.limit_key(step.after_limits[*limit].0)?,
    };
    (!step.written.shared).then_some(written)
}

fn since_matters(
    recipe: &Resolved,
    claim: &Claim,
    goal: &Goal,
    since: Option<usize>,
    diagnostics: &mut Diagnostics,
) {
    let (Some(step), Some(name)) = (since, &claim.written.since) else { return };
    if !reaches(recipe, step, goal) {
        let message = format!(
            "no path leads from `{name}` to {}, so `since {name}` changes nothing: remove it",
            goal_in_words(&claim.written.goal)
        );
        diagnostics.error(name, message);
    }
}

fn alternatives_matter(
    recipe: &Resolved,
    claim: &Claim,
    goal: &Goal,
    needs: &[Report],
    diagnostics: &mut Diagnostics,
) {
    // A claim with one outcome that never leads to the goal is contradicted by any path.
    if needs.len() < 2 {
        return;
    }
    for (need, written) in needs.iter().zip(&claim.written.needs) {
        let target = &recipe.steps[need.step].outcomes[need.outcome].target;
        let matters = goal.is(target)
            || target.certain_step().is_some_and(|next| reaches(recipe, next, goal));
        if !matters {
            let syntax::Report { step, outcome } = written;
            let message = format!(
                "no path leads from `{step}.{outcome}` to {}, so it changes nothing: remove it",
                goal_in_words(&claim.written.goal)
            );
            diagnostics.error(written, message);
        }
    }
}

/// Whether a run at this step can still reach the goal.
fn reaches(recipe: &Resolved, from: usize, goal: &Goal) -> bool {
    let reached = recipe.certain.reachable([from]);
    let steps = recipe.steps.iter().enumerate().filter(|(index, _)| reached[*index]);
    steps.flat_map(|(_, step)| step.targets()).any(|target| goal.is(target))
}

fn goal_in_words(goal: &syntax::Goal) -> String {
    match goal {
        syntax::Goal::Step(name) => format!("`{name}`"),
        syntax::Goal::Exit(name) => format!("`exit {name}`"),
        syntax::Goal::Restart(path) => format!("`restart {}`", path_name(path)),
    }
}

fn path_name(path: &syn::Path) -> String {
    path.to_token_stream().to_string().replace(' ', "")
}
