surefire::recipe! {
    recipe Example {
        tools: [],
        initial: Work,
        step Work { prompt: "Work.", tools: [], outcomes: [Complete], Complete => exit TaskCommitted }
    }
}

fn main() {}
