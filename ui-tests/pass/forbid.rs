//! Under `forbid`, which no `allow` in generated code could overrule, whether the recipe is used or
//! not. `src/lib.rs` has the lints of clippy.
#![forbid(dead_code, unused_imports, unused_variables, unused_macros, unreachable_pub)]
#![forbid(missing_docs, missing_debug_implementations, unused_qualifications)]
#![forbid(non_camel_case_types, non_snake_case, non_upper_case_globals)]

surefire::steps! {
    steps review_loop(clean) {
        step Review {
            prompt: "Review.",
            tools: [..TOOLS],
            outcomes: [NoIssues, IssuesFound],
            NoIssues => clean,
            IssuesFound => Fix,
        }
        step Fix { prompt: "Fix.", max_visits: 2 => clean, outcomes: [Complete], Complete => Review }
    }
}

const TOOLS: &[surefire::Tool] = &[surefire::Tool::Read];

surefire::recipe! {
    recipe Unused {
        initial: write_it,
        guardrails: { max_step_visits: 3, max_restarts: 1 },
        step write_it {
            prompt: "Write.",
            outcomes: [done, Again],
            done => Review,
            Again => restart Unused,
        }
        include review_loop(clean => exit ChangesCommitted);
    }
}

surefire::recipe! {
    recipe InPart {
        initial: Work,
        step Work { prompt: "Work.", outcomes: [Complete, Stuck], Complete => Try, Stuck => exit ImplementationBlocked }
        step Try { prompt: "Try.", max_visits: 2 => Rest, outcomes: [Complete, Again], Complete => Rest, Again => Try }
        step Rest { prompt: "Rest.", outcomes: [Complete], Complete => exit TaskCommitted }
    }
}

fn main() {
    assert_eq!(InPart::begin().stuck().code(), "implementation-blocked");
}
