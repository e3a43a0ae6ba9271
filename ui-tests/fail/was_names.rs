surefire::steps! {
    /// Former names in shared steps are judged once, where they are written.
    steps review(clean) {
        step Review {
            was: [Review, Check],
            prompt: "Review.",
            outcomes: [NoIssues, IssuesFound],
            NoIssues => clean,
            IssuesFound => exit ReviewRejected,
        }
    }
}

surefire::recipe! {
    recipe Example {
        initial: Work,
        step Work {
            was: [Work, Build, Build, Review, Stop => Blocked],
            prompt: "Work.",
            outcomes: [Complete, Blocked],
            Complete => Test,
            Blocked => exit ImplementationBlocked,
        }
        step Test {
            was: [Make, Ok => Pased, Passed => Failed, Success => Passed, Success => Failed],
            run: "cargo test",
            Passed => Fix,
            Failed => exit ImplementationBlocked,
        }
        step Fix {
            was: [Make],
            prompt: "Fix.",
            outcomes: [Complete],
            Complete => Polish,
        }
        step Polish {
            was: [],
            prompt: "Polish.",
            outcomes: [Complete],
            Complete => Review,
        }
        include review(clean => exit TaskCommitted);
    }
}

fn main() {
    drop(Example::begin());
}
