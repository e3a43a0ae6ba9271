//! A bisect: finds the commit that broke something, and explains it.
//!
//! ```sh
//! cargo run --example bisect -- show find-the-culprit
//! cargo run --example bisect -- run find-the-culprit \
//!     --rehearse "ready, passed, failed, passed, failed, passed, passed, explained"
//! cargo run --example bisect -- run find-the-culprit "totals are wrong since 1.4" --dir ~/shop
//! ```
//!
//! The last one is the real thing: it needs Claude Code and a git repository. The agent writes the
//! script that tells a good commit from a bad one, and explains the culprit. Everything between is
//! commands, which cost nothing: git picks the middle, and the exit status of the script judges it.
//! The range is kept in the refs `good`, `bad` and `middle` below `refs/culprit`, and commits are
//! judged in `.git/culprit`: the working directory stays as it is.

use std::process::ExitCode;

use surefire::Registry;

/// How a search ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Registry)]
enum SearchExits {
    #[reason(category = completed, message = "The culprit is found: culprit/report.md explains it")]
    CulpritFound,
    #[reason(
        category = completed,
        goal_met = false,
        message = "No script tells a good commit from a bad one",
        exit_code = 42,
        diagnosis = "Say how it breaks, or in which version it worked, then start again."
    )]
    NotReproduced,
    #[reason(
        category = guardrail,
        message = "The history is longer than 4096 commits",
        exit_code = 43,
        diagnosis = "Name a later good commit in the task, then start again.",
        remedy = again
    )]
    HistoryTooLong,
}

surefire::recipe! {
    /// Finds the commit that broke something, by halving the history, and explains it.
    recipe FindTheCulprit {
        initial: Prepare,
        exits: SearchExits,
        needs: { task },
        // The agent changes nothing but its script and its report.
        scope: { allow: ["/culprit/**"] },
        proves: {
            // No commit is judged by a script that was not tried on both ends of the range.
            Judge needs Confirm.Passed since Prepare,
            // What is explained is what the last judgement left, and not a guess.
            Explain needs OneLeft.Passed since Judge,
            exit CulpritFound needs OneLeft.Passed,
        },

        /// The agent's part: a script, and a commit from before it broke.
        step Prepare {
            prompt: "Something broke, and the commit that did it is to be found; the task says \
                     what. Write culprit/judge.sh for `sh`: run at the top of a checkout, it exits \
                     with 0 if all is well there, and with 1 if it is broken. It may take a minute \
                     and needs no network. Then find a commit at which all was well, and keep it: \
                     git update-ref refs/culprit/good <commit>",
            tools: [edit, "sh culprit/judge.sh", "git log *", "git update-ref refs/culprit/good *"],
            max_visits: 3 => exit NotReproduced,
            outcomes: [
                /// The script is written, and the ref names a good commit.
                Ready,
                /// It is not broken here, or you cannot tell a good commit from a bad one.
                Unclear,
            ],
            Ready => Confirm if exists "culprit/judge.sh"
                && "git rev-parse --verify --quiet refs/culprit/good",
            Unclear => exit NotReproduced,
        }

        /// Tries the script on both ends of the range: it passes at the good one, and fails here.
        step Confirm {
            run: "git update-ref refs/culprit/bad HEAD; \
                  place=$(git rev-parse --git-path culprit); rm -rf \"$place\"; mkdir \"$place\"; \
                  git archive refs/culprit/good | tar -x -C \"$place\"; script=$PWD/culprit/judge.sh; \
                  (cd \"$place\" && sh \"$script\") && ! sh \"$script\"",
            time: 5m,
            Passed => OneLeft,
            Failed => Prepare,
        }

        /// Whether nothing is left to judge: then the bad end of the range is the culprit.
        step OneLeft {
            run: "test \"$(git rev-list --count refs/culprit/bad ^refs/culprit/good)\" = 1",
            Passed => Explain,
            Failed => Pick,
        }

        /// The commit in the middle, checked out beside the working directory.
        step Pick {
            run: "middle=$(git rev-list --bisect refs/culprit/bad ^refs/culprit/good); \
                  git update-ref refs/culprit/middle \"$middle\"; \
                  place=$(git rev-parse --git-path culprit); rm -rf \"$place\"; mkdir \"$place\"; \
                  git archive \"$middle\" | tar -x -C \"$place\"",
            Passed => Judge,
            Failed => exit ExitReason::Error,
        }

        /// Each judgement halves what is left, so twelve are enough for 4096 commits.
        step Judge {
            run: "script=$PWD/culprit/judge.sh; cd \"$(git rev-parse --git-path culprit)\"; \
                  sh \"$script\"",
            time: 5m,
            max_visits: 12 => exit HistoryTooLong,
            Passed => MarkGood,
            Failed => MarkBad,
        }

        step MarkGood {
            run: "git update-ref refs/culprit/good refs/culprit/middle",
            Passed => OneLeft,
            Failed => exit ExitReason::Error,
        }

        step MarkBad {
            run: "git update-ref refs/culprit/bad refs/culprit/middle",
            Passed => OneLeft,
            Failed => exit ExitReason::Error,
        }

        /// The agent's part again: why that commit broke it.
        step Explain {
            prompt: "`git show refs/culprit/bad` is the commit that broke it. Write \
                     culprit/report.md: which commit it is, which of its changes is to blame and \
                     why, and how it can be repaired. Repair nothing.",
            tools: [edit, "git show *", "git log *", "git diff *"],
            outcomes: [Explained],
            Explained => exit CulpritFound
                if "grep -q \"$(git rev-parse --short refs/culprit/bad)\" culprit/report.md",
        }
    }
}

fn main() -> ExitCode {
    surefire::cli::main(surefire::catalog![FindTheCulprit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_takes_no_more_judgements_than_the_history_needs() {
        let judge = FindTheCulprit::OUTLINE.step("judge").expect("it is a step");
        assert_eq!(judge.limits.max_visits, Some(4096_u32.ilog2()));
        assert!(FindTheCulprit::MAX_STEPS_IS_EXACT);
    }
}
