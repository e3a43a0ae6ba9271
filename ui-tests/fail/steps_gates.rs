surefire::steps! {
    /// Mistakes in shared steps are told once, where they are written.
    steps shared(next, other) {
        step Work {
            prompt: "Work.",
            tools: [edit, "cargo*"],
            verify: [""],
            outcomes: [Complete, Blocked],
            Complete => next if comit,
            Blocked => other if no_commit,
        }
        step Test { run: "", model: "opus", time: 0s, Passed => next if changed, Failed => Work }
    }
}

surefire::recipe! {
    recipe First {
        initial: Work,
        guardrails: { max_step_visits: 3 },
        include shared(next => Test, other => exit ImplementationBlocked);
    }
}

surefire::recipe! {
    recipe Second {
        initial: Test,
        guardrails: { max_step_visits: 3 },
        include shared(next => exit TaskCommitted, other => exit ImplementationBlocked if commit && cleen);
    }
}

fn main() {
    drop((First::begin(), Second::begin()));
}
