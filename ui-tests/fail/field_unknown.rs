surefire::recipe! {
    recipe Example {
        initial: Work,
        title: "Example",

        step Work {
            promt: "Work.",
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
