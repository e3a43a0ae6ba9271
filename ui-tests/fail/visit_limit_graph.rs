surefire::recipe! {
    /// A limit of a visit bounds no cycle: each visit begins with a new one.
    recipe Example {
        initial: Migrate,
        step Migrate { prompt: "x", time: 30m => Look, outcomes: [Done], Done => exit TaskCommitted }
        step Look { prompt: "x", outcomes: [Again], Again => Migrate }
    }
}

surefire::recipe! {
    recipe Proved {
        initial: Migrate,
        proves: { Commit needs Check.Good },
        step Migrate { prompt: "x", outcomes: [Done], Done => Check }
        step Check { prompt: "x", time: 30m => Commit, outcomes: [Good, Bad], Good => Commit, Bad => exit ReviewRejected }
        step Commit { prompt: "x", outcomes: [Done], Done => exit TaskCommitted }
    }
}

surefire::recipe! {
    recipe Trapped {
        initial: Work,
        guardrails: { max_step_visits: 3 },
        step Work { prompt: "x", budget_usd: 2 => Rest, outcomes: [Done], Done => Rest }
        step Rest { prompt: "x", time: 30m => Work, outcomes: [Done], Done => Work }
    }
}

fn main() {}
