//! Recovering a command whose engine was killed.

use super::control::CommandControl;
use super::end::{CommandEnd, CommandFate};
use super::execute::{conclude, watch};
use super::execution::{Commands, Execution};
use super::lines::last_line;
use crate::process::{ProcessIdentity, Supervised, stop};

impl Commands {
    /// Recovers a command that an earlier engine started. If it still runs, it is adopted and
    /// supervised to its end; its earlier run time counts.
    ///
    /// `process` is what the earlier engine recorded; `None` if it recorded nothing, and then the
    /// command never began.
    pub async fn recover(
        &self,
        execution: &Execution,
        process: Option<ProcessIdentity>,
        control: &CommandControl,
    ) -> CommandFate {
        let (mark, files) = (execution.mark(), execution.files());
        let limits = self.limits(execution.time.saturating_sub(files.age().unwrap_or_default()));
        let Some(process) = process.filter(|_| !files.is_stdin_withheld()) else {
            // The process may still wait for its release, which will never happen.
            stop(None, mark, &limits, &control.fast_stop).await;
            return CommandFate::NeverBegan;
        };
        // An engine stopped it, so its end is not a result.
        let was_stopping = execution.stop_mark().exists();
        let (observer, lines) = last_line();
        let adopted = if was_stopping {
            None
        } else {
            Supervised::adopt(process.clone(), mark, files.clone(), limits, observer).ok()
        };
        let Some(supervised) = adopted else {
            stop(Some(process), mark, &limits, &control.fast_stop).await;
            return CommandFate::Unknown;
        };
        let report = watch(supervised, execution, control, lines).await;
        let took = || files.age().unwrap_or_default();
        match conclude(execution, report, took).await {
            // It ended without a status: how far it got is unknown.
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
