//! `proves` without a claim.

surefire::recipe! {
    pub recipe Ship {
        initial: Commit,
        proves: {},
        step Commit {
            prompt: "Commit the changes.",
            outcomes: [Committed],
            Committed => exit TaskCommitted,
        }
    }
}

surefire::recipe! {
    pub recipe Release {
        initial: Commit,
        proves: Commit needs Commit.Committed,
        step Commit {
            prompt: "Commit the changes.",
            outcomes: [Committed],
            Committed => exit TaskCommitted,
        }
    }
}

fn main() {}
