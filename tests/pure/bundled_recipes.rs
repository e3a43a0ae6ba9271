//! The bundled recipes are exactly the ones that clients know: ids, labels, descriptions, steps,
//! outcomes and exits.

#![cfg(feature = "recipes")]

use surefire::recipes::{BUNDLED, ImplementAndReviewAll, RefineDesign};
use surefire::{AnyRecipe, Evidence, Guardrail, NextOutline, Outline, StepOutline, Tool};

/// A recipe as a table: a line per step, without the implied `other`.
fn table(outline: &Outline) -> String {
    let line = |step: &surefire::StepOutline| {
        let outcomes =
            step.outcomes.iter().filter(|outcome| outcome.name != "other").map(|outcome| {
                let next = match outcome.next {
                    NextOutline::Step(index) => outline.steps[index].name.to_owned(),
                    NextOutline::Exit(reason) => format!("exit {}", reason.definition().code),
                    NextOutline::Restart { id, .. } => format!("restart {id}"),
                };
                format!("{} → {next}", outcome.name)
            });
        format!("{}: {}", step.name, outcomes.collect::<Vec<_>>().join(" · "))
    };
    outline.steps.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn outline(id: &str) -> &'static Outline {
    BUNDLED.get(id).expect("the recipe is bundled").outline()
}

#[test]
fn ids_labels_descriptions_first_steps_and_models() {
    let shown: Vec<_> = BUNDLED
        .by_label()
        .into_iter()
        .map(AnyRecipe::outline)
        .map(|recipe| {
            [
                recipe.id,
                recipe.label,
                recipe.description,
                recipe.first_step().name,
                recipe.model.unwrap_or("–"),
            ]
        })
        .collect();
    let expected = [
        [
            "break-down-tasks",
            "Break Down Tasks",
            "Create implementation tasks from design document using beads",
            "analyze",
            "opus",
        ],
        [
            "document-design",
            "Document Design",
            "Create a detailed design document with examples and verification",
            "document",
            "opus",
        ],
        [
            "implement-and-review",
            "Implement & Review",
            "Implement task, review code, fix issues, and commit",
            "implement",
            "–",
        ],
        [
            "implement-and-review-all",
            "Implement & Review All",
            "Implement all tasks, restarting in new sessions after each commit",
            "implement",
            "–",
        ],
        [
            "rebase",
            "Rebase",
            "Rebase current branch on local main with conflict resolution",
            "rebase",
            "–",
        ],
        [
            "refine-design",
            "Refine Design",
            "Iteratively improve an existing design document through focused review passes",
            "locate-design",
            "–",
        ],
        [
            "retrospective",
            "Retrospective",
            "Reflect on the session and identify areas for improvement",
            "reflect",
            "–",
        ],
        [
            "review-and-commit",
            "Review & Commit",
            "Review existing changes, fix issues, and commit",
            "code-review",
            "–",
        ],
    ];
    assert_eq!(shown, expected);
    let listed: Vec<_> = BUNDLED.iter().map(|recipe| recipe.outline().id).collect();
    assert_eq!(listed, expected.map(|row| row[0]), "the catalog is in the order of the labels");
}

