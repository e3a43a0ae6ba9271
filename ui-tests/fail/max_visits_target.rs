surefire::recipe! {
    recipe Example {
        initial: First,
        guardrails: { max_step_visits: 9, max_restarts: 1 },
        step First { run: "make", max_visits: 2 => Escalat, Passed => Second, Failed => First }
        step Second { run: "make", max_visits: 2 => Second, Passed => Third, Failed => First }
        step Third { run: "make", max_visits: 2 => restart Example, Passed => Fourth, Failed => First }
        step Fourth { run: "make", max_visits: 2 => restart Escalate, Passed => Fifth, Failed => First }
        step Fifth { run: "make", max_visits: 2 => GiveUp, Passed => Sixth, Failed => First }
        step Sixth { run: "make", max_visits: 2 => exit NotAReason, Passed => exit TaskCommitted, Failed => First }
        step Escalate { prompt: "Ask.", outcomes: [Asked], Asked => exit ClarificationNeeded }
    }
}

fn main() {}
