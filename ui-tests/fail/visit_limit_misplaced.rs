surefire::recipe! {
    recipe Example {
        initial: First,
        budget_usd: 1.50,
        step First { run: "make", retries: 2, budget_usd: 1.50 => Last, Passed => Second, Failed => Last }
        step Second { prompt: "x", time: 30m, time: 40m => Last, outcomes: [Done], Done => Third }
        step Third { prompt: "x", timeout: 30m, max_retries: 2, budget: 1.50, outcomes: [Done], Done => Fourth }
        step Fourth { prompt: "x", time: 30m => Last, outcomes: [Done, OutOfTime], Done | OutOfTime => Last }
        step Last { prompt: "x", outcomes: [Done], Done => exit TaskCommitted }
    }
}

fn main() {}
