surefire::recipe! {
    recipe Example {
        initial: Work,
        step Work {
            prompt: "Work.",
            verify: ["cargo test"],
            outcomes: [Complete, Blocked],
            Complete => exit TaskCommitted,
            Blocked => exit ImplementationBlocked,
        }
    }
}

fn main() {}
