surefire::recipe! {
    recipe Example {
        initial: Review,
        guardrails: { max_step_visits: 3 },
        include review_lop(clean => exit TaskCommitted);
    }
}

fn main() {}
