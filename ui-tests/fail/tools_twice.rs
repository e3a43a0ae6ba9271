use surefire::Tool;

const BUILD: &[Tool] = &[Tool::command("cargo *")];

surefire::recipe! {
    recipe Example {
        initial: Work,
        step Work {
            prompt: "Work.",
            tools: [edit, "make *", ..BUILD, edit, r"make *", ..BUILD],
            outcomes: [Complete],
            Complete => exit TaskCommitted,
        }
    }
}

fn main() {}
