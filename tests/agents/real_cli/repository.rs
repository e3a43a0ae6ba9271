//! What a repository brings: programs that run unasked, and instructions. In an untrusted
//! repository the agent gets only the instructions.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use surefire::agent::{Agent, RepositorySettings, Turn};
use surefire_testkit::{Move, RealCli, eventually};

use super::Real;

/// In files of instructions, so that the service sees in a request which of them the model was
/// given.
const WORDS: &str = "Mind the heron in the reeds.";
const IMPORTED: &str = "Mind the otter below the bridge.";

impl Real {
    /// Puts a file into the project, or beside it.
    fn writes(&self, name: &str, text: &str) {
        let file = self.project().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    /// Hooks that leave a mark when a session begins and when a tool is used.
    fn hooks(&self, mark: &str) -> String {
        let hook = |name: &str| {
            let command = format!("touch {}", self.mark(&format!("{mark}-{name}")).display());
            json!([{ "hooks": [{ "type": "command", "command": command }] }])
        };
        json!({ "hooks": { "SessionStart": hook("session"), "PreToolUse": hook("tool") } })
            .to_string()
    }

    /// An MCP server that leaves a mark when it is started, and ends.
    fn servers(&self, mark: &str) -> String {
        let command = format!("touch {}", self.mark(mark).display());
        json!({ "mcpServers": { "other": { "command": "sh", "args": ["-c", command] } } })
            .to_string()
    }

    fn mark(&self, name: &str) -> PathBuf {
        self.folder.path().join("marks").join(name)
    }

    /// The marks that were left, in the order of their names.
    fn marks(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path().join("marks")).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// A project that brings all of it along, and a user who has a hook as well.
    fn bringing(cli: &RealCli) -> Self {
        let real = Self::scripted(cli);
        fs::create_dir(real.folder.path().join("marks")).unwrap();
        real.writes("CLAUDE.md", &format!("{WORDS}\n\n@docs/more.md\n"));
        real.writes("docs/more.md", IMPORTED);
        real.writes(".claude/settings.json", &real.hooks("project"));
        real.writes(".claude/settings.local.json", &real.hooks("local"));
        real.writes(".mcp.json", &real.servers("server"));
        real.writes("../home/.claude/settings.json", &real.hooks("user"));
        real
    }

    /// Takes a turn that uses a tool, and gives back what the model was asked first.
    async fn uses_a_tool(&self, turn: &Turn) -> String {
        let before = self.service().requests().len();
        self.service().play([Move::runs("git status"), Move::says("Done.")]);
        let reply = self.take(turn).await.unwrap();
        assert_eq!(reply.text, "Done.");
        self.service().requests().get(before).map(Value::to_string).unwrap()
    }
}

fn untrusted(turn: Turn) -> Turn {
    turn.repository(RepositorySettings::LeftOut)
}

/// The CLI's default behaviour, which makes the flags necessary: this directory was never trusted.
#[tokio::test]
async fn a_repositorys_hooks_and_servers_run_where_they_are_used() {
    for cli in RealCli::all() {
        let real = Real::bringing(&cli);
        let asked = real.uses_a_tool(&real.turn("Do it.")).await;
        assert!(asked.contains(WORDS), "{cli:?}");
        for mark in
            ["local-tool", "project-session", "project-tool", "server", "user-session", "user-tool"]
        {
            // The CLI does not wait until its servers have started.
            eventually(mark, || real.mark(mark).exists()).await;
        }
    }
}

#[tokio::test]
async fn where_they_are_left_out_only_the_instructions_reach_the_model() {
    for cli in RealCli::all() {
        // The working directory is the top of the repository, or below it.
        for directory in ["", "docs"] {
            let real = Real::bringing(&cli);
            let turn = untrusted(real.turn("Do it."));
            let below = turn.directory.join(directory);
            let turn = turn.directory(below);
            let asked = real.uses_a_tool(&turn).await;
            assert_eq!(real.marks(), ["user-session", "user-tool"], "{cli:?} in {directory:?}");
            for words in [WORDS, IMPORTED] {
                assert!(asked.contains(words), "{cli:?} in {directory:?}: {words}");
            }
        }
    }
}

/// The CLI starts the servers of every directory above, so in a submodule it would start those of
/// the repository around it.
#[tokio::test]
async fn servers_from_above_the_repository_are_left_out_as_well() {
    for cli in RealCli::all() {
        for repository in [RepositorySettings::Used, RepositorySettings::LeftOut] {
            let real = Real::scripted(&cli);
            fs::create_dir(real.folder.path().join("marks")).unwrap();
            real.writes("CLAUDE.md", WORDS);
            real.writes("../.mcp.json", &real.servers("server"));
            let asked = real.uses_a_tool(&real.turn("Do it.").repository(repository)).await;
            assert!(asked.contains(WORDS), "{cli:?} {repository:?}");
            match repository {
                RepositorySettings::Used => {
                    eventually("a server", || real.marks() == ["server"]).await;
                }
                _ => assert_eq!(real.marks(), [""; 0], "{cli:?}"),
            }
        }
    }
}

/// Then no flag is needed, and the CLI also reads the instructions beside a file further down.
#[tokio::test]
async fn where_there_is_nothing_to_leave_out_instructions_further_down_are_read_too() {
    for cli in RealCli::all() {
        let real = Real::scripted(&cli);
        real.writes("docs/CLAUDE.md", WORDS);
        real.writes("docs/more.md", "x");
        let file = real.project().join("docs/more.md");
        real.service()
            .play([Move::uses("Read", json!({ "file_path": file })), Move::says("Done.")]);
        real.take(&untrusted(real.turn("Do it."))).await.unwrap();
        let asked = real.service().requests().last().map(Value::to_string).unwrap();
        assert!(asked.contains(WORDS), "{cli:?}");
    }
}

/// The CLI applies a repository's own permissions only if it trusts the directory, which shows
/// where it looks that up.
#[tokio::test]
async fn a_directory_is_trusted_where_the_cli_itself_trusts_it() {
    for cli in RealCli::all() {
        for is_trusted in [true, false] {
            let real = Real::scripted(&cli);
            let top = real.project().canonicalize().unwrap();
            let answers = json!({ "projects": { top.to_str().unwrap(): { "hasTrustDialogAccepted": is_trusted } } });
            real.writes("../home/.claude.json", &answers.to_string());
            let allows = json!({ "permissions": { "allow": ["Bash(git tag *)"] } });
            real.writes(".claude/settings.json", &allows.to_string());
            assert_eq!(real.claude.trusts_directory(&real.project()), is_trusted);
            real.service().play([Move::runs("git tag first"), Move::says("Done.")]);
            real.take(&real.turn("Do it.")).await.unwrap();
            assert_eq!(real.git(&["tag"]), if is_trusted { "first" } else { "" }, "{cli:?}");
        }
    }
}

#[tokio::test]
async fn files_that_the_agents_tools_and_its_subagents_wrote_are_known() {
    for cli in RealCli::all() {
        let real = Real::scripted(&cli);
        let file = |name: &str| real.project().join(name);
        let write =
            |name: &str| Move::uses("Write", json!({ "file_path": file(name), "content": "x" }));
        let helper = json!({ "description": "x", "prompt": "Write it.", "subagent_type": "general-purpose" });
        real.service().play([
            Move::uses("Read", json!({ "file_path": file("notes.txt") })),
            Move::uses(
                "Edit",
                json!({ "file_path": file("notes.txt"), "old_string": "old", "new_string": "new" }),
            ),
            Move::uses(
                "Edit",
                json!({ "file_path": file("notes.txt"), "old_string": "gone", "new_string": "x" }),
            ),
            Move::uses(
                "Edit",
                json!({ "file_path": file("missing.txt"), "old_string": "x", "new_string": "y" }),
            ),
            write("../outside.txt"),
            Move::runs("touch touched.txt"),
            Move::uses("Task", helper),
            write("helped.txt"),
            Move::says("Written."),
            write("new.txt"),
            Move::says("Done."),
        ]);
        let reply = real.take(&real.turn("Do it.")).await.unwrap();
        assert_eq!(reply.text, "Done.", "{cli:?}");
        let written = ["notes.txt", "helped.txt", "new.txt"].map(file);
        assert_eq!(reply.written, written, "{cli:?}: {:?}", reply.refused);
    }
}
