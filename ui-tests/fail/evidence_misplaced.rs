surefire::recipe! {
    recipe Example {
        initial: Test,
        step Test { run: "cargo test", Passed => Work if changed, Failed => exit ImplementationBlocked if "make" }
        step Work {
            prompt: "Work.",
            outcomes: [Complete, Other],
            Complete => exit TaskCommitted if commit,
            Other => exit ReviewRejected if no_commit,
        }
    }
}

fn main() {}
