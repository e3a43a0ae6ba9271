//! `surefire merge`: takes over what a run did in a worktree of its own.

use std::path::Path;
use std::process::ExitCode;

use clap::Args;

use crate::cli::connection;
use crate::cli::connection::{Books, NotEnded};
use crate::cli::context::Context;
use crate::cli::doctor::program;
use crate::cli::find_run;
use crate::cli::render::format::one_line;
use crate::cli::settings::data;
use crate::cli::usage::complaint::Complaint;
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
  surefire merge 3f2a8c1e      into the branch that is checked out there";

/// What stands before every reason for not merging.
const WHAT: &str = "the run was not merged";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct Merge {
    /// The run, by its id or how that begins
    #[arg(value_name = "RUN")]
    run: String,
    #[command(flatten)]
    data: DataOption,
}

impl Merge {
    pub(in crate::cli) fn run(self, context: &Context) -> Result<ExitCode, Complaint> {
        let data = data::directory(self.data.data.as_deref())?;
        wait(async {
            let books = connection::books(context.catalog, &data).await?;
            let (run, worktree) = find(&books, &self.run).await?;
            match books.end_worktree(&data, run.run_id, WorktreeChoice::Merge, WHAT).await {
                Ok(end) => {
                    context.console.say(told(&end, worktree.as_ref()));
                    Ok(ExitCode::SUCCESS)
                }
                Err(NotEnded::Conflicts(complaint)) => {
                    let status = ExitReason::ConflictsRequireHumanIntervention.definition().exit_code;
                    let complaint = complaint.status(status);
                    Err(match &worktree {
                        Some(worktree) => {
                            let onto = checked_out(&worktree.repository).await;
                            complaint.fix(by_hand(worktree, &onto, &self.run))
                        }
                        None => complaint,
                    })
                }
                Err(NotEnded::Trouble(trouble)) => Err(trouble.into()),
            }
        })
    }
}

/// The run that is meant, and its worktree, if it has one.
pub(super) async fn find(books: &Books, asked: &str) -> Result<(RunLine, Option<Worktree>), Complaint> {
    let run = find_run::run(books, Some(asked)).await?;
    let journal = books.journal(run.run_id, 0).await?;
    let first = journal.and_then(|journal| journal.events.into_iter().next());
    let worktree = first.and_then(|first| match first.event {
        Event::Started { order, .. } => order.worktree,
        _ => None,
    });
    Ok((run, worktree))
}

/// What was merged into what.
fn told(end: &WorktreeEnd, worktree: Option<&Worktree>) -> String {
    let (into, commit) = match end {
        WorktreeEnd::Merged { into, commit } => (into.as_deref(), commit),
        // It was thrown away meanwhile.
        WorktreeEnd::Discarded { commit } => (None, commit),
    };
    let branch = worktree.map_or_else(|| "its branch".to_owned(), |it| format!("`{}`", it.branch));
    let into = into.map_or_else(|| "HEAD, which is detached".to_owned(), |into| format!("`{into}`"));
    let place = worktree.map_or_else(String::new, |it| format!(" in `{}`", it.repository.display()));
    let gone = worktree.map_or_else(String::new, |it| {
        format!(" The worktree `{}` and its branch are removed.", it.path.display())
    });
    one_line(&format!("Merged {branch} into {into}{place}, now at commit {}.{gone}", short(commit)))
}

/// What a person can do about conflicts. Nothing is lost: the worktree and its branch are as they were.
fn by_hand(worktree: &Worktree, onto: &str, asked: &str) -> String {
    let quoted = |path: &Path| shell_quoted(&path.display().to_string());
    format!(
        "nothing has changed; run `cd {} && git rebase {}`, resolve the conflicts there and run `{} merge {asked}` again, or \
         merge by hand: `cd {} && git merge {}`",
        quoted(&worktree.path),
        shell_quoted(onto),
        program_name(),
        quoted(&worktree.repository),
        shell_quoted(&worktree.branch),
    )
}

/// The branch that is checked out in a work tree, or the commit.
async fn checked_out(repository: &Path) -> String {
    let repository = repository.display().to_string();
    for question in [["symbolic-ref", "--quiet", "--short"].as_slice(), &["rev-parse", "--verify"]] {
        let words: Vec<_> = ["-C", &repository].into_iter().chain(question.iter().copied()).collect();
        let words: Vec<_> = words.into_iter().chain(["HEAD"]).collect();
        if let Ok(said) = program::said("git", &words).await
            && said.success
        {
            return said.first_line();
        }
    }
    "HEAD".to_owned()
}

/// The first digits of a commit's id, as git shows it.
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
    fn what_was_merged_is_named_with_what_it_was_merged_into() {
        let commit = "5f0e1d2c3b4a59687786a5b4c3d2e1f001122334".to_owned();
        let merged = |into: Option<&str>| WorktreeEnd::Merged {
            into: into.map(str::to_owned),
            commit: commit.clone(),
        };
        assert_eq!(
            told(&merged(Some("main")), Some(&worktree())),
            "Merged `surefire/3f2a8c1e` into `main` in `/home/me/my shop`, now at commit 5f0e1d2c3b4a. \
             The worktree `/data/worktrees/3f2a8c1e` and its branch are removed."
        );
        assert_eq!(
            told(&merged(None), None),
            "Merged its branch into HEAD, which is detached, now at commit 5f0e1d2c3b4a."
        );
    }

    #[test]
    fn conflicts_are_resolved_by_commands_that_can_be_copied() {
        let words = by_hand(&worktree(), "main", "3f2a");
        for command in [
            "`cd /data/worktrees/3f2a8c1e && git rebase main`",
            " merge 3f2a` again",
            "`cd '/home/me/my shop' && git merge surefire/3f2a8c1e`",
        ] {
            assert!(words.contains(command), "{words}");
        }
    }
}
