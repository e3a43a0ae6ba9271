//! What a step's tools allow with default settings, in each version.

use serde_json::json;
use surefire::agent::{PermissionMode, RefusedTool};
use surefire_testkit::{Move, RealCli};

use super::Real;

/// As the CLI's own instructions say: both commands on one line, the message in a quoted heredoc.
const COMMIT: &str =
    "git add -A && git commit -m \"$(cat <<'EOF'\nSay it anew; it was old\nEOF\n)\"";

impl Real {
    /// Reads a file, edits it, and commits that.
    fn edits_and_commits(&self) {
        let file = self.project().join("notes.txt");
        self.service().play([
            Move::uses("Read", json!({ "file_path": file })),
            Move::uses(
                "Edit",
                json!({ "file_path": file, "old_string": "old", "new_string": "new" }),
            ),
            Move::runs(COMMIT),
            Move::says("Done."),
        ]);
    }

    fn commits(&self) -> String {
        self.git(&["log", "--format=%s"])
    }
}

fn refused(reply: &[RefusedTool]) -> Vec<String> {
    reply.iter().map(ToString::to_string).collect()
}

#[tokio::test]
async fn with_its_tools_a_step_makes_a_real_commit() {
    for cli in RealCli::all() {
        let real = Real::scripted(&cli);
        real.edits_and_commits();
        let reply = real.take(&real.step(&["edit", "git add *", "git commit *"])).await.unwrap();
        assert_eq!((reply.text.as_str(), refused(&reply.refused)), ("Done.", vec![]), "{cli:?}");
        assert_eq!(real.commits(), "Say it anew; it was old\nFirst", "{cli:?}");
        assert_eq!(real.git(&["show", "HEAD:notes.txt"]), "new words", "{cli:?}");
        assert_eq!(real.git(&["status", "--porcelain"]), "", "{cli:?}");
    }
}

#[tokio::test]
async fn without_them_the_commit_is_refused_and_named() {
    for cli in RealCli::all() {
        let real = Real::scripted(&cli);
        real.edits_and_commits();
        let reply = real.take(&real.step(&["edit", "git add *"])).await.unwrap();
        let [commit] = reply.refused.as_slice() else { panic!("{cli:?}: {:?}", reply.refused) };
        assert!(commit.to_string().starts_with("Bash: git add -A && git commit -m "), "{commit}");
        let allowed: Vec<_> = commit.allowed_by().iter().map(ToString::to_string).collect();
        assert_eq!(allowed, ["git add *", "git commit *"]);
        assert_eq!(real.commits(), "First", "{cli:?}");
        assert_eq!(
            real.git(&["status", "--porcelain"]),
            "M notes.txt",
            "it was edited all the same"
        );

        // The tools that it names are those that were missing.
        real.service().play([Move::runs(COMMIT), Move::says("Done.")]);
        let turn = real.step(&["edit", "git add *"]).allowed(commit.allowed_by());
        let reply = real.take(&turn).await.unwrap();
        assert_eq!(refused(&reply.refused), [""; 0], "{cli:?}");
        assert_eq!(real.commits(), "Say it anew; it was old\nFirst", "{cli:?}");
    }
}

#[tokio::test]
async fn a_step_that_may_not_edit_has_no_editing_tools() {
    for cli in RealCli::all() {
        // Whatever mode the operator chose, removed tools stay removed.
        for mode in [None, Some(PermissionMode::AcceptEdits)] {
            let mut real = Real::scripted(&cli);
            real.claude = real.claude.clone().permission_mode(mode);
            let file = real.project().join("notes.txt");
            real.service().play([
                Move::uses("Read", json!({ "file_path": file })),
                Move::uses(
                    "Edit",
                    json!({ "file_path": file, "old_string": "old", "new_string": "new" }),
                ),
                Move::uses(
                    "Write",
                    json!({ "file_path": real.project().join("more.txt"), "content": "x" }),
                ),
                Move::uses("WebFetch", json!({ "url": "http://127.0.0.1:9/", "prompt": "x" })),
                Move::runs("git status && git log"),
                Move::says("Done."),
            ]);
            let reply = real.take(&real.step(&["read"])).await.unwrap();
            let tools: Vec<_> = reply.refused.iter().map(|refused| refused.tool.as_str()).collect();
            assert_eq!(tools, ["Edit", "Write", "WebFetch"], "{cli:?}");
            assert_eq!(reply.refused[0].input.as_deref(), file.to_str(), "{cli:?}");
            let offered = real.service().offered();
            assert!(offered.iter().any(|tool| tool == "Read"), "{cli:?}: {offered:?}");
            for tool in ["Edit", "Write", "NotebookEdit", "MultiEdit", "WebFetch", "WebSearch"] {
                assert!(!offered.iter().any(|name| name == tool), "{cli:?}: {tool} in {offered:?}");
            }
            assert_eq!(real.git(&["status", "--porcelain"]), "", "{cli:?}");
        }
    }
}

/// In `acceptEdits` these would run, so the driver never chooses that mode for a step that may not
/// edit.
#[tokio::test]
async fn a_step_that_may_not_edit_cannot_write_with_commands_either() {
    const COMMANDS: [&str; 4] =
        ["echo x > more.txt", "sed -i s/old/new/ notes.txt", "rm notes.txt", "git log > log.txt"];
    for cli in RealCli::all() {
        let real = Real::scripted(&cli);
        real.service().play(COMMANDS.map(Move::runs).into_iter().chain([Move::says("Done.")]));
        let reply = real.take(&real.step(&["git log *"])).await.unwrap();
        assert_eq!(
            refused(&reply.refused),
            COMMANDS.map(|command| format!("Bash: {command}")),
            "{cli:?}"
        );
        assert_eq!(real.git(&["status", "--porcelain"]), "", "{cli:?}");
    }
}

/// If the author lists no tools, the CLI's permission mode decides.
#[tokio::test]
async fn without_a_list_the_mode_is_the_operators() {
    for cli in RealCli::all() {
        let mut real = Real::scripted(&cli);
        real.edits_and_commits();
        let reply = real.take(&real.turn("Do it.")).await.unwrap();
        assert_eq!(reply.refused.len(), 1, "{cli:?}: {:?}", reply.refused);
        assert_eq!(real.git(&["status", "--porcelain"]), "M notes.txt", "{cli:?}");

        // Each version gets the mode by the name that it knows.
        real.claude = real.claude.clone().permission_mode(PermissionMode::Manual);
        let file = real.project().join("more.txt");
        let writes = Move::uses("Write", json!({ "file_path": file, "content": "x" }));
        real.service().play([writes, Move::says("Done.")]);
        let reply = real.take(&real.turn("Do it.")).await.unwrap();
        assert_eq!(reply.refused, [RefusedTool::new("Write", file.to_str())], "{cli:?}");
        assert!(!file.exists(), "{cli:?}");
    }
}
