//! The settings that a repository brings for the CLI: when they are left out, and when the
//! repository is trusted.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use surefire::agent::{Agent, Claude, Failure, RepositorySettings, Turn};
use surefire_testkit::Watcher;
use surefire_testkit::sandbox::ClaudeSandbox;

const SWITCH: &str = "CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD";

/// A turn in a directory of a repository that is not trusted, and the top of that repository.
fn untrusted(sandbox: &ClaudeSandbox) -> (Turn, PathBuf) {
    let turn = sandbox.turn();
    let top = turn.directory.canonicalize().unwrap();
    std::fs::create_dir(top.join(".git")).unwrap();
    std::fs::create_dir(top.join("inside")).unwrap();
    let directory = turn.directory.join("inside");
    (turn.repository(RepositorySettings::LeftOut).directory(directory), top)
}

fn calls(sandbox: &ClaudeSandbox, phase: &str) -> Vec<Value> {
    fake_claude::calls(&sandbox.log()).into_iter().filter(|call| call["phase"] == phase).collect()
}

/// Whether this call leaves out the settings of the repository with this top directory.
fn leaves_out(call: &Value, top: &Path) -> bool {
    let flags = (&call["setting_sources"], &call["strict_mcp_config"], &call["switches"][SWITCH]);
    if flags == (&Value::Null, &json!(false), &Value::Null) {
        assert_eq!(call["added_directories"], json!([]), "{call}");
        return false;
    }
    assert_eq!(
        flags,
        (&json!("user"), &json!(true), &json!("1")),
        "all of the flags or none: {call}"
    );
    assert_eq!(call["added_directories"], json!([top]), "{call}");
    true
}

#[tokio::test]
async fn settings_of_an_untrusted_repository_are_left_out_if_it_has_any() {
    for (file, repository, expected) in [
        (".mcp.json", RepositorySettings::LeftOut, true),
        (".claude", RepositorySettings::LeftOut, true),
        ("inside/.claude", RepositorySettings::LeftOut, true),
        ("CLAUDE.md", RepositorySettings::LeftOut, false),
        (".mcp.json", RepositorySettings::Used, false),
    ] {
        let sandbox = ClaudeSandbox::with(&json!({}));
        let (turn, top) = untrusted(&sandbox);
        std::fs::write(top.join(file), "").unwrap();
        sandbox.take(&turn.repository(repository)).await.unwrap();
        let calls = calls(&sandbox, "began");
        assert_eq!(calls.len(), 1);
        assert_eq!(leaves_out(&calls[0], &top), expected, "{file} {repository:?}: {}", calls[0]);
    }
}

/// The agent's own tools may not write such files, but a command that it runs can.
#[tokio::test]
async fn settings_that_the_agent_made_in_one_turn_are_left_out_of_the_next() {
    let made = json!([{ "bash": "touch .mcp.json" }]);
    let sandbox = ClaudeSandbox::new(&json!({ "answers": [{ "tries": made }] }));
    let (mut turn, top) = untrusted(&sandbox);
    for expected in [false, true] {
        sandbox.take(&turn).await.unwrap();
        let call = calls(&sandbox, "began").pop().unwrap();
        assert_eq!(leaves_out(&call, &top), expected, "{call}");
        turn.opened = true;
    }
}

#[tokio::test]
async fn every_process_of_a_turn_leaves_the_settings_out() {
    let sandbox = ClaudeSandbox::with(&json!({}));
    let (turn, top) = untrusted(&sandbox);
    let conversations = sandbox.folder.path().join("conversations");
    let plan = json!({ "configuration": conversations });
    std::fs::write(sandbox.folder.path().join("plan.json"), plan.to_string()).unwrap();
    sandbox.take(&turn).await.unwrap();
    std::fs::write(top.join(".mcp.json"), "").unwrap();
    // The driver does not know that the conversation exists, so the first process of this turn is
    // refused.
    sandbox.take(&turn).await.unwrap();
    let (refused, began) = (calls(&sandbox, "refused"), calls(&sandbox, "began"));
    assert_eq!((refused.len(), began.len()), (1, 2));
    assert!(!leaves_out(&began[0], &top), "{}", began[0]);
    for call in [&refused[0], &began[1]] {
        assert!(leaves_out(call, &top), "{call}");
    }
}

#[tokio::test]
async fn the_flags_combine_with_tools_and_a_system_prompt() {
    let sandbox = ClaudeSandbox::with(&json!({}));
    let (turn, top) = untrusted(&sandbox);
    std::fs::write(top.join(".mcp.json"), "").unwrap();
    let tools = Some(vec!["edit".parse().unwrap(), "cargo test *".parse().unwrap()]);
    sandbox.take(&turn.tools(tools).system_prompt(Some("Be brief.".to_owned()))).await.unwrap();
    let call = calls(&sandbox, "began").pop().unwrap();
    assert!(leaves_out(&call, &top), "{call}");
    assert_eq!(call["system_prompt"], "Be brief.");
    assert_eq!(call["allowed_tools"], json!(["Bash(cargo test *)"]));
    assert_eq!(call["disallowed_tools"], json!(["WebFetch", "WebSearch"]));
}

#[tokio::test]
async fn a_directory_that_was_trusted_in_the_clis_dialog_is_trusted() {
    let sandbox = ClaudeSandbox::with(&json!({}));
    let (turn, top) = untrusted(&sandbox);
    assert!(!sandbox.claude.trusts_directory(&turn.directory));
    let answers =
        json!({ "projects": { top.to_str().unwrap(): { "hasTrustDialogAccepted": true } } });
    std::fs::write(sandbox.folder.path().join("home/.claude.json"), answers.to_string()).unwrap();
    assert!(sandbox.claude.trusts_directory(&turn.directory));
    assert!(!sandbox.claude.trusts_directory(sandbox.folder.path()));
    let elsewhere =
        Claude::with_environment(sandbox.claude.path(), [("HOME".into(), "/nowhere".into())]);
    assert!(!elsewhere.trusts_directory(&turn.directory));
}

#[tokio::test]
async fn the_files_of_a_turn_that_fails_are_known() {
    let tries = json!([{ "write": { "path": "a.rs", "content": "" } }]);
    let sandbox = ClaudeSandbox::with(&json!({ "act": "max-turns", "tries": tries }));
    let (turn, watcher) = (sandbox.turn(), Watcher::new());
    let file = turn.directory.canonicalize().unwrap().join("a.rs");
    let failure = sandbox.claude.turn(turn, watcher.link.clone()).await.unwrap_err();
    assert!(matches!(failure, Failure::TooManyRounds { .. }), "{failure}");
    watcher.receives(&format!("wrote {}", file.display())).await;
}
