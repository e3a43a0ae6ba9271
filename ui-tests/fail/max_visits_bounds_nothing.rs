surefire::recipe! {
    recipe Example {
        initial: First,
        guardrails: { max_total_steps: 10 },
        step First { run: "make", max_visits: 2, Passed => Second, Failed => exit ImplementationBlocked }
        step Second { run: "make", max_visits: 11, Passed => exit TaskCommitted, Failed => Second }
    }
}

fn main() {}
