//! The suggested next actions, one line each, with the command to type.

use super::paint;
use crate::view::{CommandContext, NextAction, RunFacts};

/// One line per action: its label and its command.
pub(in crate::cli) fn lines(
    next: &[NextAction],
    run: &RunFacts,
    context: CommandContext<'_>,
) -> Vec<String> {
    let widest = next.iter().map(|next| next.label.chars().count()).max().unwrap_or(0);
    let line = |next: &NextAction| {
        let label = &next.label;
        match context.command(&next.action, run) {
            Some(command) => format!("{label:<widest$}  {}", paint::cyan(command)),
            None => format!("{label:<widest$}  {}", paint::dim("in the web console")),
        }
    };
    next.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use uuid::Uuid;

    use super::*;
    use crate::cli::usage::named::Named;
    use crate::recipes::BUNDLED;
    use crate::run::{
        ChangedPrompts, Event, Limits, Permits, Project, RunSpec, ToolRefusal, Usage,
    };
    use crate::view::{Handoff, MAX_ACTIONS, Timeline};
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
            script: None,
            started_at: 0,
            created_from: None,
            task: None,
        }
    }

    /// The timeline of a run that ended for this reason.
    fn ended(recipe: &str, rehearsal: bool, reason: ExitReason) -> Timeline {
        let facts = facts(recipe, rehearsal);
        let limits = Limits {
            time: Some(Duration::from_secs(90 * 60)),
            max_ticks: Some(4),
            budget_usd: Some(1.2),
            ..Limits::default()
        };
        let spec = RunSpec {
            run: facts.run,
            session: facts.session,
            agent: facts.agent.clone(),
            rehearsal,
            script: None,
            directory: PROJECT.into(),
            task: None,
            model: None,
            prompts: ChangedPrompts::default(),
            allow_tools: Vec::new(),
            permits: Permits::default(),
            project: Project::default(),
            worktree: None,
            limits,
            spent: Usage::default(),
            restarts: 0,
            continues: None,
        };
        let started = Event::Started {
            recipe: recipe.to_owned(),
            fingerprint: String::new(),
            graph: None,
            step: "rebase".to_owned(),
            spec: Box::new(spec),
        };
        let refused = Event::ToolsRefused {
            attempt: Uuid::from_u128(9).into(),
            refused: vec![ToolRefusal {
                tool: "Bash".to_owned(),
                input: Some("git commit".to_owned()),
                allow: vec!["git commit *".to_owned()],
            }],
        };
        let ending = RecipeExited::of_nothing(facts.session, &Exit::because(reason)).ending();
        let outline = BUNDLED.get(recipe).map(AnyRecipe::outline);
        let mut timeline = Timeline::new(facts, outline);
        timeline.apply(1, 0, &started);
        timeline.apply(2, 500, &refused);
        timeline.apply(3, 1000, &Event::ended(ending));
        timeline
    }

    /// The label and the command of each suggested action.
    fn commands(timeline: &Timeline, here: CommandContext<'_>) -> Vec<(String, Option<String>)> {
        let next = timeline.view().next.iter();
        next.map(|next| (next.label.clone(), here.command(&next.action, timeline.facts())))
            .collect()
    }

    const HERE: CommandContext<'_> =
        CommandContext { program: "surefire", data: None, directory: None };

    #[test]
    fn after_every_end_there_are_at_most_three_commands_and_all_of_them_exist() {
        let named = Named::new(BUNDLED);
        let here = CommandContext { data: Some(Path::new("/my data")), ..HERE };
        for (reason, rehearsal) in
            ExitReason::ALL.iter().copied().flat_map(|reason| [(reason, true), (reason, false)])
        {
            let commands = commands(&ended("rebase", rehearsal, reason), here);
            assert!(commands.len() <= MAX_ACTIONS, "{reason}: {commands:?}");
            assert_eq!(
                commands.is_empty(),
                reason == ExitReason::OrchestrationDisabled,
                "{reason}"
            );
            for (_, command) in commands {
                named.command(&command.expect("nothing is paused here"));
            }
        }
    }

    #[test]
    fn printed_hints_name_only_commands_and_options_that_exist() {
        let named = Named::new(BUNDLED);
        for reason in ExitReason::ALL.iter().copied() {
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
    fn stop_files_name_only_commands_and_options_that_exist() {
        let named = Named::new(BUNDLED);
        let here = CommandContext { data: Some(Path::new("/my data")), ..HERE };
        for (reason, rehearsal) in
            ExitReason::ALL.iter().copied().flat_map(|reason| [(reason, true), (reason, false)])
        {
            let timeline = ended("rebase", rehearsal, reason);
            let handoff = Handoff::of(&timeline, here).expect("it has ended");
            let shown = commands(&timeline, here);
            assert_eq!(handoff.next.len(), shown.len(), "{reason}");
            for (next, (label, command)) in handoff.next.iter().zip(shown) {
                assert_eq!((&next.label, Some(&next.command)), (&label, command.as_ref()));
                named.command(&next.command);
                assert!(handoff.to_markdown().contains(&next.command), "{reason}");
            }
            named.text(&handoff.hint);
            let options = handoff.refused[0].options.as_deref().expect("it is known");
            named.command(&format!("surefire run rebase {options}"));
        }
    }

    #[test]
    fn nothing_is_suggested_for_a_recipe_that_is_not_offered() {
        let other = ended("an-authors-own", false, ExitReason::Timeout);
        assert_eq!(commands(&other, HERE), []);
    }

    #[test]
    fn a_limit_that_was_hit_is_raised() {
        let here = CommandContext { directory: Some(Path::new(PROJECT)), ..HERE };
        let table = [
            (ExitReason::Timeout, "surefire resume 00000007 --time 3h"),
            (ExitReason::MaxTicks, "surefire resume 00000007 --max-ticks 8"),
            (ExitReason::CostBudget, "surefire resume 00000007 --budget-usd 2.40"),
            (ExitReason::MaxStepVisitsExceeded, "surefire resume 00000007 --allow-visits 2"),
            (ExitReason::MaxTotalSteps, "surefire resume 00000007 --allow-steps 20"),
            (ExitReason::AuthRequired, "surefire doctor"),
            (ExitReason::PermissionDenied, "surefire resume 00000007 --allow-tool 'git commit *'"),
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
