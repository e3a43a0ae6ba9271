surefire::recipe! {
    recipe Example {
        initial: Work,
        step Work {
            prompt: "Work.",
            outcomes: [Complete],
            Complete => exit TaskCommitted,
        }
    }

    recipe Another {}
}

fn main() {}
