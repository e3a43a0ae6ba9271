//! The invariants of the exit-reason registry, and its table in the docs.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use surefire::{Category, ExitReason, Family, ReasonInfo, Registry};

fn definitions() -> impl Iterator<Item = &'static ReasonInfo> {
    ExitReason::ALL.iter().copied().map(Registry::definition)
}

#[test]
fn codes_are_unique_and_lead_back_to_their_reason() {
    let codes: HashSet<_> = definitions().map(|definition| definition.code).collect();
    assert_eq!(codes.len(), ExitReason::ALL.len());
    for reason in ExitReason::ALL.iter().copied() {
        assert_eq!(ExitReason::from_code(reason.definition().code), Some(reason));
        assert_eq!(reason.to_string(), reason.definition().code);
    }
}

#[test]
fn exit_codes_are_unique_and_in_their_familys_range() {
    let mut seen = BTreeMap::new();
    for definition in definitions() {
        assert_eq!(definition.exit_code == 0, definition.goal_met, "{}", definition.code);
        if definition.goal_met {
            assert_eq!(definition.category, Category::Completed);
            continue;
        }
        let family =
            definition.family.unwrap_or_else(|| panic!("{} has no family", definition.code));
        assert!(family.exit_codes().contains(&definition.exit_code), "{}", definition.code);
        assert_eq!(
            seen.insert(definition.exit_code, definition.code),
            None,
            "{}",
            definition.exit_code
        );
    }
    assert!(!seen.contains_key(&64), "64 is the exit status of usage errors");
}

#[test]
fn every_column_is_filled() {
    for definition in definitions() {
        for text in [definition.message, definition.title, definition.diagnosis, definition.hint] {
            assert!(!text.trim().is_empty(), "{}", definition.code);
        }
        assert_ne!(
            definition.message, definition.diagnosis,
            "{}: the diagnosis repeats the message",
            definition.code
        );
        assert_ne!(
            definition.message, definition.hint,
            "{}: the hint repeats the message",
            definition.code
        );
    }
}

