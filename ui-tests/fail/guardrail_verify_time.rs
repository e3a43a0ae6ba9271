mod without_verify {
    surefire::recipe! {
        recipe Example {
            initial: Work,
            guardrails: { max_verify_time_per_milestone: 30m, max_step_visits: 3m },
            step Work { prompt: "Work.", outcomes: [Complete], Complete => exit TaskCommitted }
        }
    }
}

mod zero {
    surefire::recipe! {
        recipe Example {
            initial: Work,
            guardrails: { max_verify_time_per_milestone: 0m },
            step Work { prompt: "Work.", verify: ["make"], outcomes: [Complete], Complete => Commit }
            step Commit { prompt: "Commit.", outcomes: [Committed], Committed => exit TaskCommitted }
        }
    }
}

mod no_unit {
    surefire::recipe! {
        recipe Example {
            initial: Work,
            guardrails: { max_verify_time_per_milestone: 30 },
            step Work { prompt: "Work.", verify: ["make"], outcomes: [Complete], Complete => Commit }
            step Commit { prompt: "Commit.", outcomes: [Committed], Committed => exit TaskCommitted }
        }
    }
}

mod no_time {
    surefire::recipe! {
        recipe Example {
            initial: Work,
            guardrails: { max_verify_time: true },
            step Work { prompt: "Work.", verify: ["make"], outcomes: [Complete], Complete => Commit }
            step Commit { prompt: "Commit.", outcomes: [Committed], Committed => exit TaskCommitted }
        }
    }
}

fn main() {}
