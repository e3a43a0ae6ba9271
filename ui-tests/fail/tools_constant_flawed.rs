use std::borrow::Cow;
use surefire::Tool;

const CHECKED: &[Tool] = &[Tool::command("cargo *"), Tool::command("cargo*")];
const UNCHECKED: &[Tool] = &[Tool::Command(Cow::Borrowed("make | tee log"))];
const NONE: &[Tool] = &[];

surefire::steps! {
    steps shared(next) {
        step Shared { prompt: "Share.", tools: [edit, ..UNCHECKED], outcomes: [Complete], Complete => next }
    }
}

surefire::recipe! {
    recipe Example {
        tools: [read, ..CHECKED],
        initial: Work,
        step Work { prompt: "Work.", tools: [..NONE], outcomes: [Complete], Complete => Shared }
        include shared(next => exit TaskCommitted);
    }
}

fn main() {
    let _ = Example::OUTLINE;
}
