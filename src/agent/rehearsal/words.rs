//! The texts of a rehearsal. None of them claims that anything was done.

use serde_json::json;

/// The beginning of every reply.
const PREFIX: &str = "Rehearsal: nothing was changed.";

/// The findings of a rehearsed review: the first few of these.
const FINDINGS: [&str; 5] = [
    "an error is swallowed",
    "a test is missing",
    "a name says something else than the code does",
    "a comment is out of date",
    "two functions do the same",
];

/// Rounds as words: findings that differ only in digits may count as the same, since digits may be
/// line numbers.
const ROUNDS: [&str; 12] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
];

/// The reply that reports this outcome, with findings if there are any.
pub(super) fn reporting(outcome: &str, findings: &[String]) -> String {
    let mut object = format!("{{\"outcome\": {}", json!(outcome));
    if outcome == "other" {
        object
            .push_str(", \"otherDescription\": \"the rehearsal's script asks for something else\"");
    }
    if findings.is_empty() {
        return format!("{PREFIX} {}\n\n{object}}}", pretending(outcome));
    }
    format!(
        "{PREFIX} I pretend to have found what is listed here.\n\n{object}, \"findings\": {}}}",
        json!(findings)
    )
}

/// This many findings, different from each other and from those of every other round (from 1).
pub(super) fn findings(count: usize, round: u32) -> Vec<String> {
    let number = |index: usize| {
        ROUNDS.get(index).map_or_else(|| (index + 1).to_string(), |&name| name.to_owned())
    };
    let round = number(usize::try_from(round.saturating_sub(1)).unwrap_or(usize::MAX - 1));
    let finding = |index: usize| {
        let what = FINDINGS[index % FINDINGS.len()];
        match index / FINDINGS.len() {
            0 => format!("In round {round} of the rehearsal, {what}."),
            more => format!("In round {round} of the rehearsal, {what}, in file {}.", number(more)),
        }
    };
    (0..count).map(finding).collect()
}

/// Two findings of a review that are the same in every round.
pub(super) fn same_findings() -> Vec<String> {
    FINDINGS
        .iter()
        .take(2)
        .map(|what| format!("In every round of the rehearsal, {what}."))
        .collect()
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
        "needs-input" | "ask-questions" => {
            "I pretend to have a question: which of the two is meant?"
        }
        "conflicts-unresolvable" => {
            "I pretend that both sides changed the same lines and both may be right."
        }
        "other" => "I pretend that something happened which none of the names fits.",
        _ => "I pretend that this is how the step ended.",
    }
}

/// A reply without the requested outcome.
pub(super) fn garbage() -> String {
    format!("{PREFIX} This reply names no outcome on purpose: its script says so.")
}

/// The reply after the last of the outcomes that the operator listed.
pub(super) fn at_the_end() -> String {
    format!("{PREFIX} No outcome is listed for this step.")
}

/// A reply to a prompt that asks for no outcome.
pub(super) fn chatting() -> String {
    format!("{PREFIX} I read what you wrote, and a real agent would answer it now.")
}

/// A reply of an agent that was not allowed to do anything.
pub(super) fn denied() -> String {
    format!("{PREFIX} I pretend that I was not allowed to use the tools that this needs.")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use serde_json::Value;

    use super::*;

    #[test]
    fn findings_are_in_the_object_of_the_last_line() {
        let reply = reporting("issues-found", &findings(2, 3));
        assert!(reply.starts_with(PREFIX), "{reply}");
        let object: Value = serde_json::from_str(reply.lines().last().unwrap()).unwrap();
        let expected = json!({
            "outcome": "issues-found",
            "findings": [
                "In round three of the rehearsal, an error is swallowed.",
                "In round three of the rehearsal, a test is missing.",
            ],
        });
        assert_eq!(object, expected);
        assert!(!reporting("issues-found", &[]).contains("findings"));
    }

    #[test]
    fn findings_differ_in_every_round() {
        let all: Vec<_> = (1..=20).flat_map(|round| findings(5, round)).collect();
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len(), "{all:?}");
        assert_eq!(findings(0, 1), [""; 0]);
        let many = findings(23, 1);
        assert_eq!(many.iter().collect::<HashSet<_>>().len(), 23, "{many:?}");
    }
}
