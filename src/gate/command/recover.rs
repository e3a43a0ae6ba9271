//! Finding out what became of a command whose engine was killed.

use super::end::{CommandEnd, CommandFate};
use super::execute::{conclude, watch};
use super::execution::{Commands, Execution};
use super::lines::last_line;
use super::link::CommandLink;
use crate::process::{Process, Supervised, stop};

impl Commands {
    /// What became of a command that an earlier engine started. One that still runs is watched to its end, as if it had
    /// never been out of sight; the time that it took before counts.
    ///
    /// `process` is what the earlier engine recorded; `None` if it recorded nothing, and then the command never began.
    pub async fn recover(
        &self,
        execution: &Execution,
        process: Option<Process>,
        link: &CommandLink,
    ) -> CommandFate {
        let (mark, files) = (execution.mark(), execution.files());
        let limits = self.limits(execution.time.saturating_sub(files.age().unwrap_or_default()));
        let Some(process) = process.filter(|_| !files.is_stdin_withheld()) else {
            // The process may still wait for its release, which will never come.
            stop(None, mark, &limits, &link.fast_stop).await;
            return CommandFate::NeverBegan;
        };
        // How it ends from now on says nothing about its work.
        let was_stopping = execution.stop_mark().exists();
        let (observer, lines) = last_line();
        let adopted = if was_stopping {
            None
        } else {
            Supervised::adopt(process.clone(), mark, files.clone(), limits, observer).ok()
        };
        let Some(supervised) = adopted else {
            stop(Some(process), mark, &limits, &link.fast_stop).await;
            return CommandFate::Unknown;
        };
        let report = watch(supervised, execution, link, lines).await;
        let took = || files.age().unwrap_or_default();
        match conclude(execution, report, took).await {
            // There was no engine to end it, or one that was killed before it could say that it did.
            Some(CommandEnd::Passed { took, tail } | CommandEnd::Failed { took, tail, .. })
                if took > execution.time =>
            {
                CommandFate::Ended(CommandEnd::TimedOut { limit: execution.time, tail })
            }
            Some(end) => CommandFate::Ended(end),
            None => CommandFate::Unknown,
        }
    }
}