/// The columns that other tools, old journals and the app rely on. The page in the docs lists them
/// too.
#[test]
fn codes_categories_families_and_exit_codes_do_not_change() {
    // code, category, exit code, family, goal met
    let rows = [
        ("task-committed", Category::Completed, 0, None, true),
        ("changes-committed", Category::Completed, 0, None, true),
        ("design-committed", Category::Completed, 0, None, true),
        ("design-refined-and-committed", Category::Completed, 0, None, true),
        ("tasks-committed", Category::Completed, 0, None, true),
        ("no-changes-to-commit", Category::Completed, 0, None, true),
        ("no-tasks-available", Category::Completed, 0, None, true),
        ("rebase-complete", Category::Completed, 0, None, true),
        ("retrospective-complete", Category::Completed, 0, None, true),
        ("restart-new-session", Category::Completed, 0, None, true),
        ("clarification-needed", Category::Completed, 34, Some(Family::Worker), false),
        ("implementation-blocked", Category::Completed, 33, Some(Family::Worker), false),
        ("no-design-document-found", Category::Completed, 6, Some(Family::Constraint), false),
        (
            "conflicts-require-human-intervention",
            Category::Completed,
            12,
            Some(Family::Failure),
            false,
        ),
        ("user-provided-other", Category::Completed, 131, Some(Family::User), false),
        ("user-requested", Category::Completed, 132, Some(Family::User), false),
        ("orchestration-disabled", Category::Completed, 133, Some(Family::User), false),
        ("user_stopped", Category::Completed, 130, Some(Family::User), false),
        ("max-total-steps", Category::Guardrail, 128, Some(Family::ResourceLimit), false),
        ("max-step-visits-exceeded", Category::Guardrail, 129, Some(Family::ResourceLimit), false),
        ("max-restarts", Category::Guardrail, 122, Some(Family::ResourceLimit), false),
        ("cost_budget", Category::Guardrail, 123, Some(Family::ResourceLimit), false),
        ("timeout", Category::Guardrail, 124, Some(Family::ResourceLimit), false),
        ("max_ticks", Category::Guardrail, 125, Some(Family::ResourceLimit), false),
        ("stalled", Category::Guardrail, 126, Some(Family::ResourceLimit), false),
        ("guard_violation", Category::Guardrail, 2, Some(Family::Constraint), false),
        ("lockfile_violation", Category::Guardrail, 3, Some(Family::Constraint), false),
        ("dirty_worktree", Category::Guardrail, 4, Some(Family::Constraint), false),
        ("file_collision", Category::Guardrail, 5, Some(Family::Constraint), false),
        ("permission_denied", Category::Guardrail, 7, Some(Family::Constraint), false),
        ("session_locked", Category::Guardrail, 8, Some(Family::Constraint), false),
        ("output_limit", Category::Guardrail, 9, Some(Family::Constraint), false),
        ("review_loop_detected", Category::Guardrail, 20, Some(Family::Review), false),
        ("review_rejected", Category::Guardrail, 21, Some(Family::Review), false),
        ("orchestration-error", Category::Error, 13, Some(Family::Failure), false),
        ("error", Category::Error, 35, Some(Family::Worker), false),
        ("internal-error", Category::Error, 14, Some(Family::Failure), false),
        ("no-prompt", Category::Error, 15, Some(Family::Failure), false),
        ("interrupted", Category::Error, 16, Some(Family::Failure), false),
        ("storage_error", Category::Error, 17, Some(Family::Failure), false),
        ("rate_limited", Category::Error, 36, Some(Family::Worker), false),
        ("auth_required", Category::Error, 37, Some(Family::Worker), false),
        ("api_overloaded", Category::Error, 38, Some(Family::Worker), false),
        ("context_exhausted", Category::Error, 39, Some(Family::Worker), false),
        ("verification_failed", Category::Error, 10, Some(Family::Failure), false),
        ("verification_timeout", Category::Error, 11, Some(Family::Failure), false),
        ("worker_blocked", Category::Error, 30, Some(Family::Worker), false),
        ("worker_failed", Category::Error, 31, Some(Family::Worker), false),
        ("worker_timeout", Category::Error, 32, Some(Family::Worker), false),
    ];
    for (code, category, exit_code, family, goal_met) in rows {
        let definition = ExitReason::from_code(code)
            .unwrap_or_else(|| panic!("there is no `{code}`"))
            .definition();
        let columns =
            (definition.category, definition.exit_code, definition.family, definition.goal_met);
        assert_eq!(columns, (category, exit_code, family, goal_met), "{code}");
    }
}

/// The fifteen reasons that other tools know too: their texts are part of the contract.
#[test]
fn titles_and_diagnoses_known_to_other_tools_do_not_change() {
    let rows = [
        (
            "timeout",
            "Time budget exceeded",
            "Increase time budget with --time or simplify task into smaller milestones",
        ),
        (
            "max_ticks",
            "Maximum supervisor ticks reached",
            "Increase --max-ticks or simplify task to reduce phase transitions",
        ),
        (
            "stalled",
            "Run stalled (no progress)",
            "Run made no progress for extended period. Check worker logs for hangs.",
        ),
        (
            "guard_violation",
            "Scope guard violation",
            "Agent attempted changes outside allowlist or inside denylist. Check scope configuration.",
        ),
        (
            "lockfile_violation",
            "Disallowed lockfile changes",
            "Agent modified lockfiles without permission. Use --allow-deps or update allowlist.",
        ),
        (
            "dirty_worktree",
            "Dirty worktree before run",
            "Uncommitted changes detected. Commit or use --allow-dirty.",
        ),
        (
            "file_collision",
            "File ownership collision with active run",
            "Another run has claimed ownership of files in scope. Wait or use --force-parallel.",
        ),
        (
            "verification_failed",
            "Verification commands failed",
            "Implementation did not pass verification tier. Check failure logs and retry.",
        ),
        (
            "verification_timeout",
            "Verification timeout",
            "Verification commands exceeded time limit. Increase max_verify_time_per_milestone.",
        ),
        (
            "review_loop_detected",
            "Review loop detected (repeated same review)",
            "Agent unable to address review comments after multiple attempts. Manual intervention needed.",
        ),
        (
            "review_rejected",
            "Review explicitly rejected",
            "Reviewer rejected implementation. Check review memo for details.",
        ),
        (
            "worker_blocked",
            "Worker reported blocked status",
            "Worker unable to proceed. Check handoff memo for details.",
        ),
        (
            "worker_failed",
            "Worker process failed",
            "Worker process crashed or returned error. Check worker logs.",
        ),
        (
            "worker_timeout",
            "Worker call timeout",
            "Worker did not respond within timeout. Check worker health and network.",
        ),
        ("user_stopped", "User requested stop", "Run stopped by user request (Ctrl+C)."),
    ];
    for (code, title, diagnosis) in rows {
        let definition = ExitReason::from_code(code).expect("it is in the registry").definition();
        assert_eq!((definition.title, definition.diagnosis), (title, diagnosis), "{code}");
    }
}

