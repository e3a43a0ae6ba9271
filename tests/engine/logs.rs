//! What the log says: a prefix for each category, fields, and nothing that the agent could forge.

use std::io;
use std::sync::{Arc, Mutex, OnceLock};

use surefire::agent::Failure;
use surefire::engine::Shutdown;
use tracing_subscriber::fmt::MakeWriter;

use crate::puppet::{Act, Puppet};
use crate::stage::Stage;

#[derive(Clone, Default)]
struct Paper(Arc<Mutex<Vec<u8>>>);

impl io::Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Paper {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

/// Runs implement-and-review with these acts, and gives back the log's lines about it. The log is that of all tests.
async fn log(acts: Vec<Act>) -> Vec<String> {
    static PAPER: OnceLock<Paper> = OnceLock::new();
    let paper = PAPER.get_or_init(|| {
        let paper = Paper::default();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::DEBUG)
            .with_ansi(false)
            .with_writer(paper.clone())
            .finish();
        tracing::subscriber::set_global_default(subscriber).expect("there is no other one");
        paper
    });
    let stage = Stage::new(Puppet::new(acts)).await;
    let (started, _) = stage.run().await;
    stage.engine.shut_down(Shutdown::StopAgents).await;
    let text = String::from_utf8(paper.0.lock().unwrap().clone()).unwrap();
    let session = started.session.to_string();
    text.lines().filter(|line| line.contains(&session)).map(str::to_owned).collect()
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
