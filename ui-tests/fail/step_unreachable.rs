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

        step Fix {
            prompt: "Fix.",
            outcomes: [Complete],
            Complete => Polish,
        }

        step Polish {
            prompt: "Polish.",
            outcomes: [Complete],
            Complete => Commit,
        }
    }
}

fn main() {}
