surefire::recipe! {
    recipe Example {
        label: "Example"
        initial: Work,

        step Work {
            prompt: "Work."
            outcomes: [Complete, Blocked, Lost],
            Complete -> Commit,
            Blocked => exit,
            Lost => "commit",
        }

        step {
            prompt: "Nameless.",
        }

        step Commit {
            prompt: "Commit.",
            outcomes: [Committed],
            Committed => exit TaskCommitted,
        }
    }
}

fn main() {}
