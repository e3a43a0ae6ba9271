//! What a prompt lets the agent choose from.

/// What the line with the outcomes begins with.
const OFFER: &str = "Your possible outcomes for this step: ";

/// Words in the name of an outcome that do not lead on to a good end. `no-issues` does, whatever it contains.
const SETBACKS: [&str; 14] = [
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

/// The outcomes that the prompt offers, in their order; none for a prompt that is no step.
///
/// The last such line counts: what is above it may be quoted.
pub(super) fn offered(prompt: &str) -> Vec<&str> {
    let line = prompt.lines().rev().find_map(|line| line.trim().strip_prefix(OFFER));
    let names = line.unwrap_or_default().split(',').map(|name| name.trim().trim_matches(['`', '.']));
    names.filter(|name| !name.is_empty()).collect()
}

/// The outcome that leads on: the first that sounds like it, or else the first.
pub(super) fn forward<'a>(offered: &[&'a str]) -> &'a str {
    let sounds_good = |name: &&&str| !SETBACKS.iter().any(|setback| name.contains(setback));
    offered.iter().find(sounds_good).or(offered.first()).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_with_outcomes_counts() {
        let table: [(&str, &[&str]); 6] = [
            ("Fix it.\nYour possible outcomes for this step: complete, other", &["complete", "other"]),
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
    fn forward_is_what_sounds_like_it() {
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