#[test]
fn the_default_remedy_follows_from_the_other_columns() {
    use surefire::{RunLimit, RunRemedy};
    let remedy = |reason: ExitReason| reason.definition().remedy;
    assert_eq!(remedy(ExitReason::TaskCommitted), RunRemedy::Again);
    assert_eq!(remedy(ExitReason::ClarificationNeeded), RunRemedy::Answer);
    assert_eq!(remedy(ExitReason::ReviewRejected), RunRemedy::Resume);
    assert_eq!(remedy(ExitReason::Interrupted), RunRemedy::Resume);
    assert_eq!(remedy(ExitReason::CostBudget), RunRemedy::Raise(RunLimit::Budget));
}

#[test]
fn derived_lists() {
    let auto: Vec<_> =
        ExitReason::auto_resumable().map(|reason| reason.definition().code).collect();
    assert_eq!(
        auto,
        ["stalled", "interrupted", "rate_limited", "api_overloaded", "worker_timeout"]
    );
    let reviews: Vec<_> = ExitReason::in_family(Family::Review).collect();
    assert_eq!(reviews, [ExitReason::ReviewLoopDetected, ExitReason::ReviewRejected]);
    let all: usize =
        Category::ALL.iter().map(|category| ExitReason::in_category(*category).count()).sum();
    assert_eq!(all, ExitReason::ALL.len());
}

#[test]
fn a_definition_as_json() {
    let json = serde_json::to_value(ExitReason::MaxTotalSteps.definition())
        .expect("a definition serializes");
    let expected = serde_json::json!({
        "code": "max-total-steps",
        "category": "guardrail",
        "message": "Recipe stopped: reached maximum step limit (N steps)",
        "title": "Step limit reached",
        "family": "resource_limit",
        "exit_code": 128,
        "diagnosis": "Look at the steps it repeated; raise max_total_steps only if they made progress.",
        "hint": "Look at the steps it repeated; raise max_total_steps only if they made progress.",
        "remedy": "raise(steps)",
        "status": { "name": "limited", "words": "Stopped by a limit" },
        "auto_resumable": false,
        "goal_met": false,
    });
    assert_eq!(json, expected);
}

/// Run with `UPDATE_DOCS=1` to regenerate the page.
#[test]
fn the_page_in_the_docs_is_current() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/architecture/stop-reasons.md");
    let page = page();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &page).expect("the docs can be written");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == page,
        "{} is not current: run `UPDATE_DOCS=1 cargo test --test pure registry`",
        path.display()
    );
}