#[test]
fn steps_outcomes_and_exits() {
    let tables = [
        (
            "implement-and-review",
            "implement: complete → code-review · no-tasks → exit no-tasks-available · blocked → exit implementation-blocked\n\
             code-review: no-issues → commit · issues-found → fix\n\
             fix: complete → code-review\n\
             commit: committed → exit task-committed · nothing-to-commit → exit no-changes-to-commit",
        ),
        (
            "implement-and-review-all",
            "implement: complete → code-review · no-tasks → exit no-tasks-available · blocked → exit implementation-blocked\n\
             code-review: no-issues → commit · issues-found → fix\n\
             fix: complete → code-review\n\
             commit: committed → restart implement-and-review-all · nothing-to-commit → restart implement-and-review-all",
        ),
        (
            "review-and-commit",
            "code-review: no-issues → commit · issues-found → fix\n\
             fix: complete → code-review\n\
             commit: committed → exit changes-committed · nothing-to-commit → exit no-changes-to-commit",
        ),
        (
            "document-design",
            "document: complete → review · needs-input → exit clarification-needed\n\
             review: no-issues → commit · issues-found → fix\n\
             fix: complete → review\n\
             commit: committed → exit design-committed · nothing-to-commit → exit no-changes-to-commit",
        ),
        (
            "break-down-tasks",
            "analyze: complete → create-epic · design-missing → exit no-design-document-found · needs-input → exit clarification-needed\n\
             create-epic: complete → create-tasks\n\
             create-tasks: complete → review-tasks\n\
             review-tasks: no-issues → commit · issues-found → fix-tasks\n\
             fix-tasks: complete → review-tasks\n\
             commit: committed → exit tasks-committed · nothing-to-commit → exit no-changes-to-commit",
        ),
        (
            "rebase",
            "rebase: complete → review · ask-questions → exit clarification-needed · conflicts-unresolvable → exit conflicts-require-human-intervention\n\
             review: no-issues → complete · issues-found → fix\n\
             fix: complete → review\n\
             complete: done → exit rebase-complete",
        ),
        ("retrospective", "reflect: complete → exit retrospective-complete"),
    ];
    for (id, expected) in tables {
        assert_eq!(table(outline(id)), expected, "{id}");
    }
}

#[test]
fn refine_design_has_five_passes_and_a_final_review() {
    let mut expected = vec![
        "locate-design: found → review-completeness · not-found → exit no-design-document-found"
            .to_owned(),
    ];
    let passes = ["completeness", "breadth", "simplicity", "consistency", "polish"];
    for (index, pass) in passes.iter().enumerate() {
        let next = passes
            .get(index + 1)
            .map_or("final-review".to_owned(), |next| format!("review-{next}"));
        expected.push(format!("review-{pass}: no-issues → {next} · issues-found → fix-{pass}"));
        expected.push(format!("fix-{pass}: complete → review-{pass}"));
    }
    expected.push("final-review: no-issues → commit · issues-found → fix-final".to_owned());
    expected.push("fix-final: complete → final-review".to_owned());
    expected.push(
        "commit: committed → exit design-refined-and-committed · nothing-to-commit → exit no-changes-to-commit".to_owned(),
    );
    assert_eq!(table(RefineDesign::OUTLINE), expected.join("\n"));
    assert_eq!(RefineDesign::OUTLINE.steps.len(), 14);
}

#[test]
fn the_limits_and_the_bounds_that_follow_from_them() {
    for recipe in BUNDLED.iter().map(AnyRecipe::outline) {
        let limits = recipe.guardrails;
        let expected =
            if recipe.id == "refine-design" { (Some(5), Some(150)) } else { (Some(3), Some(100)) };
        assert_eq!((limits.max_step_visits, limits.max_total_steps), expected, "{}", recipe.id);
        assert!(limits.exit_on_other);
        assert_eq!(limits.max_restarts.is_some(), recipe.id == "implement-and-review-all");
        assert!(
            recipe.never_trips.contains(&Guardrail::MaxTotalSteps),
            "{}: the limit on visits is hit first",
            recipe.id
        );
        assert!(recipe.max_steps_is_exact, "{}", recipe.id);
        let visits: u32 = recipe.heaviest_path.iter().map(|part| part.visits).sum();
        assert_eq!(visits, recipe.max_steps, "{}", recipe.id);
    }
    // locate + six times five reviews and the four fixes between them + commit
    assert_eq!(RefineDesign::MAX_STEPS, 1 + 6 * (5 + 4) + 1);
    assert_eq!(ImplementAndReviewAll::OUTLINE.guardrails.max_restarts, Some(50));
}

