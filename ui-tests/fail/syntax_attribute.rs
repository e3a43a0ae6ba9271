surefire::recipe! {
    recipe Example {
        initial: Work,

        #[allow(dead_code)]
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
    }
}

fn main() {}
