//! The same shared steps twice in one recipe, under other names; and those of another crate.
#![deny(warnings)]

surefire::steps! {
    steps review_loop(clean) {
        step Review {
            prompt: "Review.",
            outcomes: [NoIssues, IssuesFound, Odd],
            NoIssues => clean,
            IssuesFound => Fix,
            Odd => Ask,
        }
        step Fix {
            prompt: include_str!("../fail/prompts/work.md"),
            max_visits: 2 => Review,
            outcomes: [Complete],
            Complete => Review,
        }
    }
}

surefire::recipe! {
    recipe Twice {
        initial: EarlyReview,
        guardrails: { max_step_visits: 3 },
        // `Review` and `Fix` are the recipe's own, as far as the recipe leads to them.
        include review_loop(clean => Review) as Early;
        include review_loop(clean => exit ChangesCommitted);
        include review_loop(clean => Fix) as r#late;
        step Ask { prompt: "Ask.", outcomes: [Answered], Answered => lateReview }
    }
}

surefire::recipe! {
    recipe FromElsewhere {
        initial: Write,
        guardrails: { max_step_visits: 3 },
        step Write { prompt: "Write.", outcomes: [Complete], Complete => Proofread }
        include ui_tests::proofreading(clean => FinalProofread);
        include ui_tests::proofreading(clean => exit ChangesCommitted) as Final,
    }
}

fn main() -> Result<(), surefire::Exit> {
    let names: Vec<_> = Twice::OUTLINE.steps.iter().map(|step| step.name).collect();
    assert_eq!(names, ["early-review", "early-fix", "review", "fix", "late-review", "late-fix", "ask"]);
    assert_eq!(Twice::OUTLINE.steps[1].prompt, Twice::OUTLINE.steps[5].prompt);
    let twice::EarlyFixEntry::EarlyFix(fix) = Twice::begin().issues_found()? else { panic!() };
    let review: twice::At<twice::EarlyReview> = fix.complete()?;
    let review: twice::At<twice::Review> = review.no_issues()?;
    let late: twice::At<twice::lateReview> = review.odd()?.answered()?;
    let twice::FixEntry::Fix(fix) = late.no_issues()? else { panic!() };
    assert_eq!(fix.complete()?.no_issues().code(), "changes-committed");

    let last = FromElsewhere::begin().complete()?.typos()?.complete()?.none()?;
    assert_eq!(last.position().outline().name, "final-proofread");
    assert_eq!(last.hopeless().code(), "review_rejected");
    let [_, proofread, ..] = FromElsewhere::OUTLINE.steps else { unreachable!() };
    assert_eq!(proofread.prompt, "Read `text.md`, and list the typos.\n");
    assert_eq!(proofread.tools.expect("it has tools").len(), 2);
    Ok(())
}
