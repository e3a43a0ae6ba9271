//! `steps!` and `include`: shared steps, their parameters, their prompts beside their own source.
#![deny(warnings)]

mod shared {
    const FIX: &str = "Fix what the review found.";

    surefire::steps! {
        /// Review, and fix until nothing is left to fix.
        pub(crate) steps review_loop(clean, hopeless) {
            /// Reviews.
            step Review {
                prompt: include_str!("../fail/prompts/work.md"),
                outcomes: [NoIssues, IssuesFound, Hopeless],
                NoIssues => clean,
                IssuesFound => Fix,
                Hopeless => hopeless,
            }

            step Fix {
                prompt: FIX,
                model: "haiku",
                outcomes: [Complete],
                Complete => Review,
            }
        }
    }

    surefire::steps! {
        pub(crate) steps farewell {
            step Farewell { prompt: "Say goodbye.", outcomes: [Complete], Complete => exit RetrospectiveComplete }
        }
    }
}

use shared::review_loop;

surefire::recipe! {
    recipe Exits {
        initial: Review,
        guardrails: { max_step_visits: 3 },
        include review_loop(clean => exit ChangesCommitted, hopeless => exit ReviewRejected);
    }
}

surefire::recipe! {
    recipe GoesOn {
        initial: Work,
        guardrails: { max_step_visits: 3, max_restarts: 1 },
        step Work { prompt: "Work.", outcomes: [Complete], Complete => Review }
        include shared::review_loop(clean => Farewell, hopeless => restart Exits,);
        include shared::farewell();
    }
}

fn main() -> Result<(), surefire::Exit> {
    assert_eq!(Exits::begin().no_issues().code(), "changes-committed");
    assert_eq!(Exits::OUTLINE.steps[0].prompt, "Work on the task.\n");
    assert_eq!(Exits::OUTLINE.steps[0].description, "Reviews.");
    let review = GoesOn::begin().complete()?.issues_found()?.complete()?;
    assert_eq!(review.no_issues()?.complete().code(), "retrospective-complete");
    let names: Vec<_> = GoesOn::OUTLINE.steps.iter().map(|step| step.name).collect();
    assert_eq!(names, ["work", "review", "fix", "farewell"]);
    assert_eq!(review_loop::FIX, "Fix what the review found.");
    Ok(())
}
