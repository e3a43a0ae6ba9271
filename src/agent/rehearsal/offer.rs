//! Reading the outcomes that a prompt offers.

use serde_json::Value;

/// The beginning of the line with the outcomes.
const OFFER: &str = "Your possible outcomes for this step: ";

/// Words in an outcome's name that signal a setback. `no-issues` is an exception.
const NEGATIVE_WORDS: [&str; 14] = [
    "issues-found",
    "no-tasks",
    "block",
    "question",
    "needs-input",
    "conflict",
    "missing",
    "not-found",
    "nothing",
    "other",
    "fail",
    "reject",
    "error",
    "invalid",
];

/// The outcomes that the prompt offers, in order; empty for a prompt outside a step.
///
/// The last such line counts, because earlier ones may be quoted.
pub(super) fn offered(prompt: &str) -> Vec<&str> {
    let line = prompt.lines().rev().find_map(|line| line.trim().strip_prefix(OFFER));
    let names =
        line.unwrap_or_default().split(',').map(|name| name.trim().trim_matches(['`', '.']));
    names.filter(|name| !name.is_empty()).collect()
}

/// Whether the prompt shows how to list findings with this outcome.
///
/// The last such line counts here too, because earlier findings may be quoted above it.
pub(super) fn carries_findings(prompt: &str, outcome: &str) -> bool {
    let objects =
        prompt.lines().rev().filter_map(|line| serde_json::from_str::<Value>(line.trim()).ok());
    let mut examples = objects.filter(|object| object["outcome"] == outcome);
    examples.next().is_some_and(|example| example["findings"].is_array())
}

/// The outcome that makes progress: the first without a negative word, or else the first.
pub(super) fn forward<'a>(offered: &[&'a str]) -> &'a str {
    let sounds_good = |name: &&&str| !NEGATIVE_WORDS.iter().any(|setback| name.contains(setback));
    offered.iter().find(sounds_good).or(offered.first()).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_with_outcomes_counts() {
        let table: [(&str, &[&str]); 6] = [
            (
                "Fix it.\nYour possible outcomes for this step: complete, other",
                &["complete", "other"],
            ),
            (
                "> Your possible outcomes for this step: quoted\nYour possible outcomes for this step: a\n\
                 Your possible outcomes for this step: b, c\nEnd with JSON.",
                &["b", "c"],
            ),
            ("Your possible outcomes for this step: `a`, `b`.\r\n", &["a", "b"]),
            ("Your possible outcomes for this step: ", &[]),
            ("How are you?", &[]),
            ("", &[]),
        ];
        for (prompt, names) in table {
            assert_eq!(offered(prompt), names, "{prompt}");
        }
    }

    #[test]
    fn an_outcome_carries_findings_if_its_example_does() {
        let example =
            r#"{"outcome": "issues-found", "findings": [{"text": "Totals are rounded twice"}]}"#;
        let plain = r#"{"outcome": "issues-found"}"#;
        let table = [
            (example.to_owned(), true),
            (format!("Choose:\n\n{{\"outcome\": \"no-issues\"}}\n  {example}\r\n\nGo."), true),
            (format!("{plain}\n{example}"), true),
            (format!("{example}\n{plain}"), false),
            (format!("> {example}"), false),
            (plain.to_owned(), false),
            (r#"{"outcome": "no-issues", "findings": []}"#.to_owned(), false),
            (r#"{"outcome": "issues-found", "findings": 2}"#.to_owned(), false),
            ("[]\n7\n{".to_owned(), false),
            (String::new(), false),
        ];
        for (prompt, expected) in table {
            assert_eq!(carries_findings(&prompt, "issues-found"), expected, "{prompt}");
        }
    }

    #[test]
    fn the_first_outcome_without_a_negative_word_makes_progress() {
        for (names, choice) in [
            (["complete", "no-tasks", "blocked"].as_slice(), "complete"),
            (&["issues-found", "no-issues", "other"], "no-issues"),
            (&["not-found", "found"], "found"),
            (&["tests-failed", "passed"], "passed"),
            (&["rejected", "other"], "rejected"),
            (&[], ""),
        ] {
            assert_eq!(forward(names), choice);
        }
    }
}
