//! What to do next, as commands.

use std::path::Path;
use std::time::Duration;

use super::paint;
use super::shell_quote::quoted;
use crate::view::{Action, NextAction, RaisedLimits, RunFacts};

/// What a command needs to mean the same as the one it follows.
#[derive(Debug, Clone, Copy)]
pub(in crate::cli) struct Here<'h> {
    /// What the command is called.
    pub(in crate::cli) program: &'h str,
    /// The data directory, where it had to be named.
    pub(in crate::cli) data: Option<&'h Path>,
    /// The working directory.
    pub(in crate::cli) directory: Option<&'h Path>,
}

/// A line for each action: what it is called, and the command that does it.
pub(in crate::cli) fn lines(next: &[NextAction], run: &RunFacts, here: Here<'_>) -> Vec<String> {
    let widest = next.iter().map(|next| next.label.chars().count()).max().unwrap_or(0);
    let line = |next: &NextAction| {
        let label = &next.label;
        match here.command(next.action, run) {
            Some(command) => format!("{label:<widest$}  {}", paint::cyan(command)),
            None => format!("{label:<widest$}  {}", paint::dim("in the web console")),
        }
    };
    next.iter().map(line).collect()
}

/// The command that follows a run that has not ended.
pub(in crate::cli) fn follow(run: &RunFacts, here: Here<'_>) -> String {
    here.with_data(&format!("resume {}", short(&run.run)))
}

impl Here<'_> {
    /// The command for an action; a paused run cannot be ended from the command line without resuming it first.
    fn command(self, action: Action, run: &RunFacts) -> Option<String> {
        let id = short(&run.run);
        Some(match action {
            Action::Again => self.start(run, ""),
            Action::Answer => self.start(run, &format!(" --session {} --prompt \"…\"", run.session)),
            Action::Resume { limits } => self.with_data(&format!("resume {id}{}", options(&limits))),
            Action::Follow { run_id } => self.with_data(&format!("why {}", short(&run_id))),
            // What a recipe is does not depend on where runs are kept.
            Action::ShowRecipe => format!("{} show {}", self.program, run.recipe),
            Action::Doctor => self.with_data("doctor"),
            Action::Stop => return None,
        })
    }

    /// The same recipe once more. After a rehearsal it is one again: there may be no agent for real work.
    fn start(self, run: &RunFacts, how: &str) -> String {
        let directory = Path::new(&run.directory);
        let directory = match self.directory {
            Some(here) if here == directory => String::new(),
            Some(_) | None => format!(" --dir {}", quoted(directory)),
        };
        let rehearse = if run.rehearsal { " --rehearse happy" } else { "" };
        self.with_data(&format!("run {}{how}{directory}{rehearse}", run.recipe))
    }

    fn with_data(self, words: &str) -> String {
        let data = self.data.map(|data| format!(" --data {}", quoted(data))).unwrap_or_default();
        format!("{} {words}{data}", self.program)
    }
}

/// The options that raise limits.
fn options(limits: &RaisedLimits) -> String {
    let RaisedLimits { time_s, max_ticks, budget_usd, allow_visits, allow_steps } = *limits;
    let time = time_s.map(|seconds| {
        let time = humantime::format_duration(Duration::from_secs(seconds)).to_string();
        format!(" --time {}", time.replace(' ', ""))
    });
    let options = [
        time,
        max_ticks.map(|turns| format!(" --max-ticks {turns}")),
        budget_usd.map(|budget| format!(" --budget-usd {budget:.2}")),
        allow_visits.map(|visits| format!(" --allow-visits {visits}")),
        allow_steps.map(|steps| format!(" --allow-steps {steps}")),
    ];
    options.into_iter().flatten().collect()
}

/// The beginning of an id, which is enough to find it again.
pub(in crate::cli) fn short(id: &impl std::fmt::Display) -> String {
    id.to_string().chars().take(8).collect()
}
