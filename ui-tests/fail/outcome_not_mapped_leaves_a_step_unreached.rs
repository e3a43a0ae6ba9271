surefire::recipe! {
    recipe Example {
        initial: Work,

        step Work {
            prompt: "Work.",
            outcomes: [Complete, Blocked],
            Blocked => exit ImplementationBlocked,
        }

        step Commit {
            prompt: "Commit.",
            outcomes: [Committed],
            Committed => exit TaskCommitted,
        }
    }
}

fn main() -> Result<(), surefire::Exit> {
    let _ = Example::begin().complete()?.committed();
    Ok(())
}
