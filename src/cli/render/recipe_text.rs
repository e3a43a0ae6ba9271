//! A recipe as text: its steps, where each outcome leads, and its limits.

use std::fmt::Write as _;

use super::format::one_line;
use super::gates::{evidence, files, gates};
use super::paint;
use crate::engine::{PromptSource, RecipePrompts};
use crate::{
    AfterLimit, Guardrail, Guardrails, NextOutline, OutcomeOutline, Outline, ReasonInfo,
    StepLimits, StepOutline, VisitLimit,
};

/// The whole recipe as text, with the prompts that the operator changed.
pub(in crate::cli) fn outlined(outline: &Outline, prompts: Option<&RecipePrompts>) -> String {
    let mut text = format!("{}  {}\n", paint::bold(outline.label), paint::dim(outline.id));
    // Writing to a string cannot fail.
    if !outline.description.is_empty() {
        let _ = writeln!(text, "{}", outline.description);
    }
    if let Some(model) = outline.model {
        let _ = writeln!(text, "It asks for the model {model}.");
    }
    let _ = writeln!(text, "\n{}", paint::bold("Steps"));
    for (index, step) in outline.steps.iter().enumerate() {
        text.push_str(&step_in_words(outline, step, index == outline.initial, prompts));
    }
    let _ = writeln!(text, "\n{}\n{}", paint::bold("Files"), files(outline).trim_end());
    let _ = writeln!(text, "\n{}", paint::bold("Guardrails"));
    text.push_str(&guardrails(outline));
    if !outline.claims.is_empty() {
        let _ = writeln!(text, "\n{}", paint::bold("Proven for every path"));
    }
    for claim in outline.claims {
        let basis = paint::dim(format!("({})", claim.basis(outline)));
        let _ = writeln!(text, "  {} {basis}", claim.in_words(outline));
    }
    let path = outline.heaviest_path.iter().map(|part| match part.visits {
        1 => part.step.to_owned(),
        visits => format!("{} ×{visits}", part.step),
    });
    let path = path.collect::<Vec<_>>().join(", ");
    let most = match outline.max_steps {
        1 => "1 step".to_owned(),
        most => format!("{most} steps"),
    };
    let bound =
        if outline.max_steps_is_exact { "A run takes at most" } else { "A run takes no more than" };
    let _ = write!(text, "\n{} {most}: {path}", paint::bold(bound));
    text
}

fn step_in_words(
    outline: &Outline,
    step: &StepOutline,
    first: bool,
    prompts: Option<&RecipePrompts>,
) -> String {
    let begins = if first { paint::dim("  a run begins here") } else { String::new() };
    let mut text = format!("  {}{begins}\n", paint::cyan(step.name));
    if !step.description.is_empty() {
        let _ = writeln!(text, "    {}", step.description);
    }
    if let Some(model) = step.model.filter(|model| outline.model != Some(model)) {
        let _ = writeln!(text, "    It asks for the model {model}.");
    }
    text.push_str(&changed_prompt(step, prompts));
    text.push_str(&gates(outline, step));
    let names: Vec<_> = step.outcomes.iter().map(outcome_name).collect();
    let width = names.iter().map(String::len).max().unwrap_or_default();
    for (outcome, name) in step.outcomes.iter().zip(names) {
        let next = next(outline, outcome);
        let _ = writeln!(text, "      {name:width$} → {next}");
        if !outcome.description.is_empty() {
            let _ = writeln!(text, "          {}", paint::dim(outcome.description));
        }
    }
    text.push_str(&after_limits(outline, step));
    text
}

/// Where a run goes when it has reached a limit of the step.
fn after_limits(outline: &Outline, step: &StepOutline) -> String {
    let StepLimits { max_visits, when_full, .. } = step.limits;
    let after =
        VisitLimit::ALL.into_iter().filter_map(|limit| Some((limit, step.limits.after(limit)?)));
    let after = after.map(|(limit, next)| (format!("after {}", step.limit_value(limit)), next));
    let full = max_visits.zip(when_full);
    let full =
        full.map(|(visits, next)| (format!("instead of visit {}", visits.saturating_add(1)), next));
    let lines = after.chain(full).map(|(limit, next)| {
        let next = match next {
            AfterLimit::Step(index) => paint::cyan(outline.steps[index].name),
            AfterLimit::Exit(reason) => end(reason.definition()),
        };
        format!("    {limit}: {next}\n")
    });
    lines.collect()
}

/// A line about the operator's prompt for the step; empty if the compiled one is used.
fn changed_prompt(step: &StepOutline, prompts: Option<&RecipePrompts>) -> String {
    let found = prompts.and_then(|all| all.steps.iter().find(|it| it.step == step.name));
    let words = match found.map(|prompt| (&prompt.source, prompt.path.display())) {
        Some((Ok(PromptSource::Changed { .. }), path)) => {
            format!("prompt: changed, from `{path}`")
        }
        Some((Err(error), _)) => format!("no run can begin: {error}"),
        Some((Ok(PromptSource::Compiled | PromptSource::NotEdited), _)) | None => {
            return String::new();
        }
    };
    format!("    {}\n", paint::yellow(one_line(&words)))
}

/// The outcome's name, with `(findings)` as the author writes it if it carries findings.
fn outcome_name(outcome: &OutcomeOutline) -> String {
    if outcome.findings { format!("{}(findings)", outcome.name) } else { outcome.name.to_owned() }
}

