//! `surefire merge`: merges the commits of a run that worked in its own worktree.

use std::path::Path;
use std::process::ExitCode;

use clap::Args;

use crate::cli::connection;
use crate::cli::connection::{NotEnded, RunHistory};
use crate::cli::context::Context;
use crate::cli::doctor::program;
use crate::cli::find_run;
use crate::cli::render::format::one_line;
use crate::cli::settings::data;
use crate::cli::usage::cli_error::CliError;
use crate::cli::usage::options::DataOption;
use crate::cli::usage::program::program_name;
use crate::cli::wait::wait;
use crate::engine::WorktreeChoice;
use crate::run::{Event, Worktree, WorktreeEnd};
use crate::view::shell_quoted;
use crate::wire::RunLine;
use crate::{ExitReason, Registry};

const EXAMPLES: &str = "\
Examples:
  surefire merge 3f2a8c1e      merge into the branch that is checked out";

/// The first line of every error of this command.
const WHAT: &str = "the run was not merged";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct Merge {
    /// Id of the run, or its first characters
    #[arg(value_name = "RUN")]
    run: String,
    #[command(flatten)]
    data: DataOption,
}

impl Merge {
    pub(in crate::cli) fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        let data = data::directory(self.data.data.as_deref())?;
        wait(async {
            let history = connection::history(context.catalog, &data).await?;
            let (run, worktree) = find(&history, &self.run).await?;
            match history.end_worktree(&data, run.run_id, WorktreeChoice::Merge, WHAT).await {
                Ok(end) => {
                    context.console.say(message(&end, worktree.as_ref()));
                    Ok(ExitCode::SUCCESS)
                }
                Err(NotEnded::Conflicts(problem)) => {
                    let status =
                        ExitReason::ConflictsRequireHumanIntervention.definition().exit_code;
                    let problem = problem.status(status);
                    Err(match &worktree {
                        Some(worktree) => {
                            let onto = checked_out(&worktree.repository).await;
                            problem.fix(manual_merge(worktree, &onto, &self.run))
                        }
                        None => problem,
                    })
                }
                Err(NotEnded::Connection(failure)) => Err(failure.into()),
            }
        })
    }
}

/// The run with this id, and its worktree, if it has one.
pub(super) async fn find(
    history: &RunHistory,
    asked: &str,
) -> Result<(RunLine, Option<Worktree>), CliError> {
    let run = find_run::run(history, Some(asked)).await?;
    let journal = history.journal(run.run_id, 0).await?;
    let first = journal.and_then(|journal| journal.events.into_iter().next());
    let worktree = first.and_then(|first| match first.event {
        Event::Started { spec, .. } => spec.worktree,
        _ => None,
    });
    Ok((run, worktree))
}

/// The message after a merge.
fn message(end: &WorktreeEnd, worktree: Option<&Worktree>) -> String {
    let (into, commit) = match end {
        WorktreeEnd::Merged { into, commit } => (into.as_deref(), commit),
        // It was discarded meanwhile.
        WorktreeEnd::Discarded { commit } => (None, commit),
    };
    let branch = worktree.map_or_else(|| "its branch".to_owned(), |it| format!("`{}`", it.branch));
    let into =
        into.map_or_else(|| "HEAD, which is detached".to_owned(), |into| format!("`{into}`"));
    let place =
        worktree.map_or_else(String::new, |it| format!(" in `{}`", it.repository.display()));
    let gone = worktree.map_or_else(String::new, |it| {
        format!(" The worktree `{}` and its branch are removed.", it.path.display())
    });
    one_line(&format!("Merged {branch} into {into}{place}, now at commit {}.{gone}", short(commit)))
}

/// How to resolve conflicts. The worktree and its branch are unchanged.
fn manual_merge(worktree: &Worktree, onto: &str, asked: &str) -> String {
    let quoted = |path: &Path| shell_quoted(&path.display().to_string());
    format!(
        "nothing has changed; run `cd {} && git rebase {}`, resolve the conflicts there and run \
         `{} merge {asked}` again, or merge by hand: `cd {} && git merge {}`",
        quoted(&worktree.path),
        shell_quoted(onto),
        program_name(),
        quoted(&worktree.repository),
        shell_quoted(&worktree.branch),
    )
}

/// The branch or commit that is checked out in a work tree.
async fn checked_out(repository: &Path) -> String {
    let repository = repository.display().to_string();
    for question in [["symbolic-ref", "--quiet", "--short"].as_slice(), &["rev-parse", "--verify"]]
    {
        let words: Vec<_> =
            ["-C", &repository].into_iter().chain(question.iter().copied()).collect();
        let words: Vec<_> = words.into_iter().chain(["HEAD"]).collect();
        if let Ok(output) = program::output_of("git", &words).await
            && output.success
        {
            return output.first_line();
        }
    }
    "HEAD".to_owned()
}

/// An abbreviated commit id.
pub(super) fn short(commit: &str) -> &str {
    commit.get(..12).unwrap_or(commit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worktree() -> Worktree {
        Worktree {
            repository: "/home/me/my shop".into(),
            path: "/data/worktrees/3f2a8c1e".into(),
            branch: "surefire/3f2a8c1e".to_owned(),
            base: "0123456789abcdef".to_owned(),
        }
    }

    #[test]
    fn the_message_names_both_branches_and_the_commit() {
        let commit = "5f0e1d2c3b4a59687786a5b4c3d2e1f001122334".to_owned();
        let merged = |into: Option<&str>| WorktreeEnd::Merged {
            into: into.map(str::to_owned),
            commit: commit.clone(),
        };
        assert_eq!(
            message(&merged(Some("main")), Some(&worktree())),
            "Merged `surefire/3f2a8c1e` into `main` in `/home/me/my shop`, now at commit 5f0e1d2c3b4a. \
             The worktree `/data/worktrees/3f2a8c1e` and its branch are removed."
        );
        assert_eq!(
            message(&merged(None), None),
            "Merged its branch into HEAD, which is detached, now at commit 5f0e1d2c3b4a."
        );
    }

    #[test]
    fn conflicts_are_resolved_by_commands_that_can_be_copied() {
        let words = manual_merge(&worktree(), "main", "3f2a");
        for command in [
            "`cd /data/worktrees/3f2a8c1e && git rebase main`",
            " merge 3f2a` again",
            "`cd '/home/me/my shop' && git merge surefire/3f2a8c1e`",
        ] {
            assert!(words.contains(command), "{words}");
        }
    }
}
