surefire::recipe! {
    recipe Example {
        initial: Work,

        step Work {
            prompt: "Work.",
            outcomes: [Complete],
            Complete => Commit,
        }

        step Commit {
            prompt: "Commit.",
            outcomes: [Committed],
            Committed => exit TaskCommitted,
        }

        step Work {
            prompt: "Work again.",
            outcomes: [Complete],
            Complete => Commit,
        }
    }
}

fn main() {}
