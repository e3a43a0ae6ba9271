// The outcome is left out, and its mapping is not.
surefire::recipe! {
    recipe Example {
        initial: Work,

        step Work {
            prompt: "Work.",
            outcomes: [Complete, #[cfg(not(unix))] Blocked],
            Complete => exit TaskCommitted,
            Blocked => exit ImplementationBlocked,
        }
    }
}

fn main() {}
