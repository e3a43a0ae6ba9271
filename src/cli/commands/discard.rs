//! `surefire discard`: deletes the worktree and the branch of a run.

use std::process::ExitCode;

use clap::Args;

use super::merge::find;
use crate::cli::confirm::is_agreed_to;
use crate::cli::connection;
use crate::cli::connection::NotEnded;
use crate::cli::context::Context;
use crate::cli::render::format::one_line;
use crate::cli::settings::data;
use crate::cli::usage::cli_error::CliError;
use crate::cli::usage::options::DataOption;
use crate::cli::wait::wait;
use crate::engine::{WorktreeChoice, worktree_state};
use crate::run::{Worktree, WorktreeEnd};
use crate::view::{count, shell_quoted};

const EXAMPLES: &str = "\
Examples:
  surefire discard 3f2a8c1e          delete its worktree, after confirmation
  surefire discard 3f2a8c1e --yes    delete it without confirmation";

/// The first line of every error of this command.
const WHAT: &str = "the run was not discarded";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct Discard {
    /// Id of the run, or its first characters
    #[arg(value_name = "RUN")]
    run: String,
    /// Delete without confirmation, even if uncommitted files or unmerged commits are lost
    /// [default: ask, or refuse without a terminal]
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    data: DataOption,
}

impl Discard {
    pub(in crate::cli) fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        let data = data::directory(self.data.data.as_deref())?;
        wait(async {
            let history = connection::history(context.catalog, &data).await?;
            let (run, worktree) = find(&history, &self.run).await?;
            // The engine refuses a worktree that cannot be discarded; there is nothing to confirm
            // then.
            let lost = match worktree.as_ref().filter(|_| run.ending.is_some()) {
                Some(worktree) => Lost::with(worktree).await?,
                None => Lost::default(),
            };
            if !self.yes && lost.is_something() && !is_agreed_to(context, WHAT, &lost.in_words())? {
                context.console.say("Nothing was deleted.");
                return Ok(ExitCode::FAILURE);
            }
            match history.end_worktree(&data, run.run_id, WorktreeChoice::Discard, WHAT).await {
                Ok(end) => {
                    context.console.say(message(&end, worktree.as_ref(), lost));
                    Ok(ExitCode::SUCCESS)
                }
                Err(NotEnded::Conflicts(problem)) => Err(problem),
                Err(NotEnded::Connection(failure)) => Err(failure.into()),
            }
        })
    }
}

/// The work that is lost with a worktree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Lost {
    /// Uncommitted files.
    uncommitted: usize,
    /// Commits that are only on its branch.
    unmerged: usize,
}

impl Lost {
    async fn with(worktree: &Worktree) -> Result<Self, CliError> {
        let state = worktree_state(worktree).await;
        let state = state.map_err(|error| CliError::advised(WHAT, error.to_string(), None))?;
        Ok(Self { uncommitted: state.uncommitted, unmerged: state.ahead })
    }

    const fn is_something(self) -> bool {
        self.uncommitted > 0 || self.unmerged > 0
    }

    fn in_words(self) -> String {
        let files = (self.uncommitted > 0).then(|| count(self.uncommitted, "uncommitted file"));
        let commits = (self.unmerged > 0).then(|| count(self.unmerged, "unmerged commit"));
        files.into_iter().chain(commits).collect::<Vec<_>>().join(" and ")
    }
}

/// What was deleted, and how to restore the branch.
fn message(end: &WorktreeEnd, worktree: Option<&Worktree>, lost: Lost) -> String {
    let commit = match end {
        WorktreeEnd::Discarded { commit } | WorktreeEnd::Merged { commit, .. } => commit,
    };
    let Some(Worktree { repository, path, branch, .. }) = worktree else {
        return "Deleted the worktree of the run.".to_owned();
    };
    let lost =
        if lost.is_something() { format!(", with {}", lost.in_words()) } else { String::new() };
    let gone =
        format!("Deleted the worktree `{}` and its branch `{branch}`{lost}.", path.display());
    // A branch that had already been deleted has no last commit.
    let back = if commit.is_empty() {
        String::new()
    } else {
        let command = format!(
            "git -C {} branch {} {commit}",
            shell_quoted(&repository.display().to_string()),
            shell_quoted(branch)
        );
        format!("\nTo restore the branch, until git removes its commits: {}", one_line(&command))
    };
    format!("{}{back}", one_line(&gone))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_work_is_counted_and_the_branch_can_be_restored() {
        let worktree = Worktree {
            repository: "/home/me/my shop".into(),
            path: "/data/worktrees/3f2a8c1e".into(),
            branch: "surefire/3f2a8c1e".to_owned(),
            base: "0123456789abcdef".to_owned(),
        };
        let discarded = |commit: &str| WorktreeEnd::Discarded { commit: commit.to_owned() };
        let lost = Lost { uncommitted: 2, unmerged: 1 };
        assert_eq!(
            message(&discarded("5f0e1d2c"), Some(&worktree), lost),
            "Deleted the worktree `/data/worktrees/3f2a8c1e` and its branch \
             `surefire/3f2a8c1e`, with 2 uncommitted files and 1 unmerged commit.\n\
             To restore the branch, until git removes its commits: \
             git -C '/home/me/my shop' branch surefire/3f2a8c1e 5f0e1d2c"
        );
        assert_eq!(
            message(&discarded(""), Some(&worktree), Lost::default()),
            "Deleted the worktree `/data/worktrees/3f2a8c1e` and its branch `surefire/3f2a8c1e`."
        );
    }
}
