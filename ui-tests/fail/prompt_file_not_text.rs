surefire::recipe! {
    recipe Example {
        initial: Work,

        step Work {
            prompt: include_str!("prompts/latin.md"),
            outcomes: [Complete],
            Complete => Commit,
        }

        step Commit {
            prompt: "Commit.",
            outcomes: [Committed],
            Committed => exit TaskCommitted,
        }
    }
}

fn main() {}
