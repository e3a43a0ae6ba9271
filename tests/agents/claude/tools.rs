//! Tools: which ones the CLI may use, which were refused, what a turn costs, and how long a tool
//! may take.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};
use surefire::Tool;
use surefire::agent::{Agent, AgentEvent, Failure, Fate, PermissionMode, ProcessIdentity, Turn};
use surefire_testkit::sandbox::{ClaudeSandbox, alive};
use surefire_testkit::{Watcher, link};

const VERSIONS: [&str; 2] = ["2.1.325", "2.1.197"];

/// Shorter than the waits in these tests.
const SILENCE_TIMEOUT: Duration = Duration::from_millis(200);

fn sandbox(version: &str, answer: &Value) -> ClaudeSandbox {
    ClaudeSandbox::new(&json!({ "version": version, "default": answer }))
}

fn step(sandbox: &ClaudeSandbox, tools: &[&str]) -> Turn {
    let tools: Vec<Tool> = tools.iter().map(|tool| tool.parse().unwrap()).collect();
    sandbox.turn().tools(Some(tools))
}

fn git(directory: &Path, arguments: &[&str]) -> String {
    let mut git = Command::new("git");
    git.env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .current_dir(directory);
    let output = git.args(arguments).output().unwrap();
    assert!(
        output.status.success(),
        "git {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn repository(directory: &Path) {
    git(directory, &["init", "--quiet", "--initial-branch=main"]);
    git(directory, &["config", "user.name", "Test"]);
    git(directory, &["config", "user.email", "test@localhost"]);
    git(directory, &["commit", "--quiet", "--allow-empty", "--message=First"]);
}

#[tokio::test]
async fn a_step_with_its_tools_makes_a_real_commit_and_one_without_does_not() {
    const COMMIT: &str = "Bash: git add -A && git commit --quiet -m 'Add the library'";
    let tries = json!([
        { "write": { "path": "src/lib.rs", "content": "// old\n" } },
        { "edit": { "path": "src/lib.rs", "old": "old", "new": "new" } },
        { "bash": "git add -A && git commit --quiet -m 'Add the library'" },
    ]);
    // `@` stands for the file.
    let table: [(&[&str], &[&str], &str); 3] = [
        (&["edit", "git add *", "git commit *"], &[], "Add the library\nFirst"),
        (&["edit", "git add *"], &[COMMIT], "First"),
        (&["git add *"], &["Write: @", "Edit: @", COMMIT], "First"),
    ];
    for version in VERSIONS {
        for (tools, refused, commits) in table {
            let sandbox = sandbox(version, &json!({ "tries": tries }));
            let turn = step(&sandbox, tools);
            repository(&turn.directory);
            let file = turn.directory.canonicalize().unwrap().join("src/lib.rs");
            let (link, mut events) = link(16);
            let taking = tokio::spawn(sandbox.claude.turn(turn.clone(), link));
            let (mut signalled, mut wrote) = (Vec::new(), Vec::new());
            while let Some(sign) = events.recv().await {
                match sign {
                    AgentEvent::Spawned { go, .. } => go.send(()).unwrap(),
                    AgentEvent::Refused(refused) => signalled.push(refused),
                    AgentEvent::Wrote(file) => wrote.push(file),
                    AgentEvent::Passage(_) | AgentEvent::Used { .. } => {}
                    _ => panic!("{sign:?}"),
                }
            }
            let reply = taking.await.unwrap().unwrap();
            let listed: Vec<_> = reply.refused.iter().map(ToString::to_string).collect();
            let refused = refused.iter().map(|call| call.replace('@', file.to_str().unwrap()));
            assert_eq!(listed, refused.collect::<Vec<_>>(), "{version} {tools:?}");
            assert_eq!(signalled, reply.refused, "{version} {tools:?}: each is signalled once");
            let written = if tools.contains(&"edit") { vec![file] } else { Vec::new() };
            assert_eq!(reply.written, written, "{version} {tools:?}: twice, and listed once");
            assert_eq!(wrote, reply.written, "{version} {tools:?}");
            assert_eq!(
                git(&turn.directory, &["log", "--format=%s"]),
                commits,
                "{version} {tools:?}"
            );
        }
    }
}

#[tokio::test]
async fn the_operators_tools_and_mode_reach_the_cli_and_disallowed_tools_stay_disallowed() {
    let tries = json!([{ "web-fetch": "http://localhost/" }, { "bash": "make" }, { "write": { "path": "x", "content": "" } }]);
    for version in VERSIONS {
        let sandbox = sandbox(version, &json!({ "tries": tries }));
        let allowed = vec![Tool::Web, Tool::Command("make".into())];
        let turn = step(&sandbox, &["read"]).allowed(allowed);
        let claude = sandbox.claude.clone().permission_mode(PermissionMode::BypassPermissions);
        let reply = claude.turn(turn.clone(), Watcher::new().link).await.unwrap();
        let refused: Vec<_> = reply.refused.iter().map(ToString::to_string).collect();
        let file = turn.directory.canonicalize().unwrap().join("x");
        assert_eq!(
            refused,
            [format!("Write: {}", file.display())],
            "{version}: disallowed under every mode"
        );
        let call = &fake_claude::calls(&sandbox.log())[0];
        assert_eq!(call["permission_mode"], "bypassPermissions");
        assert_eq!(call["allowed_tools"], json!(["WebFetch", "WebSearch", "Bash(make)"]));
        assert_eq!(call["disallowed_tools"], json!(["Edit", "Write", "NotebookEdit"]));

        // The mode that newer versions call by another name.
        let claude = sandbox.claude.clone().permission_mode(PermissionMode::Manual);
        claude.turn(turn.opened(true), Watcher::new().link).await.unwrap();
    }
}

#[tokio::test]
async fn refusals_outlive_a_turn_that_fails() {
    for version in VERSIONS {
        let tries = json!([{ "bash": "git push origin" }]);
        let sandbox =
            sandbox(version, &json!({ "act": "max-turns", "tries": tries, "cost_usd": 0.5 }));
        let watcher = Watcher::new();
        let failure =
            sandbox.claude.turn(step(&sandbox, &[]), watcher.link.clone()).await.unwrap_err();
        assert!(matches!(failure, Failure::TooManyRounds { .. }), "{failure}");
        watcher.receives("refused Bash: git push origin").await;
        watcher.receives("spent 0.5").await;
    }
}

/// Only newer versions report a refusal before they end.
#[tokio::test]
async fn a_refusal_is_known_at_once() {
    let sandbox =
        ClaudeSandbox::with(&json!({ "act": "silence", "tries": [{ "bash": "git push origin" }] }));
    let watcher = Watcher::new();
    let taking = tokio::spawn(sandbox.claude.turn(step(&sandbox, &[]), watcher.link.clone()));
    watcher.receives("refused Bash: git push origin").await;
    watcher.link.stop.cancel();
    assert_eq!(taking.await.unwrap(), Err(Failure::Stopped));
}

#[tokio::test]
async fn five_turns_cost_the_same_in_both_forms_of_report() {
    for version in VERSIONS {
        let sandbox = sandbox(version, &json!({ "cost_usd": 0.024 }));
        let (mut turn, mut sum) = (sandbox.turn(), 0.0);
        for number in 0..5 {
            turn.opened = number > 0;
            let reply = sandbox.take(&turn).await.unwrap();
            assert_eq!((reply.version.as_deref(), reply.cost_usd), (Some(version), Some(0.024)));
            sum += reply.cost_usd.unwrap();
        }
        assert!((sum - 0.12).abs() < 1e-9, "{version}: {sum}");
    }
}

/// Newer versions report what runs in the background, and may wait for it longer than the linger
/// timeout.
#[tokio::test]
async fn the_last_of_two_answers_counts_and_both_are_paid() {
    for (version, waits) in [("2.1.325", 2000), ("2.1.197", 0)] {
        let again = json!({
            "delay_ms": waits, "text": "Finished.", "cost_usd": 0.5, "tries": [{ "bash": "git fetch" }],
        });
        let answer = json!({
            "text": "Started.", "cost_usd": 0.25, "tries": [{ "bash": "git push" }], "again": again,
        });
        let sandbox = sandbox(version, &answer);
        let (turn, watcher) = (step(&sandbox, &[]), Watcher::new());
        let reply = sandbox.claude.turn(turn.clone(), watcher.link.clone()).await.unwrap();
        assert_eq!(
            (reply.text.as_str(), reply.cost_usd, reply.rounds),
            ("Finished.", Some(0.75), Some(2))
        );
        let refused: Vec<_> = reply.refused.iter().map(ToString::to_string).collect();
        assert_eq!(refused, ["Bash: git push", "Bash: git fetch"], "{version}");
        watcher.receives("said Started.").await;
        assert_eq!(alive(turn.attempt), [0; 0]);
    }
}

/// Takes a turn until its tool is open, and detaches. The limits are set afterwards, so it does not
/// matter how long the fake takes until then.
async fn detached_with_an_open_tool(
    sandbox: &ClaudeSandbox,
    turn: &Turn,
) -> Option<ProcessIdentity> {
    let watcher = Watcher::new();
    let taking = tokio::spawn(sandbox.claude.turn(turn.clone(), watcher.link.clone()));
    watcher.receives("used Bash").await;
    watcher.link.detach.cancel();
    assert_eq!(taking.await.unwrap(), Err(Failure::Detached));
    watcher.process()
}

/// The server that saw the tool begin is gone; the next one reads it from the output.
#[tokio::test]
async fn silence_does_not_count_while_a_tool_is_open_and_the_time_limit_does() {
    let sandbox = ClaudeSandbox::with(&json!({ "act": "tool-silence" }));
    let mut turn = sandbox.turn();
    let process = detached_with_an_open_tool(&sandbox, &turn).await;
    turn.limits.silence = SILENCE_TIMEOUT;
    turn.limits.duration = 10 * SILENCE_TIMEOUT;
    let fate = sandbox.recover(&turn, process).await;
    let Fate::Ended(Err(failure)) = fate else { panic!("{fate:?}") };
    assert_eq!(failure, Failure::TookTooLong { after: turn.limits.duration });
    assert_eq!(alive(turn.attempt), [0; 0]);
}

#[tokio::test]
async fn once_the_tool_is_done_silence_counts_again() {
    let waits = json!([{ "bash": "while [ ! -e released ]; do sleep 0.02; done" }]);
    let mut sandbox = ClaudeSandbox::with(&json!({ "act": "silence", "tries": waits }));
    sandbox.claude = sandbox.claude.clone().permission_mode(PermissionMode::BypassPermissions);
    let mut turn = sandbox.turn();
    let process = detached_with_an_open_tool(&sandbox, &turn).await;
    turn.limits.silence = SILENCE_TIMEOUT;
    let watching = tokio::spawn(sandbox.claude.recover(turn.clone(), process, Watcher::new().link));
    tokio::time::sleep(5 * SILENCE_TIMEOUT).await;
    assert!(!watching.is_finished(), "{:?}", watching.await);
    std::fs::write(turn.directory.join("released"), "").unwrap();
    let fate = watching.await.unwrap();
    let Fate::Ended(Err(failure)) = fate else { panic!("{fate:?}") };
    assert_eq!(failure, Failure::Silent { after: SILENCE_TIMEOUT });
    assert_eq!(alive(turn.attempt), [0; 0]);
}
