//! What to do next: commands that exist, and help after this end.

use std::path::Path;
use std::time::Duration;

use super::shell_quote::quoted;
use super::story::Story;
use crate::ExitReason;
use crate::run::Ending;

/// The most commands that anybody wants to choose from.
const MOST: usize = 3;

/// How many more visits of each step to suggest, and how many more steps.
const MORE_VISITS: u32 = 2;
const MORE_STEPS: u32 = 20;

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

/// Up to three commands, the most useful first.
pub(in crate::cli) fn commands(story: &Story, ending: &Ending, here: Here<'_>) -> Vec<String> {
    let advice = Advice { story, here };
    let mut commands = match ExitReason::lookup(&ending.reason) {
        // It was run with a command of other recipes, and this one can do nothing with it.
        _ if !story.on_offer => Vec::new(),
        // An author's own reason: its diagnosis says what to do.
        None if ending.goal_met => vec![advice.again()],
        None => vec![advice.resume(""), advice.again()],
        Some(reason) => advice.after(reason),
    };
    commands.truncate(MOST);
    commands
}

/// The command that goes along with a run that has not ended.
pub(in crate::cli) fn follow(story: &Story, here: Here<'_>) -> String {
    Advice { story, here }.resume("")
}

struct Advice<'a> {
    story: &'a Story,
    here: Here<'a>,
}

impl Advice<'_> {
    fn after(&self, reason: ExitReason) -> Vec<String> {
        match reason {
            ExitReason::TaskCommitted
            | ExitReason::ChangesCommitted
            | ExitReason::DesignCommitted
            | ExitReason::DesignRefinedAndCommitted
            | ExitReason::TasksCommitted
            | ExitReason::NoChangesToCommit
            | ExitReason::NoTasksAvailable
            | ExitReason::RebaseComplete
            | ExitReason::RetrospectiveComplete
            | ExitReason::RestartNewSession
            | ExitReason::SessionLocked
            | ExitReason::ContextExhausted => vec![self.again()],
            ExitReason::ClarificationNeeded
            | ExitReason::ImplementationBlocked
            | ExitReason::NoDesignDocumentFound
            | ExitReason::ConflictsRequireHumanIntervention
            | ExitReason::UserProvidedOther => vec![self.answer(), self.resume(""), self.again()],
            // Where recipes are switched off, no command of ours can begin anything.
            ExitReason::OrchestrationDisabled => Vec::new(),
            ExitReason::MaxTotalSteps => {
                vec![self.resume(&format!(" --allow-steps {MORE_STEPS}")), self.show(), self.again()]
            }
            ExitReason::MaxStepVisitsExceeded => {
                vec![self.resume(&format!(" --allow-visits {MORE_VISITS}")), self.show(), self.again()]
            }
            ExitReason::MaxRestarts => vec![self.again(), self.show()],
            ExitReason::CostBudget => vec![self.resume(&self.more_money()), self.again()],
            ExitReason::Timeout => vec![self.resume(&self.more_time()), self.again()],
            ExitReason::MaxTicks => vec![self.resume(&self.more_ticks()), self.again()],
            ExitReason::Stalled
            | ExitReason::WorkerTimeout
            | ExitReason::WorkerFailed
            | ExitReason::Error
            | ExitReason::AuthRequired
            | ExitReason::StorageError
            | ExitReason::OutputLimit => vec![self.doctor(), self.resume(""), self.again()],
            ExitReason::UserRequested
            | ExitReason::UserStopped
            | ExitReason::Interrupted
            | ExitReason::PermissionDenied
            | ExitReason::GuardViolation
            | ExitReason::LockfileViolation
            | ExitReason::DirtyWorktree
            | ExitReason::FileCollision
            | ExitReason::ReviewLoopDetected
            | ExitReason::ReviewRejected
            | ExitReason::OrchestrationError
            | ExitReason::InternalError
            | ExitReason::NoPrompt
            | ExitReason::RateLimited
            | ExitReason::ApiOverloaded
            | ExitReason::VerificationFailed
            | ExitReason::VerificationTimeout
            | ExitReason::WorkerBlocked => vec![self.resume(""), self.again()],
        }
    }

    /// The same recipe once more.
    fn again(&self) -> String {
        self.command(&format!("run {}{}{}", self.story.run.recipe_id, self.directory(), self.pretending()))
    }

    /// The same recipe in the same conversation, with something to say.
    fn answer(&self) -> String {
        let run = &self.story.run;
        self.command(&format!(
            "run {} --session {} --prompt \"…\"{}{}",
            run.recipe_id,
            run.session_id,
            self.directory(),
            self.pretending()
        ))
    }

    fn resume(&self, how: &str) -> String {
        self.command(&format!("resume {}{how}", short(&self.story.run.run_id)))
    }

    fn show(&self) -> String {
        // What a recipe is does not depend on where runs are kept.
        format!("{} show {}", self.here.program, self.story.run.recipe_id)
    }

    fn doctor(&self) -> String {
        self.command("doctor")
    }

    fn command(&self, words: &str) -> String {
        let data = self.here.data.map(|data| format!(" --data {}", quoted(data))).unwrap_or_default();
        format!("{} {words}{data}", self.here.program)
    }

    fn directory(&self) -> String {
        let directory = Path::new(&self.story.run.working_directory);
        if self.here.directory == Some(directory) {
            String::new()
        } else {
            format!(" --dir {}", quoted(directory))
        }
    }

    /// Who rehearsed did not ask for real work, and may not even have an agent for it.
    fn pretending(&self) -> &'static str {
        if self.story.run.rehearsal { " --rehearse happy" } else { "" }
    }

    fn more_time(&self) -> String {
        let time = self.story.limits.time.unwrap_or(Duration::from_hours(1)).saturating_mul(2);
        format!(" --time {}", humantime::format_duration(time).to_string().replace(' ', ""))
    }

    fn more_ticks(&self) -> String {
        format!(
            " --max-ticks {}",
            self.story.limits.max_ticks.unwrap_or(self.story.turns).saturating_mul(2).max(2)
        )
    }

    fn more_money(&self) -> String {
        let limit = self.story.limits.budget_usd.unwrap_or(self.story.cost_usd).max(0.5);
        format!(" --budget-usd {:.2}", limit * 2.0)
    }
}

