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
    }
}

fn main() {
    match Example::begin().on(example::WorkOutcome::Complete) {
        example::WorkNext::Commit(commit) => {
            let _ = commit.committed();
        }
    }
}
