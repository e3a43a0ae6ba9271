surefire::recipe! {
    recipe Example {
        initial: Work,
        step Work {
            prompt: "Work.",
            tools: [
                "",
                "*",
                "cargo*",
                "cargo * --all",
                "cargo  test",
                "cargo\ntest",
                "Bash(cargo *)",
                "git add -A && git commit *",
            ],
            outcomes: [Complete],
            Complete => exit TaskCommitted,
        }
    }
}

fn main() {}
