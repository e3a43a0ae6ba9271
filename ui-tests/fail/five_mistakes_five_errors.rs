surefire::recipe! {
    /// Five independent mistakes, and code below that uses the recipe all the same.
    recipe Example {
        id: "example",
        initial: Implement,
        guardrails: { max_step_visits: 0, max_total_steps: 100 },

        step Implement {
            prompt: "Implement.",
            outcomes: [Complete, NoTasks, Blocked],
            Complete => CodeRevew,
            NoTasks => exit NoTasksAvailable,
        }

        step CodeReview {
            prompt: "",
            outcomes: [NoIssues, IssuesFound],
            NoIssues => Commit,
            IssuesFound => Fix,
            IssuesFound => Commit,
        }

        step Fix {
            prompt: "Fix.",
            outcomes: [Complete],
            Complete => CodeReview,
        }

        step Commit {
            prompt: "Commit.",
            outcomes: [Committed],
            Committed => exit TaskCommitted,
        }
    }
}

static CATALOG: surefire::Catalog = surefire::catalog![Example];

fn main() -> Result<(), surefire::Exit> {
    let review: example::At<example::CodeReview> = Example::begin().complete()?;
    match review.on(example::CodeReviewOutcome::IssuesFound) {
        example::CodeReviewNext::Commit(commit) => drop(commit.committed()),
        example::CodeReviewNext::Fix(fix) => drop(fix.complete()?.no_issues()?),
        example::CodeReviewNext::End(end) => return Err(end.exit()),
    }
    let _ = (Example::begin().blocked(), example::Step::Fix, Example::MAX_STEPS, CATALOG);
    Ok(())
}
