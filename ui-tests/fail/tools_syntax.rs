surefire::recipe! {
    recipe Example {
        tools: edit,
        initial: First,
        step First { prompt: "1", tools: [edit "cargo *"], outcomes: [Complete], Complete => Second }
        step Second { prompt: "2", tools: [edit, 3], outcomes: [Complete], Complete => Third }
        step Third { prompt: "3", tool: [..], outcomes: [Complete], Complete => Fourth }
        step Fourth { prompt: "4", tools: [..], outcomes: [Complete], Complete => exit TaskCommitted }
    }
}

fn main() {}
