surefire::recipe! {
    recipe Example {
        initial: First,
        guardrails: { max_restarts: 1 },
        step First { prompt: "x", time: 30m => Escalat, outcomes: [Done], Done => Second }
        step Second { prompt: "x", retries: 2 => Second, outcomes: [Done], Done => Third }
        step Third { prompt: "x", budget_usd: 1.50 => restart Example, outcomes: [Done], Done => Fourth }
        step Fourth { prompt: "x", budget_usd: 1.50 => restart Escalate, outcomes: [Done], Done => Fifth }
        step Fifth { prompt: "x", retries: 2 => GiveUp, outcomes: [Done], Done => Sixth }
        step Sixth { prompt: "x", time: 30m -> Escalate, outcomes: [Done], Done => Seventh }
        step Seventh { prompt: "x", retries: 2 then Escalate, outcomes: [Done], Done => Eighth }
        step Eighth { prompt: "x", budget_usd: 2 =>, outcomes: [Done], Done => Ninth }
        step Ninth { prompt: "x", time: 30m => exit NotAReason, outcomes: [Done], Done => exit TaskCommitted }
        step Escalate { prompt: "x", outcomes: [Asked], Asked => exit ClarificationNeeded }
    }
}

fn main() {}
