//! `surefire discard`: throws away what a run did in a worktree of its own.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use clap::Args;

use super::merge::find;
use crate::cli::connection;
use crate::cli::connection::NotEnded;
use crate::cli::context::Context;
use crate::cli::render::format::one_line;
use crate::cli::settings::data;
use crate::cli::usage::complaint::Complaint;
use crate::cli::usage::options::DataOption;
use crate::cli::wait::wait;
use crate::engine::{WorktreeChoice, worktree_state};
use crate::run::{Worktree, WorktreeEnd};
use crate::view::{count, shell_quoted};

const EXAMPLES: &str = "\
Examples:
  surefire discard 3f2a8c1e          throw its worktree away, after a question
  surefire discard 3f2a8c1e --yes    without one";

/// What stands before every reason for not throwing it away.
const WHAT: &str = "the run was not discarded";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct Discard {
    /// The run, by its id or how that begins
    #[arg(value_name = "RUN")]
    run: String,
    /// Ask nothing, even if uncommitted files or unmerged commits are lost [default: ask, or refuse without a terminal]
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    data: DataOption,
}

impl Discard {
    pub(in crate::cli) fn run(self, context: &Context) -> Result<ExitCode, Complaint> {
        let data = data::directory(self.data.data.as_deref())?;
        wait(async {
            let books = connection::books(context.catalog, &data).await?;
            let (run, worktree) = find(&books, &self.run).await?;
            // What cannot be thrown away is refused by the engine, and nothing is asked before that.
            let lost = match worktree.as_ref().filter(|_| run.ending.is_some()) {
                Some(worktree) => Lost::with(worktree).await?,
                None => Lost::default(),
            };
            if !self.yes && lost.is_something() && !lost.is_agreed_to(context)? {
                context.console.say("Nothing was thrown away.");
                return Ok(ExitCode::FAILURE);
            }
            match books.end_worktree(&data, run.run_id, WorktreeChoice::Discard, WHAT).await {
                Ok(end) => {
                    context.console.say(told(&end, worktree.as_ref(), lost));
                    Ok(ExitCode::SUCCESS)
                }
                Err(NotEnded::Conflicts(complaint)) => Err(complaint),
                Err(NotEnded::Trouble(trouble)) => Err(trouble.into()),
            }
        })
    }
}

/// What is lost with a worktree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Lost {
    /// The files in it that are not committed.
    uncommitted: usize,
    /// The commits of its branch that are nowhere else.
    unmerged: usize,
}

impl Lost {
    async fn with(worktree: &Worktree) -> Result<Self, Complaint> {
        let state = worktree_state(worktree).await;
        let state = state.map_err(|error| Complaint::advised(WHAT, error.to_string(), None))?;
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

    /// Asks the person at the terminal.
    fn is_agreed_to(self, context: &Context) -> Result<bool, Complaint> {
        if !(std::io::stdin().is_terminal() && context.console.is_terminal()) {
            let why = format!("{} would be lost, and there is no terminal to ask at", self.in_words());
            return Err(Complaint::usage(WHAT, why, "write `--yes` if that is wanted"));
        }
        context.console.put(format!("Throw away {}? [y/N] ", self.in_words()));
        let _ = std::io::stdout().flush();
        let mut answer = String::new();
        let read = std::io::stdin().read_line(&mut answer);
        Ok(read.is_ok() && is_yes(&answer))
    }
}

fn is_yes(answer: &str) -> bool {
    ["y", "yes"].contains(&answer.trim().to_lowercase().as_str())
}

/// What was thrown away, and how its commits are brought back.
fn told(end: &WorktreeEnd, worktree: Option<&Worktree>, lost: Lost) -> String {
    let commit = match end {
        WorktreeEnd::Discarded { commit } | WorktreeEnd::Merged { commit, .. } => commit,
    };
    let Some(Worktree { repository, path, branch, .. }) = worktree else {
        return "Threw away the worktree of the run.".to_owned();
    };
    let lost = if lost.is_something() { format!(", with {}", lost.in_words()) } else { String::new() };
    let gone = format!("Threw away the worktree `{}` and its branch `{branch}`{lost}.", path.display());
    // A branch that was gone before has no last commit.
    let back = if commit.is_empty() {
        String::new()
    } else {
        let command = format!(
            "git -C {} branch {} {commit}",
            shell_quoted(&repository.display().to_string()),
            shell_quoted(branch)
        );
        format!("\nFor a while this brings the branch back: {}", one_line(&command))
    };
    format!("{}{back}", one_line(&gone))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lost_is_counted_and_the_branch_can_be_brought_back() {
        let worktree = Worktree {
            repository: "/home/me/my shop".into(),
            path: "/data/worktrees/3f2a8c1e".into(),
            branch: "surefire/3f2a8c1e".to_owned(),
            base: "0123456789abcdef".to_owned(),
        };
        let discarded = |commit: &str| WorktreeEnd::Discarded { commit: commit.to_owned() };
        let lost = Lost { uncommitted: 2, unmerged: 1 };
        assert_eq!(
            told(&discarded("5f0e1d2c"), Some(&worktree), lost),
            "Threw away the worktree `/data/worktrees/3f2a8c1e` and its branch `surefire/3f2a8c1e`, with 2 uncommitted \
             files and 1 unmerged commit.\n\
             For a while this brings the branch back: git -C '/home/me/my shop' branch surefire/3f2a8c1e 5f0e1d2c"
        );
        assert_eq!(
            told(&discarded(""), Some(&worktree), Lost::default()),
            "Threw away the worktree `/data/worktrees/3f2a8c1e` and its branch `surefire/3f2a8c1e`."
        );
    }

    #[test]
    fn only_a_clear_yes_is_one() {
        for (answer, yes) in [("y\n", true), ("YES\n", true), ("\n", false), ("", false), ("yep\n", false)] {
            assert_eq!(is_yes(answer), yes, "{answer:?}");
        }
    }
}