#[test]
fn every_step_ends_with_other_and_has_a_prompt_that_names_its_outcomes() {
    for recipe in BUNDLED.iter().map(AnyRecipe::outline) {
        for step in recipe.steps {
            let (other, own) = step.outcomes.split_last().expect("every step has outcomes");
            assert_eq!(other.name, "other");
            assert!(
                matches!(other.next, NextOutline::Exit(reason) if reason.definition().code == "user-provided-other")
            );
            for outcome in own {
                let named = step.prompt.contains(&format!("`{}`", outcome.name));
                assert!(
                    named,
                    "{} / {} does not say when to choose `{}`",
                    recipe.id, step.name, outcome.name
                );
            }
            assert!(
                !step.description.is_empty(),
                "{} / {} has no description",
                recipe.id,
                step.name
            );
        }
    }
}

#[test]
fn the_implement_prompt_uses_the_given_task_and_then_the_tracker() {
    let prompt = outline("implement-and-review").first_step().prompt;
    let (note, tracker) = (prompt.find("If a note says"), prompt.find("run `bd ready`"));
    assert!(note.is_some() && note < tracker, "a given task comes first");
    assert!(prompt.contains("you don't need the tracker `bd`") && prompt.contains("no-tasks"));
}

#[test]
fn a_task_is_needed_where_one_is_implemented() {
    for recipe in BUNDLED.iter().map(AnyRecipe::outline) {
        let implements = recipe.steps.iter().any(|step| step.name == "implement");
        assert_eq!(recipe.needs.task, implements, "{}", recipe.id);
    }
}

#[test]
fn every_step_lists_its_tools_and_no_more_than_it_needs() {
    for recipe in BUNDLED.iter().map(AnyRecipe::outline) {
        for step in recipe.steps {
            let place = format!("{} / {}", recipe.id, step.name);
            assert!(step.tools.is_some_and(|tools| !tools.is_empty()), "{place}");
            assert!(
                step.command.is_none() && step.verify.is_empty(),
                "{place}: a project adds its own"
            );
            let edits = ["implement", "document", "rebase"].contains(&step.name)
                || step.name.starts_with("fix") && step.name != "fix-tasks";
            assert_eq!(may(step, "edit"), edits, "{place}");
            assert_eq!(
                may(step, "git commit *"),
                step.name == "commit" || place == "rebase / fix",
                "{place}"
            );
            assert!(!may(step, "web"), "{place}");
            let forbidden =
                ["git push", "git *", "bd *", "bd sync", "git reset", "git checkout", "bash", "sh"];
            let found =
                tools(step).find(|tool| forbidden.iter().any(|word| is_command(tool, word)));
            assert_eq!(found, None, "{place}");
        }
    }
}

#[test]
fn an_outcome_that_git_can_prove_requires_evidence() {
    let outlines = BUNDLED.iter().map(AnyRecipe::outline);
    let outcomes = outlines.flat_map(|recipe| {
        let steps = recipe.steps.iter().map(move |step| (recipe.id, step));
        steps.flat_map(|(id, step)| {
            step.outcomes.iter().map(move |outcome| (id, step.name, outcome))
        })
    });
    let with_evidence: Vec<_> = outcomes
        .filter(|(_, _, outcome)| !outcome.evidence.is_empty())
        .map(|(id, step, outcome)| {
            format!("{id} / {step} / {} if {}", outcome.name, Evidence::all(outcome.evidence))
        })
        .collect();
    let expected = [
        "break-down-tasks / commit / committed if commit",
        "break-down-tasks / commit / nothing-to-commit if no_commit && clean",
        "document-design / commit / committed if commit",
        "document-design / commit / nothing-to-commit if no_commit && clean",
        "implement-and-review / commit / committed if commit",
        "implement-and-review / commit / nothing-to-commit if no_commit && clean",
        "implement-and-review-all / commit / committed if commit",
        "implement-and-review-all / commit / nothing-to-commit if no_commit && clean",
        "rebase / rebase / complete if rebased_on_main",
        "rebase / complete / done if rebased_on_main",
        "refine-design / commit / committed if commit",
        "refine-design / commit / nothing-to-commit if no_commit && clean",
        "review-and-commit / commit / committed if commit",
        "review-and-commit / commit / nothing-to-commit if no_commit && clean_tree",
    ];
    assert_eq!(with_evidence, expected);
}

