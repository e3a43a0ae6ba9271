//! What to do next, as commands.

use std::fmt::Display;
use std::path::Path;

use super::facts::RunFacts;
use super::next_action::Action;
use super::raise::RaisedLimits;
use super::shell_quote::shell_quoted;
use crate::run::Permits;

/// How many characters of an id are enough to find it again.
const SHORT_ID_CHARS: usize = 8;

/// What a command has to name to mean the same where it is run.
#[derive(Debug, Clone, Copy)]
pub struct CommandContext<'c> {
    /// What the program is called.
    pub program: &'c str,
    /// The data directory, where the command has to name it.
    pub data: Option<&'c Path>,
    /// The directory that the command is run in, where that is known.
    pub directory: Option<&'c Path>,
}

impl CommandContext<'_> {
    /// The command for an action. There is none for [`Action::Stop`]: a paused run cannot be ended from the command line
    /// without resuming it first.
    ///
    /// ```
    /// use surefire::view::{Action, CommandContext, RunFacts};
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
    ///     started_at: 1_750_000_000_000,
    ///     made_from: None,
    /// };
    /// let context = CommandContext { program: "surefire", data: None, directory: None };
    /// let command = context.command(&Action::Again, &run).unwrap();
    /// assert_eq!(command, "surefire run rebase --dir '/projects/my shop'");
    /// ```
    #[must_use]
    pub fn command(self, action: &Action, run: &RunFacts) -> Option<String> {
        let id = short_id(&run.run);
        Some(match action {
            Action::Again => self.start(run, ""),
            Action::Answer => self.start(run, &format!(" --session {} --prompt \"…\"", run.session)),
            Action::Allow { tools } => self.with_data(&format!("resume {id} {}", allow_options(tools))),
            Action::Permit { permits } => self.with_data(&format!("resume {id}{}", permitting(*permits))),
            Action::Merge => self.with_data(&format!("merge {id}")),
            Action::Discard => self.with_data(&format!("discard {id}")),
            Action::Resume { limits } => self.with_data(&format!("resume {id}{}", raising(limits))),
            Action::Follow { run_id } => self.with_data(&format!("why {}", short_id(run_id))),
            // What a recipe is does not depend on where runs are kept.
            Action::ShowRecipe => format!("{} show {}", self.program, run.recipe),
            Action::Doctor => self.with_data("doctor"),
            Action::Stop => return None,
        })
    }

    /// The command that follows a run that has not ended.
    #[must_use]
    pub fn follow(self, run: &RunFacts) -> String {
        self.with_data(&format!("resume {}", short_id(&run.run)))
    }

    /// The same recipe once more. After a rehearsal it is one again: there may be no agent for real work.
    fn start(self, run: &RunFacts, how: &str) -> String {
        let started_in = run.made_from.as_ref().unwrap_or(&run.directory);
        let directory = match self.directory {
            Some(here) if here == Path::new(started_in) => String::new(),
            Some(_) | None => format!(" --dir {}", shell_quoted(started_in)),
        };
        let apart = if run.made_from.is_some() { " --isolate" } else { "" };
        let rehearse = if run.rehearsal { " --rehearse happy" } else { "" };
        self.with_data(&format!("run {}{how}{directory}{apart}{rehearse}", run.recipe))
    }

    fn with_data(self, words: &str) -> String {
        let data = self.data.map(|data| format!(" --data {}", shell_quoted(&data.display().to_string())));
        format!("{} {words}{}", self.program, data.unwrap_or_default())
    }
}

/// The options that allow tools: `--allow-tool 'git commit *'`.
pub(super) fn allow_options(tools: &[String]) -> String {
    let options: Vec<_> = tools.iter().map(|tool| format!("--allow-tool {}", shell_quoted(tool))).collect();
    options.join(" ")
}

/// The options that permit what a run may not do otherwise.
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

/// A duration as options take it: `3h`, `1h30m`.
fn duration(seconds: u64) -> String {
    let parts =
        [(seconds / 86_400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "m"), (seconds % 60, "s")];
    let written: String = parts
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, unit)| format!("{number}{unit}"))
        .collect();
    if written.is_empty() { "0s".to_owned() } else { written }
}

/// The beginning of an id, which is enough to find it again.
#[must_use]
pub fn short_id(id: &impl Display) -> String {
    id.to_string().chars().take(SHORT_ID_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_written_in_its_units() {
        let table =
            [(0, "0s"), (59, "59s"), (60, "1m"), (5400, "1h30m"), (10_800, "3h"), (90_061, "1d1h1m1s")];
        for (seconds, written) in table {
            assert_eq!(duration(seconds), written);
        }
    }

    #[test]
    fn a_run_that_worked_apart_is_started_again_where_it_was_started() {
        let made_from = Some("/projects/shop".to_owned());
        let run = RunFacts { made_from, ..crate::view::one_run::facts() };
        let context = CommandContext { program: "surefire", data: None, directory: None };
        let command = context.command(&Action::Again, &run).unwrap();
        assert!(command.contains(" --dir /projects/shop --isolate"), "{command}");
    }
}
