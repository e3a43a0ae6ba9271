surefire::recipe! {
    recipe Example {
        initial: Fix,
        step Fix {
            prompt: "Fix it.",
            max_visits: 3 => FixEntry,
            outcomes: [Done, Again],
            Done => exit TaskCommitted,
            Again => Fix,
        }
        step FixEntry { prompt: "Ask.", outcomes: [Asked], Asked => exit ClarificationNeeded }
    }
}

fn main() {}
