//! Next actions as commands.

use std::fmt::Display;
use std::path::Path;

use super::facts::RunFacts;
use super::next_action::ActionKind;
use super::raise::RaisedLimits;
use super::shell_quote::shell_quoted;
use crate::run::Permits;

/// How many characters of an id are enough to identify it.
const SHORT_ID_CHARS: usize = 8;

/// The longest task that a command repeats; a longer one is replaced by a placeholder.
const MAX_TASK_CHARS: usize = 200;

/// What a command must state explicitly to work where it is run.
#[derive(Debug, Clone, Copy)]
pub struct CommandContext<'c> {
    /// The program's name.
    pub program: &'c str,
    /// The data directory, if the command has to name it.
    pub data: Option<&'c Path>,
    /// The directory that the command is run in, if that is known.
    pub directory: Option<&'c Path>,
}

impl CommandContext<'_> {
    /// The command for an action. There is none for [`ActionKind::Stop`]: a paused run cannot be
    /// ended from the command line without resuming it first.
    ///
    /// ```
    /// use surefire::view::{ActionKind, CommandContext, RunFacts};
    ///
    /// let id = "3f2a8c1e-5b7d-4e90-a1c6-9d8e7f6a5b4c";
    /// let run = RunFacts {
    ///     run: id.parse().unwrap(),
    ///     session: id.parse().unwrap(),
    ///     recipe: "rebase".to_owned(),
    ///     recipe_label: "Rebase".to_owned(),
    ///     directory: "/projects/my shop".to_owned(),
    ///     agent: "claude".to_owned(),
    ///     rehearsal: false,
    ///     script: None,
    ///     started_at: 1_750_000_000_000,
    ///     created_from: None,
    ///     task: None,
    /// };
    /// let context =
    ///     CommandContext { program: "surefire", data: None, directory: None };
    /// let command = context.command(&ActionKind::Again, &run).unwrap();
    /// assert_eq!(command, "surefire run rebase --dir '/projects/my shop'");
    /// ```
    #[must_use]
    pub fn command(self, action: &ActionKind, run: &RunFacts) -> Option<String> {
        let id = short_id(&run.run);
        Some(match action {
            ActionKind::Again => self.start(run, &task(run)),
            ActionKind::Answer => {
                self.start(run, &format!(" --session {} --prompt \"…\"", run.session))
            }
            ActionKind::Allow { tools } => {
                self.with_data(&format!("resume {id} {}", allow_options(tools)))
            }
            ActionKind::Permit { permits } => {
                self.with_data(&format!("resume {id}{}", permitting(*permits)))
            }
            ActionKind::Merge => self.with_data(&format!("merge {id}")),
            ActionKind::Discard => self.with_data(&format!("discard {id}")),
            ActionKind::Resume { limits } => {
                self.with_data(&format!("resume {id}{}", raising(limits)))
            }
            ActionKind::Follow { run_id } => self.with_data(&format!("why {}", short_id(run_id))),
            // Recipes do not depend on the data directory.
            ActionKind::ShowRecipe => format!("{} show {}", self.program, run.recipe),
            ActionKind::Doctor => self.with_data("doctor"),
            ActionKind::Stop => return None,
        })
    }

    /// The command to follow a run that has not ended.
    #[must_use]
    pub fn follow(self, run: &RunFacts) -> String {
        self.with_data(&format!("resume {}", short_id(&run.run)))
    }

    /// The command that starts the same recipe again. After a rehearsal it rehearses the same
    /// again: there may be no agent for real work. Runs of an earlier version do not know their
    /// script; the command names none then, and the configured one is played.
    fn start(self, run: &RunFacts, arguments: &str) -> String {
        let started_in = run.created_from.as_ref().unwrap_or(&run.directory);
        let directory = match self.directory {
            Some(here) if here == Path::new(started_in) => String::new(),
            Some(_) | None => format!(" --dir {}", shell_quoted(started_in)),
        };
        let isolate = if run.created_from.is_some() { " --isolate" } else { "" };
        let rehearse = match (run.rehearsal, &run.script) {
            (true, Some(script)) => format!(" --rehearse {}", shell_quoted(script)),
            (true, None) => " --agent rehearsal".to_owned(),
            (false, _) => String::new(),
        };
        self.with_data(&format!("run {}{arguments}{directory}{isolate}{rehearse}", run.recipe))
    }

    fn with_data(self, words: &str) -> String {
        let data =
            self.data.map(|data| format!(" --data {}", shell_quoted(&data.display().to_string())));
        format!("{} {words}{}", self.program, data.unwrap_or_default())
    }
}

/// The task as an argument, quoted for a shell.
fn task(run: &RunFacts) -> String {
    match run.task.as_deref().map(str::trim).filter(|task| !task.is_empty()) {
        None => String::new(),
        Some(task)
            if task.chars().nth(MAX_TASK_CHARS).is_some() || task.chars().any(char::is_control) =>
        {
            " --prompt \"…\"".to_owned()
        }
        // A task that begins with a hyphen would be taken for an option.
        Some(task) if task.starts_with('-') => format!(" --prompt={}", shell_quoted(task)),
        Some(task) => format!(" {}", shell_quoted(task)),
    }
}

