surefire::recipe! {
    recipe Example {
        initial: Work,

        step Work {
            prompt: "Work.",
            outcomes: [Complete, Again],
            Complete => Exit TaskCommitted,
            Again => Commit,
        }

        step Commit {
            prompt: "Commit.",
            outcomes: [Committed],
            Committed => exit TaskCommitted,
        }
    }
}

fn main() {}