fn page() -> String {
    let families: String = Family::ALL
        .iter()
        .map(|family| {
            let range = family.exit_codes();
            let range = if *range.end() == u8::MAX {
                format!("{}+", range.start())
            } else {
                format!("{}–{}", range.start(), range.end())
            };
            format!("| `{family}` | {} | {range} |\n", family.description())
        })
        .collect();
    let tables: String = Category::ALL
        .iter()
        .map(|category| {
            let rows: String = ExitReason::in_category(*category).map(row).collect();
            format!(
                "\n## {category}\n\n\
                 | code | message | title | family | exit | goal met | auto-resumable | remedy | what to do | known from | produced by |\n\
                 |---|---|---|---|--:|---|---|---|---|---|---|\n{rows}"
            )
        })
        .collect();
    format!(
        "# Stop reasons\n\n\
         Every run ends for one of these reasons, or for one that the recipe's author defined (`exits:`).\n\
         They are the variants of `ExitReason` in `src/recipe/exit_reason.rs`. This page is generated from\n\
         them by `UPDATE_DOCS=1 cargo test --test pure registry`, and a test keeps it current.\n\n\
         To add a reason, add a variant with its `#[reason(…)]` there. A missing category or message, a\n\
         duplicate code or exit code, or an exit code outside its family's range does not compile.\n\n\
         `remedy` is the first action that every client offers after such an end: `again`, `resume`,\n\
         `raise(…)` with a limit, `answer`, `doctor`, `permit(…)` with an exception, `follow` or `none`;\n\
         see `RunRemedy`. The default is `again` if the goal is met, `answer` if the recipe completed\n\
         without meeting it, and `resume` otherwise. *What to do* is the `hint`. It equals the `diagnosis`\n\
         on the wire, unless that text names options that exist only in another tool.\n\n\
         *Known from* says whether the engine verified the reason or only the agent reported it.\n\
         *Produced by* is the test that makes the real command end for this reason, and checks its output,\n\
         its exit status and its files; its row is in [`table.rs`](../../tests/cli/reasons/table.rs).\n\n\
         ## Families\n\n| family | about | exit codes |\n|---|---|---|\n{families}\
         | – | done, the goal is met | 0 |\n| – | authors' own reasons | 40–63, 80–119 |\n{tables}"
    )
}

/// The test that produces a reason, according to the table of producers.
struct Producer {
    known_from: &'static str,
    /// A file in the table's directory, without its extension.
    file: &'static str,
    function: &'static str,
}

impl Producer {
    fn of(reason: ExitReason) -> Self {
        const TABLE: &str = include_str!("../cli/reasons/table.rs");

        let arm = TABLE.split_once(&format!("ExitReason::{reason:?} =>"));
        let (_, arm) = arm.unwrap_or_else(|| panic!("the table of producers has no `{reason}`"));
        let parts = arm.trim_start_matches(['{', '(', ' ', '\n']).split_once(", ");
        let (basis, call) = parts.unwrap_or_else(|| panic!("`{reason}`: an arm has two parts"));
        let path = call.split('(').next().unwrap_or_default();
        let (file, function) =
            path.split_once("::").unwrap_or_else(|| panic!("`{path}` has no file"));
        let known_from = match basis {
            "Engine" => "verified by the engine",
            "Agent" => "reported by the agent",
            other => panic!("`{reason}` is known from `{other}`"),
        };
        Self { known_from, file, function }
    }

    fn path(&self) -> String {
        format!("tests/cli/reasons/{}.rs", self.file)
    }
}

#[test]
fn the_producer_of_every_reason_exists() {
    for reason in ExitReason::ALL.iter().copied() {
        let producer = Producer::of(reason);
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(producer.path());
        let source = std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let function = format!("pub(super) fn {}(", producer.function);
        assert!(
            source.contains(&function),
            "`{reason}`: there is no `{function}` in {}",
            path.display()
        );
    }
}

fn row(reason: ExitReason) -> String {
    let (definition, producer) = (reason.definition(), Producer::of(reason));
    let code = if definition.message.contains("{step}") {
        format!("{}:STEP", definition.code)
    } else {
        definition.code.to_owned()
    };
    let family = definition.family.map_or("–".to_owned(), |family| format!("`{family}`"));
    let yes = |fact: bool| if fact { "yes" } else { "no" };
    format!(
        "| `{code}` | {} | {} | {family} | {} | {} | {} | `{}` | {} | {} | [`{}`](../../{}) |\n",
        definition.general_message(),
        definition.title,
        definition.exit_code,
        yes(definition.goal_met),
        yes(definition.auto_resumable),
        definition.remedy,
        definition.hint,
        producer.known_from,
        producer.function,
        producer.path(),
    )
}
