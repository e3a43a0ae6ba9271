surefire::recipe! {
    recipe Example {
        tools: [raed],
        initial: Work,
        step Work {
            prompt: "Work.",
            tools: [Edit, cargo, "web"],
            outcomes: [Complete],
            Complete => exit TaskCommitted,
        }
    }
}

fn main() {}
