surefire::recipe! {
    recipe Example {
        initial: First,
        step First { run: "make", max_visits = 3, Passed => Second, Failed => First }
        step Second { run: "make", max_visits: 3 -> Escalate, Passed => Third, Failed => First }
        step Third { run: "make", max_visit: 3, Passed => Fourth, Failed => First }
        step Fourth { run: "make", visits: 3, Passed => Fifth, Failed => First }
        step Fifth { run: "make", max_step_visits: 3, Passed => Sixth, Failed => First }
        step Sixth { run: "make", max_visits: 3, max_visits: 4, Passed => Seventh, Failed => First }
        step Seventh { run: "make", max_visits: 3 =>, Passed => Eighth, Failed => First }
        step Eighth { run: "make", max_visits: 3 => return TaskCommitted, Passed => exit TaskCommitted, Failed => First }
        step Escalate { prompt: "Ask.", outcomes: [Asked], Asked => exit ClarificationNeeded }
    }
}

fn main() {}
