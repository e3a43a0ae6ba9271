//! What a rehearsal says. It never claims to have done anything.

use serde_json::json;

/// How every reply begins.
const HONESTLY: &str = "Rehearsal: nothing was changed.";

/// The reply that reports this outcome.
pub(super) fn reporting(outcome: &str) -> String {
    let mut object = format!("{{\"outcome\": {}", json!(outcome));
    if outcome == "other" {
        object.push_str(", \"otherDescription\": \"the rehearsal's script asks for something else\"");
    }
    format!("{HONESTLY} {}\n\n{object}}}", pretending(outcome))
}

fn pretending(outcome: &str) -> &'static str {
    match outcome {
        "complete" | "done" => "I pretend that this step's work is done and that its tests pass.",
        "no-issues" => "I pretend to have read all of it and to have found nothing worth a change.",
        "issues-found" => {
            "I pretend to have found one issue: medium, `src/lib.rs:42`, an error is swallowed; return it instead."
        }
        "committed" => "I pretend that it is committed with a message that says why.",
        "nothing-to-commit" => "I pretend that the working tree is clean.",
        "found" => "I pretend to have found the document.",
        "not-found" | "design-missing" => {
            "I pretend to have looked everywhere and to have found no document."
        }
        "no-tasks" => "I pretend that all tasks are done.",
        "blocked" => "I pretend that something outside of this project is in the way.",
        "needs-input" | "ask-questions" => "I pretend to have a question: which of the two is meant?",
        "conflicts-unresolvable" => "I pretend that both sides changed the same lines and both may be right.",
        "other" => "I pretend that something happened which none of the names fits.",
        _ => "I pretend that this is how the step ended.",
    }
}

/// A reply without an outcome, where one was asked for.
pub(super) fn garbage() -> String {
    format!("{HONESTLY} This reply names no outcome on purpose: its script says so.")
}

/// A reply to a prompt that asks for none.
pub(super) fn chatting() -> String {
    format!("{HONESTLY} I read what you wrote, and a real agent would answer it now.")
}

/// A reply of an agent that was not allowed to do anything.
pub(super) fn denied() -> String {
    format!("{HONESTLY} I pretend that I was not allowed to use the tools that this needs.")
}
