surefire::recipe! {
    recipe Example {
        initial: First,
        step First { prompt: "x", time: 0s, outcomes: [Done], Done => Second }
        step Second { prompt: "x", time: 10, outcomes: [Done], Done => Third }
        step Third { prompt: "x", time: "30m" => Last, outcomes: [Done], Done => Fourth }
        step Fourth { prompt: "x", time: 1000h => Last, outcomes: [Done], Done => Fifth }
        step Fifth { prompt: "x", retries: -1, outcomes: [Done], Done => Sixth }
        step Sixth { prompt: "x", retries: 2x, outcomes: [Done], Done => Seventh }
        step Seventh { prompt: "x", retries: "two", outcomes: [Done], Done => Eighth }
        step Eighth { prompt: "x", retries: 5_000_000_000, outcomes: [Done], Done => Ninth }
        step Ninth { prompt: "x", budget_usd: 0, outcomes: [Done], Done => Tenth }
        step Tenth { prompt: "x", budget_usd: 1.50usd => Last, outcomes: [Done], Done => Eleventh }
        step Eleventh { prompt: "x", budget_usd: "$1.50", outcomes: [Done], Done => Twelfth }
        step Twelfth { prompt: "x", budget_usd: 1e9, outcomes: [Done], Done => Last }
        step Last { prompt: "x", outcomes: [Done], Done => exit TaskCommitted }
    }
}

fn main() {}
