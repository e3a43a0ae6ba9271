surefire::recipe! {
    recipe Example {
        initial: First,
        step First { prompt: "1", verify: [], outcomes: [Complete], Complete => Second }
        step Second {
            prompt: "2",
            verify: ["", "cargo test", [], ["cargo", " "], ["cargo test"], "cargo\0", "cargo test"],
            outcomes: [Complete],
            Complete => Third,
        }
        step Third { prompt: "3", verify: "cargo test", outcomes: [Complete], Complete => Fourth }
        step Fourth { prompt: "4", verify: [cargo test], outcomes: [Complete], Complete => Fifth }
        step Fifth { prompt: "5", outcomes: [Complete], Complete => exit TaskCommitted }
    }
}

fn main() {}
