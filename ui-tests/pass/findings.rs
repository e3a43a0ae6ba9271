//! `Outcome(findings) => next`: in a recipe, with evidence, in shared steps, and with a limit of
//! its own.
#![deny(warnings)]

surefire::steps! {
    steps review_loop(clean, unclear) {
        step Review {
            prompt: "Review.",
            outcomes: [NoIssues, IssuesFound, Unclear],
            NoIssues => clean,
            IssuesFound(findings) => Fix,
            Unclear(findings) => unclear,
        }
        step Fix { prompt: "Fix.", outcomes: [Complete], Complete => Review }
    }
}

surefire::recipe! {
    recipe Example {
        initial: Judge,
        guardrails: { max_step_visits: 9, max_review_rounds: 2, max_restarts: 1 },
        step Judge {
            prompt: "Judge.",
            outcomes: [r#Match, Wrong, Hopeless],
            r#Match => Review,
            Wrong(findings) => exit ReviewRejected if no_commit,
            Hopeless(findings) => restart Example,
        }
        include review_loop(clean => exit ChangesCommitted, unclear => exit ReviewRejected);
    }
}

surefire::recipe! {
    /// The same graph without findings.
    recipe Plain {
        initial: Judge,
        guardrails: { max_step_visits: 9, max_restarts: 1 },
        step Judge {
            prompt: "Judge.",
            outcomes: [r#Match, Wrong, Hopeless],
            r#Match => Review,
            Wrong => exit ReviewRejected,
            Hopeless => restart Example,
        }
        step Review {
            prompt: "Review.",
            outcomes: [NoIssues, IssuesFound, Unclear],
            NoIssues => exit ChangesCommitted,
            IssuesFound => Fix,
            Unclear => exit ReviewRejected,
        }
        step Fix { prompt: "Fix.", outcomes: [Complete], Complete => Review }
    }
}

fn main() -> Result<(), surefire::Exit> {
    let steps = Example::OUTLINE.steps.iter();
    let carried: Vec<_> = steps
        .flat_map(|step| step.outcomes)
        .filter(|outcome| outcome.findings)
        .map(|outcome| outcome.name)
        .collect();
    assert_eq!(carried, ["wrong", "hopeless", "issues-found", "unclear"]);
    assert_eq!(Example::OUTLINE.guardrails.max_review_rounds, Some(2));
    assert_eq!(Plain::OUTLINE.guardrails.max_review_rounds, None);

    // The typed form takes none.
    let review = Example::begin().r#match()?;
    assert_eq!(review.issues_found()?.complete()?.no_issues().code(), "changes-committed");
    assert_eq!(Example::OUTLINE.fingerprint, Plain::OUTLINE.fingerprint);
    Ok(())
}
