//! `Outcome => next if evidence`: on exits, steps and restarts, in shared steps, and at the place
//! of an include.
#![deny(warnings)]

use surefire::{CommandLine, Evidence};

surefire::steps! {
    steps commit_work(committed, nothing) {
        step Commit {
            prompt: "Commit.",
            outcomes: [Committed, NothingToCommit],
            Committed => committed if commit,
            NothingToCommit => nothing if no_commit,
        }
    }
}

surefire::recipe! {
    recipe Example {
        initial: Work,
        guardrails: { max_step_visits: 3, max_restarts: 2 },
        step Work {
            prompt: "Work.",
            outcomes: [Complete, Again, StartOver, Published, Other],
            Complete => Commit if changed && exists "docs/design.md" && "test -s docs/design.md",
            Again => Work if ["cargo", "check"],
            StartOver => restart Example if clean_tree,
            Published => exit ChangesCommitted if rebased_on_main
                && clean,
            Other => exit ReviewRejected,
        }
        include commit_work(committed => exit TaskCommitted, nothing => exit NoChangesToCommit if clean);
    }
}

surefire::recipe! {
    /// The same graph without evidence.
    recipe Plain {
        initial: Work,
        guardrails: { max_step_visits: 3, max_restarts: 2 },
        step Work {
            prompt: "Work.",
            outcomes: [Complete, Again, StartOver, Published, Other],
            Complete => Commit,
            Again => Work,
            StartOver => restart Example,
            Published => exit ChangesCommitted,
            Other => exit ReviewRejected,
        }
        include commit_work(committed => exit TaskCommitted, nothing => exit NoChangesToCommit);
    }
}

fn main() -> Result<(), surefire::Exit> {
    let [work, commit] = Example::OUTLINE.steps else { panic!("there are two") };
    let shown: Vec<_> = work.outcomes.iter().map(|outcome| Evidence::all(outcome.evidence)).collect();
    assert_eq!(
        shown,
        [
            r#"changed && exists "docs/design.md" && "test -s docs/design.md""#,
            r#"["cargo", "check"]"#,
            "clean_tree",
            "rebased_on_main && clean",
            "",
        ]
    );
    assert!(matches!(&work.outcomes[0].evidence[2], Evidence::Command(CommandLine::Shell(_))));
    assert!(matches!(&work.outcomes[1].evidence[0], Evidence::Command(CommandLine::Program(_))));
    assert_eq!(commit.outcomes[0].evidence, [Evidence::Commit]);
    assert_eq!(commit.outcomes[1].evidence, [Evidence::NoCommit, Evidence::Clean]);
    assert!(commit.outcomes[2].evidence.is_empty(), "the implied `Other` has none");

    // The typed form takes an outcome at its word.
    assert_eq!(Example::begin().complete()?.committed().code(), "task-committed");
    assert_eq!(Example::OUTLINE.fingerprint, Plain::OUTLINE.fingerprint);
    Ok(())
}
