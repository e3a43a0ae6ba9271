surefire::recipe! {
    recipe Example {
        initial: Fix1,

        step Fix1 {
            prompt: "Fix.",
            outcomes: [Complete],
            Complete => Fix_1,
        }

        step Fix_1 {
            prompt: "Fix again.",
            outcomes: [Complete],
            Complete => exit TaskCommitted,
        }

    }
}

fn main() {}