fn next(outline: &Outline, outcome: &OutcomeOutline) -> String {
    let evidence = evidence(outcome);
    match outcome.next {
        NextOutline::Step(index) => format!("{}{evidence}", paint::cyan(outline.steps[index].name)),
        NextOutline::Exit(reason) => {
            let definition = reason.definition();
            format!("{}{evidence}: {}", end(definition), definition.general_message())
        }
        NextOutline::Restart { id, .. } => {
            format!("↻ {} in a fresh session{evidence}", paint::cyan(id))
        }
    }
}

fn end(definition: &ReasonInfo) -> String {
    let verdict = definition.verdict();
    paint::verdict(verdict, format!("{} {}", paint::sign(verdict), definition.code))
}

/// The configured limits, and which of them are proven never to trip.
fn guardrails(outline: &Outline) -> String {
    let Guardrails {
        max_step_visits,
        max_total_steps,
        max_restarts,
        max_verify_time_per_milestone,
        max_review_rounds,
        exit_on_other,
        raised_visits: _,
    } = outline.guardrails;
    let mut text = String::new();
    for guardrail in Guardrail::ALL.iter().copied() {
        let (limit, words) = match guardrail {
            Guardrail::MaxStepVisits => (max_step_visits, "visits of one step"),
            Guardrail::MaxTotalSteps => (max_total_steps, "steps in all"),
            Guardrail::MaxRestarts => (max_restarts, "restarts"),
        };
        let Some(limit) = limit else { continue };
        let proven = outline.never_trips.contains(&guardrail);
        let proven = if proven { paint::dim("  proven never to trip") } else { String::new() };
        let _ = writeln!(text, "  {guardrail}: at most {limit} {words}{proven}");
    }
    if let Some(time) = max_verify_time_per_milestone {
        let time = humantime::format_duration(time);
        let _ =
            writeln!(text, "  max_verify_time_per_milestone: at most {time} to verify one visit");
    }
    let carries_findings =
        outline.steps.iter().flat_map(|step| step.outcomes).any(|outcome| outcome.findings);
    if carries_findings {
        let rounds = max_review_rounds.unwrap_or(Guardrails::DEFAULT_REVIEW_ROUNDS);
        let _ = writeln!(
            text,
            "  max_review_rounds: at most {rounds} rounds of a review without fewer findings"
        );
    }
    let other = if exit_on_other {
        "the agent may end the run with `other` at every step"
    } else {
        "only steps that declare `other` can end with it"
    };
    let _ = writeln!(text, "  exit_on_other: {other}");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    surefire::recipe! {
        /// Builds, and repairs what does not build.
        recipe Repair {
            scope: { allow: ["src/**", "*.md"], deny: ["**/.env*"] },
            allow_lockfiles: true,
            needs: { clean_tree, task },
            isolate: true,
            initial: Build,
            guardrails: {
                max_step_visits: 3, max_restarts: 2, max_verify_time_per_milestone: 90m, max_review_rounds: 2,
            },
            proves: { exit TaskCommitted needs Build.Passed since Fix, restart Repair needs Fix.Again },
            step Build { run: "make -j \\\n    all", time: 10m, Passed => exit TaskCommitted, Failed => Fix }
            step Fix {
                prompt: "Fix it.",
                max_visits: 4 => exit MaxTicks,
                time: 90m => Build,
                retries: 1 => exit ImplementationBlocked,
                budget_usd: 1.50,
                tools: [edit, "cargo build *", "cargo test *"],
                verify: ["make check", ["make", "lint"]],
                outcomes: [
                    Complete,
                    /// The log says why it failed,
                    /// and nothing was committed.
                    Again,
                    GiveUp,
                ],
                Complete => Build if changed,
                Again(findings) => restart Repair if no_commit && exists "log",
                GiveUp => exit ImplementationBlocked if "test -s log",
            }
        }
    }

    #[test]
    fn commands_tools_and_evidence_are_listed_with_their_step() {
        let expected = "\
Repair  repair
Builds, and repairs what does not build

Steps
  build  a run begins here
    runs: make -j \\     all (at most 10m)
      passed → ✓ task-committed: Task implementation committed successfully
      failed → fix
  fix
    tools: edit, cargo {build, test} *
    verify: make check, make lint
    limits: 4 visits, 90m, 1 retry, $1.50 a visit
      complete        → build if changed
      again(findings) → ↻ repair in a fresh session if no_commit && exists \"log\"
          The log says why it failed, and nothing was committed.
      give-up         → ● implementation-blocked if \"test -s log\": Implementation blocked - cannot proceed
      other           → ● user-provided-other: Recipe exited by user choice
    after 90m: build
    after 1 retry: ● implementation-blocked
    instead of visit 5: ⚠ max_ticks

Files
  allow: src/**, *.md
  deny: **/.env*
  lockfiles: may be changed
  needs: a clean tree, a task (given as text, or from `bd`)
  isolated: in a git worktree of its own

Guardrails
  max_step_visits: at most 3 visits of one step
  max_restarts: at most 2 restarts
  max_verify_time_per_milestone: at most 1h 30m to verify one visit
  max_review_rounds: at most 2 rounds of a review without fewer findings
  exit_on_other: the agent may end the run with `other` at every step

Proven for every path
  exit task-committed needs build.passed since fix (as the engine's command finds it)
  restart repair needs fix.again (as the engine finds it)

A run takes at most 6 steps: build ×3, fix ×3";
        let text = outlined(Repair::OUTLINE, None);
        assert_eq!(anstream::adapter::strip_str(&text).to_string(), expected);
    }
}
