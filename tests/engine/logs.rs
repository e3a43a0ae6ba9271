//! What the log says: a prefix for each category, fields, and nothing that the agent could forge.

use surefire::agent::Failure;
use surefire::engine::Shutdown;
use surefire_testkit::{Act, FakeAgent, Harness, LogBuffer};

/// Runs implement-and-review with these acts, and gives back the log's lines about it. The log is that of all tests.
async fn log(acts: Vec<Act>) -> Vec<String> {
    let log = LogBuffer::of_this_process();
    let harness = Harness::new(FakeAgent::new(acts)).await;
    let (started, _) = harness.run().await;
    harness.engine.shut_down(Shutdown::StopAgents).await;
    log.lines_with(&started.session.to_string())
}

fn only<'a>(lines: &'a [String], words: &str) -> &'a str {
    let found: Vec<_> = lines.iter().filter(|line| line.contains(words)).collect();
    assert_eq!(found.len(), 1, "{words}: {lines:#?}");
    found[0]
}

#[tokio::test(start_paused = true)]
async fn each_category_has_its_prefix_and_its_fields() {
    let rounds =
        ["complete", "issues-found", "complete", "issues-found", "complete", "issues-found", "complete"];
    let failure = Failure::NotLoggedIn { words: "Please run /login".into() };
    let table = [
        (vec![Act::Outcome("no-tasks")], "INFO", "Recipe completed", "no-tasks-available", "completed"),
        (
            rounds.map(Act::Outcome).to_vec(),
            "WARN",
            "Recipe stopped by guardrail",
            "max-step-visits-exceeded:code-review",
            "guardrail",
        ),
        (vec![Act::Fails(failure)], "ERROR", "Recipe failed", "auth_required", "error"),
    ];
    for (acts, level, prefix, reason, category) in table {
        let lines = log(acts).await;
        let line = only(&lines, prefix);
        assert!(line.contains(level), "{line}");
        let fields = [
            "session=",
            "recipe=\"implement-and-review\"",
            "step=",
            &format!("reason=\"{reason}\""),
            &format!("category={category}"),
        ];
        for field in fields {
            assert!(line.contains(field), "{field} in {line}");
        }
        assert!(line.contains("run{run="), "in the run's span: {line}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_transition_is_logged_in_the_spans_of_its_run_and_step() {
    let lines = log(vec![]).await;
    let moved = only(&lines, "to=\"commit\"");
    assert!(moved.contains("run{run=") && moved.contains("step{step=\"code-review\""), "{moved}");
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_cannot_be_read_is_logged_short_and_escaped_and_others_are_not() {
    let forged = format!("{}\n2026-01-01 ERROR forged\u{1b}[31m", "SECRET".repeat(100));
    let lines = log(vec![Act::Says(forged), Act::Outcome("no-tasks")]).await;
    let line = only(&lines, "Reply could not be read");
    assert!(line.contains("WARN") && line.contains("unread=\"no-json\""), "{line}");
    assert!(line.contains("forged") && !line.contains('\u{1b}'), "{line}");
    assert!(line.contains("\\n2026-01-01 ERROR"), "it begins no line of its own: {line}");
    let kept = line.matches("SECRET").count();
    assert!(kept > 5 && kept < 40, "at most 200 characters: {kept}");
    assert!(!lines.iter().any(|line| line.contains("Your possible outcomes")), "prompts are not logged");
    assert_eq!(lines.iter().filter(|line| line.contains("Done.")).count(), 0, "nor are good replies");
}
