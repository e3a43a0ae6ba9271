surefire::recipe! {
    recipe Example {
        initial: Work,

        step Work {
            prompt: "Work.",
            outcomes: [Complete],
            Complete => match,
        }

        step match {
            prompt: "Match.",
            outcomes: [Complete],
            Complete => exit TaskCommitted,
        }

    }
}

fn main() {}