/// The options that allow tools: `--allow-tool 'git commit *'`.
pub(super) fn allow_options(tools: &[String]) -> String {
    let options: Vec<_> =
        tools.iter().map(|tool| format!("--allow-tool {}", shell_quoted(tool))).collect();
    options.join(" ")
}

/// The options that grant a run additional permissions.
fn permitting(permits: Permits) -> String {
    let Permits { allow_dirty, allow_deps, force_parallel } = permits;
    let options = [
        (allow_dirty, " --allow-dirty"),
        (allow_deps, " --allow-deps"),
        (force_parallel, " --force-parallel"),
    ];
    options.into_iter().filter(|(is_given, _)| *is_given).map(|(_, option)| option).collect()
}

/// The options that raise limits.
fn raising(limits: &RaisedLimits) -> String {
    let RaisedLimits { time_s, max_ticks, budget_usd, allow_visits, allow_steps } = *limits;
    let options = [
        time_s.map(|seconds| format!(" --time {}", duration(seconds))),
        max_ticks.map(|turns| format!(" --max-ticks {turns}")),
        budget_usd.map(|budget| format!(" --budget-usd {budget:.2}")),
        allow_visits.map(|visits| format!(" --allow-visits {visits}")),
        allow_steps.map(|steps| format!(" --allow-steps {steps}")),
    ];
    options.into_iter().flatten().collect()
}

/// A duration in the format of the options: `3h`, `1h30m`.
fn duration(seconds: u64) -> String {
    let parts = [
        (seconds / 86_400, "d"),
        (seconds / 3600 % 24, "h"),
        (seconds / 60 % 60, "m"),
        (seconds % 60, "s"),
    ];
    let written: String = parts
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, unit)| format!("{number}{unit}"))
        .collect();
    if written.is_empty() { "0s".to_owned() } else { written }
}

/// The prefix of an id that is enough to identify it.
#[must_use]
pub fn short_id(id: &impl Display) -> String {
    id.to_string().chars().take(SHORT_ID_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_written_in_its_units() {
        let table = [
            (0, "0s"),
            (59, "59s"),
            (60, "1m"),
            (5400, "1h30m"),
            (10_800, "3h"),
            (90_061, "1d1h1m1s"),
        ];
        for (seconds, written) in table {
            assert_eq!(duration(seconds), written);
        }
    }

    #[test]
    fn starting_again_repeats_the_task_and_the_script() {
        let table = [
            (None, "surefire run rebase --dir /shop --rehearse one-fix"),
            (Some("fix x"), "surefire run rebase 'fix x' --dir /shop --rehearse one-fix"),
            (Some("it's"), r"surefire run rebase 'it'\''s' --dir /shop --rehearse one-fix"),
            (Some("-x"), "surefire run rebase --prompt=-x --dir /shop --rehearse one-fix"),
            (Some("a\nb"), "surefire run rebase --prompt \"…\" --dir /shop --rehearse one-fix"),
        ];
        for (task, expected) in table {
            let run = RunFacts {
                run: uuid::Uuid::from_u128(7).into(),
                session: uuid::Uuid::from_u128(8).into(),
                recipe: "rebase".to_owned(),
                recipe_label: "Rebase".to_owned(),
                directory: "/shop".to_owned(),
                agent: "rehearsal".to_owned(),
                rehearsal: true,
                script: Some("one-fix".to_owned()),
                started_at: 0,
                created_from: None,
                task: task.map(str::to_owned),
            };
            let context = CommandContext { program: "surefire", data: None, directory: None };
            assert_eq!(context.command(&ActionKind::Again, &run).as_deref(), Some(expected));
        }
    }

    #[test]
    fn a_rehearsal_whose_script_is_unknown_is_repeated_without_naming_one() {
        let run = RunFacts { rehearsal: true, ..crate::view::one_run::facts() };
        let context = CommandContext { program: "surefire", data: None, directory: None };
        for action in [ActionKind::Again, ActionKind::Answer] {
            let command = context.command(&action, &run).unwrap();
            assert!(command.ends_with(" --agent rehearsal"), "{command}");
            assert!(!command.contains("--rehearse"), "{command}");
        }
    }

    #[test]
    fn an_isolated_run_is_started_again_in_its_original_directory() {
        let created_from = Some("/projects/shop".to_owned());
        let run = RunFacts { created_from, ..crate::view::one_run::facts() };
        let context = CommandContext { program: "surefire", data: None, directory: None };
        let command = context.command(&ActionKind::Again, &run).unwrap();
        assert!(command.contains(" --dir /projects/shop --isolate"), "{command}");
    }
}
