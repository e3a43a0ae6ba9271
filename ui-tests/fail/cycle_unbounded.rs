surefire::recipe! {
    recipe Example {
        initial: Work,

        step Work {
            prompt: "Work.",
            outcomes: [Complete],
            Complete => Review,
        }

        step Review {
            prompt: "Review.",
            outcomes: [NoIssues, IssuesFound],
            NoIssues => exit TaskCommitted,
            IssuesFound => Fix,
        }

        step Fix {
            prompt: "Fix.",
            outcomes: [Complete],
            Complete => Review,
        }

    }
}

fn main() {}
