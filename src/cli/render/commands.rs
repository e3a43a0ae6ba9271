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

#[cfg(test)]
mod tests {
    use strum::IntoEnumIterator;
    use uuid::Uuid;

    use super::*;
    use crate::cli::usage::named::Named;
    use crate::recipes::BUNDLED;
    use crate::run::{Event, Limits, Order, Spent};
    use crate::view::{MAX_ACTIONS, Timeline};
    use crate::wire::RecipeExited;
    use crate::{AnyRecipe, Exit, ExitReason, Registry};

    const PROJECT: &str = "/home/me/my project";

    fn facts(recipe: &str, rehearsal: bool) -> RunFacts {
        RunFacts {
            run: Uuid::from_u128(7 << 96).into(),
            session: Uuid::from_u128(8).into(),
            recipe: recipe.to_owned(),
            recipe_label: "Rebase".to_owned(),
            directory: PROJECT.to_owned(),
            agent: "claude".to_owned(),
            rehearsal,
            started_at: 0,
        }
    }

    /// A run that ended so.
    fn ended(recipe: &str, rehearsal: bool, reason: ExitReason) -> Timeline {
        let facts = facts(recipe, rehearsal);
        let limits = Limits {
            time: Some(Duration::from_mins(90)),
            max_ticks: Some(4),
            budget_usd: Some(1.2),
            ..Limits::default()
        };
        let order = Order {
            run: facts.run,
            session: facts.session,
            agent: facts.agent.clone(),
            rehearsal,
            directory: PROJECT.into(),
            about: None,
            model: None,
            limits,
            spent: Spent::default(),
            restarts: 0,
            continues: None,
        };
        let started = Event::Started {
            recipe: recipe.to_owned(),
            fingerprint: String::new(),
            step: "rebase".to_owned(),
            order: Box::new(order),
        };
        let ending = RecipeExited::of_nothing(facts.session, &Exit::because(reason)).ending();
        let outline = BUNDLED.get(recipe).map(AnyRecipe::outline);
        let mut timeline = Timeline::new(facts, outline);
        timeline.apply(1, 0, &started);
        timeline.apply(2, 1000, &Event::ended(ending));
        timeline
    }

    /// The labels and the commands.
    fn commands(timeline: &Timeline, here: Here<'_>) -> Vec<(String, Option<String>)> {
        let next = timeline.view().next.iter();
        next.map(|next| (next.label.clone(), here.command(next.action, timeline.facts()))).collect()
    }

    const HERE: Here<'_> = Here { program: "surefire", data: None, directory: None };

    #[test]
    fn after_every_end_there_are_at_most_three_commands_and_all_of_them_exist() {
        let named = Named::new(BUNDLED);
        let here = Here { data: Some(Path::new("/my data")), ..HERE };
        for (reason, rehearsal) in ExitReason::iter().flat_map(|reason| [(reason, true), (reason, false)]) {
            let commands = commands(&ended("rebase", rehearsal, reason), here);
            assert!(commands.len() <= MAX_ACTIONS, "{reason}: {commands:?}");
            assert_eq!(commands.is_empty(), reason == ExitReason::OrchestrationDisabled, "{reason}");
            for (_, command) in commands {
                named.command(&command.expect("nothing is paused here"));
            }
        }
    }

    #[test]
    fn what_is_printed_as_advice_names_only_what_exists() {
        let named = Named::new(BUNDLED);
        for reason in ExitReason::iter() {
            let timeline = ended("rebase", false, reason);
            let end = timeline.view().end.as_ref().expect("it has ended");
            assert_eq!(end.hint, reason.definition().hint);
            named.text(&end.hint);
            for (label, command) in commands(&timeline, HERE) {
                named.text(&label);
                named.text(&format!("`{}`", command.expect("nothing is paused here")));
            }
        }
    }

    #[test]
    fn nothing_is_suggested_for_a_recipe_that_is_not_on_offer() {
        let other = ended("an-authors-own", false, ExitReason::Timeout);
        assert_eq!(commands(&other, HERE), []);
    }

    #[test]
    fn a_limit_that_was_hit_is_raised() {
        let here = Here { directory: Some(Path::new(PROJECT)), ..HERE };
        let table = [
            (ExitReason::Timeout, "surefire resume 00000007 --time 3h"),
            (ExitReason::MaxTicks, "surefire resume 00000007 --max-ticks 8"),
            (ExitReason::CostBudget, "surefire resume 00000007 --budget-usd 2.40"),
            (ExitReason::MaxStepVisitsExceeded, "surefire resume 00000007 --allow-visits 2"),
            (ExitReason::MaxTotalSteps, "surefire resume 00000007 --allow-steps 20"),
            (ExitReason::AuthRequired, "surefire doctor"),
            (ExitReason::TaskCommitted, "surefire run rebase"),
            (
                ExitReason::ClarificationNeeded,
                "surefire run rebase --session 00000000-0000-0000-0000-000000000008 --prompt \"…\"",
            ),
        ];
        for (reason, expected) in table {
            let (_, command) = commands(&ended("rebase", false, reason), here).remove(0);
            assert_eq!(command.as_deref(), Some(expected));
        }
    }
}