/// The beginning of an id, which is enough to find it again.
pub(in crate::cli) fn short(id: &impl std::fmt::Display) -> String {
    id.to_string().chars().take(8).collect()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;
    use strum::IntoEnumIterator;
    use uuid::Uuid;

    use super::*;
    use crate::cli::usage::arguments::Arguments;
    use crate::recipes::BUNDLED;
    use crate::run::Limits;
    use crate::wire::{RunLine, Stamp};
    use crate::{Exit, Registry};

    fn story(rehearsal: bool) -> Story {
        let run = RunLine {
            run_id: Uuid::from_u128(7 << 96).into(),
            session_id: Uuid::from_u128(8).into(),
            recipe_id: "rebase".into(),
            recipe_label: "Rebase".into(),
            working_directory: "/home/me/my project".into(),
            agent: "claude".into(),
            rehearsal,
            continues: None,
            started_at: Stamp(0),
            changed_at: Stamp(0),
            step: "fix".into(),
            step_count: 3,
            last_seq: 9,
            cost_usd: 0.0,
            ending: None,
        };
        let limits = Limits { time: Some(Duration::from_mins(90)), ..Limits::default() };
        Story { limits, ..Story::of(run, BUNDLED) }
    }

    fn ending(reason: ExitReason) -> Ending {
        let exited = crate::wire::RecipeExited::of_nothing(Uuid::from_u128(8).into(), &Exit::because(reason));
        exited.ending()
    }

    /// The words of a command, as a shell would split it.
    fn words(command: &str) -> Vec<String> {
        let parts = command.split('\'').enumerate();
        let quoted = parts.flat_map(|(index, part)| match index % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect(),
            _ => vec![part.to_owned()],
        });
        quoted.collect()
    }

    #[test]
    fn after_every_end_there_are_at_most_three_commands_and_all_of_them_exist() {
        for (reason, rehearsal) in ExitReason::iter().flat_map(|reason| [(reason, true), (reason, false)]) {
            let here = Here { program: "surefire", data: Some(Path::new("/my data")), directory: None };
            let commands = commands(&story(rehearsal), &ending(reason), here);
            assert!(commands.len() <= MOST, "{reason}: {commands:?}");
            assert_eq!(commands.is_empty(), reason == ExitReason::OrchestrationDisabled, "{reason}");
            for command in commands {
                let parsed = Arguments::command().try_get_matches_from(words(&command));
                assert!(parsed.is_ok(), "{reason}: {command}: {}", parsed.unwrap_err());
            }
            assert!(reason.definition().diagnosis.len() > 10);
        }
    }

    #[test]
    fn nothing_is_suggested_for_a_recipe_that_is_not_on_offer() {
        let here = Here { program: "surefire", data: None, directory: None };
        let run = RunLine { recipe_id: "somebody-elses".into(), ..story(false).run };
        let other = Story::of(run, BUNDLED);
        assert_eq!(commands(&other, &ending(ExitReason::Timeout), here), Vec::<String>::new());
    }

    #[test]
    fn a_limit_that_was_hit_is_raised() {
        let here =
            Here { program: "surefire", data: None, directory: Some(Path::new("/home/me/my project")) };
        let first = |reason| commands(&story(false), &ending(reason), here).remove(0);
        assert_eq!(first(ExitReason::Timeout), "surefire resume 00000007 --time 3h");
        assert_eq!(first(ExitReason::MaxStepVisitsExceeded), "surefire resume 00000007 --allow-visits 2");
        assert_eq!(first(ExitReason::TaskCommitted), "surefire run rebase");
    }
}
