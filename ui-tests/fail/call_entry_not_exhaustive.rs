surefire::recipe! {
    recipe Example {
        initial: Fix,
        step Fix {
            prompt: "Fix it.",
            max_visits: 3 => Escalate,
            outcomes: [Done, Again],
            Done => exit TaskCommitted,
            Again => Fix,
        }
        step Escalate { prompt: "Ask.", outcomes: [Asked], Asked => exit ClarificationNeeded }
    }
}

fn main() -> Result<(), surefire::Exit> {
    match Example::begin().again()? {
        example::FixEntry::Fix(_) => Ok(()),
    }
}
