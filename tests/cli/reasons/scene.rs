//! A place with a git work tree and a fake agent that follows a plan, and the end of a run in it.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use surefire_testkit::{commit, make_work_tree};

use crate::command::{CommandOutput, Place};
use crate::example;
use crate::process::{Running, begin};

/// Where runs start, and what their agent does.
pub(super) struct Scene {
    pub(super) place: Place,
    program: PathBuf,
    plan: Value,
}

impl Scene {
    /// The command itself, and an agent that follows this plan, a `fake_claude::Plan`. The work
    /// tree has two tracked files.
    pub(super) fn new(plan: Value) -> Self {
        Self::of(PathBuf::from(env!("CARGO_BIN_EXE_surefire")), plan)
    }

    /// An example's command.
    pub(super) fn example(name: &str, plan: Value) -> Self {
        Self::of(example(name), plan)
    }

    fn of(program: PathBuf, plan: Value) -> Self {
        let place = Place::new();
        make_work_tree(&place.project(), &[]);
        for (name, text) in [("notes.txt", "one\n"), ("Cargo.lock", "version = 4\n")] {
            std::fs::write(place.project().join(name), text).expect("there is room");
        }
        commit(&place.project(), "A project");
        Self { place, program, plan }
    }

    /// The command with these words, and with the agent.
    pub(super) fn command(&self, words: &[&str]) -> Command {
        let mut command = self.place.program(&self.program, words);
        self.place.add_agent(&mut command, &Value::Null);
        self.follow(&self.plan);
        command
    }

    /// Has the agent follow another plan from its next call on.
    pub(super) fn follow(&self, plan: &Value) {
        std::fs::write(self.place.path().join("plan.json"), plan.to_string())
            .expect("there is room");
    }

    pub(super) fn output(&self, words: &[&str]) -> CommandOutput {
        CommandOutput::of(&mut self.command(words), &self.place)
    }

    /// A command that prints messages, while it runs.
    pub(super) fn begin(&self, words: &[&str]) -> Running {
        begin(&mut self.command(words))
    }

    /// Runs a recipe to its end, with `--json`.
    pub(super) fn run(self, words: &[&str]) -> End {
        let output = self.output(&[&["run"], words, &["--json"]].concat());
        End::of(self, &output)
    }

    /// A server with that agent, and its ready line.
    pub(super) fn serve(&self) -> (Running, Value) {
        let root = self.place.path().display().to_string();
        let mut server =
            self.begin(&["serve", "--json", "--listen", "127.0.0.1:0", "--root", &root]);
        let ready = serde_json::from_str(&server.line()).expect("it prints its ready line");
        (server, ready)
    }

    /// Where the agent's CLI logs its calls.
    pub(super) fn calls(&self) -> PathBuf {
        self.place.path().join("calls.jsonl")
    }

    /// A message that starts a recipe in the work tree.
    pub(super) fn start(&self, recipe: &str) -> Value {
        json!({
            "type": "start_recipe", "session_id": null, "recipe_id": recipe,
            "working_directory": self.place.project(),
        })
    }

    /// Writes a file in the work tree.
    pub(super) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.place.project().join(name), text).expect("there is room");
    }

    pub(super) fn folder_of_program(&self) -> &Path {
        self.program.parent().expect("a program is in a folder")
    }
}

/// An agent that reports these outcomes, one after the other, and then each step's first.
pub(super) fn reporting(outcomes: &[&str]) -> Value {
    json!({ "answers": outcomes.iter().map(|outcome| json!({ "pick": outcome })).collect::<Vec<_>>() })
}

/// An agent that does this with every prompt.
pub(super) fn always(answer: &Value) -> Value {
    json!({ "default": answer })
}

/// An agent that does this where a step offers this outcome first, and reports the first one
/// elsewhere.
pub(super) fn at_the_step_that_offers(outcome: &str, answer: &Value) -> Value {
    json!({ "when": [{ "contains": format!("possible outcomes for this step: {outcome}"), "answer": answer }] })
}

/// How a run ended.
pub(super) struct End {
    pub(super) scene: Scene,
    /// The exit status of the process that ran it, or that was refused.
    pub(super) status: i32,
    /// The `recipe_exited` message that clients received.
    pub(super) exited: Value,
    /// What replaces `{limit}` in the message.
    pub(super) limit: &'static str,
    pub(super) left: Left,
}

/// What a run leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Left {
    /// Its files and its journal.
    Files,
    /// Nothing, since no run began.
    NoRun,
    /// A journal without an end, since that could not be persisted.
    NoEnd,
}

impl End {
    /// The end that a command printed.
    pub(super) fn of(scene: Scene, output: &CommandOutput) -> Self {
        let last =
            output.stdout.lines().rev().find(|line| line.contains(r#""type":"recipe_exited""#));
        let exited = last.unwrap_or_else(|| panic!("it printed no end: {output:?}"));
        let exited = serde_json::from_str(exited).expect("it prints messages");
        Self { scene, status: output.status, exited, limit: "", left: Left::Files }
    }

    /// A start that was refused to a client with this message, and to a command with this output.
    pub(super) fn refused(scene: Scene, exited: Value, output: &CommandOutput) -> Self {
        assert!(output.stderr.contains("the recipe was not started"), "{output:?}");
        assert_eq!(output.stdout, "", "nothing began");
        Self { scene, status: output.status, exited, limit: "", left: Left::NoRun }
    }

    pub(super) fn with_limit(self, limit: &'static str) -> Self {
        Self { limit, ..self }
    }
}
