const BUILD: &[&str] = &["cargo *"];

surefire::recipe! {
    recipe Example {
        initial: Work,
        step Work { prompt: "Work.", tools: [edit, ..BIULD], outcomes: [Complete], Complete => Check }
        step Check { prompt: "Check.", tools: [..BUILD], outcomes: [Complete], Complete => exit TaskCommitted }
    }
}

fn main() {}
