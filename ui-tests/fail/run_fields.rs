surefire::recipe! {
    recipe Example {
        model: "opus",
        tools: [edit],
        initial: Test,
        step Test {
            run: "cargo test",
            outcomes: [Passed, Failed],
            model: "haiku",
            tools: [read],
            verify: ["cargo clippy"],
            Passed => exit TaskCommitted,
            Failed => exit ImplementationBlocked,
        }
    }
}

fn main() {}