#[test]
fn every_review_reports_its_findings() {
    for recipe in BUNDLED.iter().map(AnyRecipe::outline) {
        for step in recipe.steps {
            let place = format!("{} / {}", recipe.id, step.name);
            for outcome in step.outcomes {
                assert_eq!(
                    outcome.findings,
                    outcome.name == "issues-found",
                    "{place} / {}",
                    outcome.name
                );
            }
            let reviews = step.outcomes.iter().any(|outcome| outcome.findings);
            assert_eq!(step.name.contains("review"), reviews, "{place}");
            assert_eq!(
                step.prompt.contains("`findings`"),
                reviews,
                "{place}: exactly the prompts of reviews ask for findings"
            );
        }
        assert_eq!(
            recipe.guardrails.max_review_rounds, None,
            "{}: the default is enough",
            recipe.id
        );
    }
}

#[test]
fn recipes_that_change_code_allow_lockfiles_and_only_a_rebase_needs_a_clean_tree() {
    let with_lockfiles =
        ["implement-and-review", "implement-and-review-all", "rebase", "review-and-commit"];
    for recipe in BUNDLED.iter().map(AnyRecipe::outline) {
        assert_eq!(recipe.allow_lockfiles, with_lockfiles.contains(&recipe.id), "{}", recipe.id);
        assert_eq!(recipe.needs.clean_tree, recipe.id == "rebase", "{}", recipe.id);
        assert!(
            recipe.scope.is_everything() && !recipe.isolate,
            "{}: a project sets these itself",
            recipe.id
        );
    }
}

#[test]
fn no_commit_is_taken_on_trust() {
    for recipe in BUNDLED.iter().map(AnyRecipe::outline) {
        let outcomes = recipe.steps.iter().flat_map(|step| step.outcomes);
        for outcome in outcomes.filter(|outcome| outcome.name == "committed") {
            assert_eq!(outcome.evidence, [Evidence::Commit], "{}", recipe.id);
        }
    }
}

#[test]
fn a_step_may_run_the_commands_that_its_prompt_tells_it_to() {
    for recipe in BUNDLED.iter().map(AnyRecipe::outline) {
        for step in recipe.steps {
            for requested in commands(step.prompt) {
                let allowed = tools(step).any(|tool| {
                    let command = tool.strip_suffix(" *").unwrap_or(&tool);
                    is_command(&requested, command)
                });
                assert!(
                    allowed,
                    "{} / {}: `{requested}` is not among its tools",
                    recipe.id, step.name
                );
            }
        }
    }
}

/// The commands that a prompt tells an agent to run, without those that every agent may run.
fn commands(prompt: &str) -> Vec<String> {
    const FREE: [&str; 5] = ["git status", "git diff", "git log", "git show", "git rev-parse"];
    let sections = prompt.split("\n## ").filter(|section| !section.starts_with("Don't"));
    let sentences =
        sections.flat_map(|section| section.split(". ").flat_map(|part| part.split(".\n")));
    // A sentence that forbids a command names it as well.
    let requests = sentences.filter(|sentence| !sentence.contains("n't"));
    let code = requests.flat_map(|sentence| sentence.split('`').skip(1).step_by(2));
    code.map(|code| code.split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|code| {
            let is_checked = ["git ", "bd ", "GIT_EDITOR=true git "]
                .iter()
                .any(|program| code.starts_with(program));
            is_checked && !FREE.iter().any(|free| is_command(code, free))
        })
        .collect()
}

fn tools(step: &StepOutline) -> impl Iterator<Item = String> {
    step.tools.unwrap_or_default().iter().map(Tool::to_string)
}

fn may(step: &StepOutline, tool: &str) -> bool {
    tools(step).any(|allowed| allowed == tool)
}

/// Whether a text is this command, or begins with it.
fn is_command(text: &str, command: &str) -> bool {
    text == command || text.strip_prefix(command).is_some_and(|rest| rest.starts_with(' '))
}
