//! A doc comment on an outcome says when to choose it: in a recipe, in shared steps, and of every
//! kind that Rust has.
#![deny(warnings)]
#![deny(rustdoc::broken_intra_doc_links)]

surefire::steps! {
    steps triage(urgent) {
        step Judge {
            prompt: "Judge the report.",
            outcomes: [
                /// Customers see it.
                Urgent,
                /** It can wait
                 *  until tomorrow.
                 *
                 *  Not part of the rule. */
                Later,
                Unclear,
            ],
            Urgent => urgent,
            Later | Unclear => exit NoTasksAvailable,
        }
    }
}

surefire::recipe! {
    recipe Example {
        initial: Judge,
        guardrails: { exit_on_other: false },
        include triage(urgent => Fix);
        step Fix {
            prompt: "Fix it.",
            outcomes: [
                #[doc = " It is fixed, and a test | shows it; see [`Fix`]."]
                Complete,
                /// Somebody else has to.
                Other,
            ],
            Complete => Test,
            Other => exit UserProvidedOther,
        }
        step Test { run: "true", Passed => exit TaskCommitted, Failed => exit ImplementationBlocked }
    }
}

fn main() {
    let descriptions: Vec<_> = Example::OUTLINE
        .steps
        .iter()
        .flat_map(|step| step.outcomes)
        .map(|outcome| (outcome.name, outcome.description))
        .collect();
    let expected = [
        ("urgent", "Customers see it."),
        ("later", "It can wait until tomorrow."),
        ("unclear", ""),
        ("complete", "It is fixed, and a test | shows it; see [`Fix`]."),
        ("other", "Somebody else has to."),
        ("passed", ""),
        ("failed", ""),
    ];
    assert_eq!(descriptions, expected);
}
