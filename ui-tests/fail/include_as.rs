surefire::steps! {
    steps review_loop(clean) {
        step Review {
            prompt: "Review.",
            outcomes: [NoIssues, IssuesFound],
            NoIssues => clean,
            IssuesFound => Fix,
        }
        step Fix {
            prompt: "Fix.",
            outcomes: [Complete],
            Complete => Review,
        }
    }
}

surefire::recipe! {
    recipe Nameless {
        initial: Review,
        guardrails: { max_step_visits: 3 },
        include review_loop(clean => exit ChangesCommitted) as;
    }
}

surefire::recipe! {
    recipe Quoted {
        initial: Review,
        guardrails: { max_step_visits: 3 },
        include review_loop(clean => exit ChangesCommitted) as "Early";
    }
}

surefire::recipe! {
    recipe Twice {
        initial: EarlyReview,
        guardrails: { max_step_visits: 3 },
        include review_loop(clean => exit TaskCommitted) as Early;
        include review_loop(clean => exit ChangesCommitted) as Early;
    }
}

surefire::recipe! {
    recipe Misspelt {
        initial: Review,
        guardrails: { max_step_visits: 3 },
        include review_loop(clean => EarlyReviw);
        include review_loop(clean => exit ChangesCommitted) as Early;
    }
}

fn main() {}
