const NOTHING: &str = "";

surefire::steps! {
    steps review_loop(clean) {
        step Review {
            outcomes: [NoIssues, IssuesFound],
            NoIssues => clean,
            IssuesFound => Fix,
        }

        step Fix {
            prompt: NOTHING,
            outcomes: [Complete],
            Complete => Review,
        }
    }
}

surefire::recipe! {
    recipe Once {
        initial: Review,
        guardrails: { max_step_visits: 3 },
        include review_loop(clean => exit TaskCommitted);
    }
}

surefire::recipe! {
    recipe Twice {
        initial: Review,
        guardrails: { max_step_visits: 3 },
        include review_loop(clean => exit ChangesCommitted);
    }
}

fn main() {}
