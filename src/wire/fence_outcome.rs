//! An agent's text, for people who read it or have it read aloud.

use std::borrow::Cow;

use crate::outcome;

/// The text with its outcome in a fenced block.
///
/// The app reads an agent's text aloud and skips fenced blocks; JSON should not be read aloud.
///
/// ```
/// use surefire::wire::fence_outcome;
///
/// assert_eq!(
///     fence_outcome(r#"All done. {"outcome": "complete"}"#),
///     "All done.\n\n```json\n{\"outcome\": \"complete\"}\n```"
/// );
/// assert_eq!(fence_outcome("All done."), "All done.");
/// ```
#[must_use]
pub fn fence_outcome(text: &str) -> Cow<'_, str> {
    let Some(place) = outcome::locate(text) else { return Cow::Borrowed(text) };
    let (before, answer, after) = (&text[..place.start], &text[place.clone()], &text[place.end..]);
    if is_inside_a_fence(before) {
        return Cow::Borrowed(text);
    }
    // Backticks around the outcome would be left over beside the block.
    let (before, after) = match (before.strip_suffix('`'), after.strip_prefix('`')) {
        (Some(before), Some(after)) => {
            (before.trim_end_matches('`'), after.trim_start_matches('`'))
        }
        _ => (before, after),
    };
    let mut parts = vec![
        before.trim_end().to_owned(),
        format!("```json\n{answer}\n```"),
        after.trim().to_owned(),
    ];
    parts.retain(|part| !part.is_empty());
    Cow::Owned(parts.join("\n\n"))
}

/// Whether a block that was opened in this text is still open at its end.
fn is_inside_a_fence(text: &str) -> bool {
    let mut open: Option<&str> = None;
    for line in text.lines() {
        let line = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| line.starts_with(mark));
        match (open, mark) {
            (None, Some(mark)) => open = Some(mark),
            (Some(opened), Some(mark)) if opened == mark => open = None,
            (None | Some(_), _) => {}
        }
    }
    open.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_is_shown_in_a_block_of_its_own() {
        let json = "```json\n{\"outcome\": \"complete\"}\n```";
        let table = [
            ("{\"outcome\": \"complete\"}".to_owned(), json.to_owned()),
            ("Done.\n\n{\"outcome\": \"complete\"}\n".to_owned(), format!("Done.\n\n{json}")),
            ("Done: `{\"outcome\": \"complete\"}`".to_owned(), format!("Done:\n\n{json}")),
            ("A {\"outcome\": \"complete\"} B".to_owned(), format!("A\n\n{json}\n\nB")),
            (format!("Done.\n{json}"), format!("Done.\n{json}")),
            (
                format!("```rust\nfn f() {{}}\n```\n{json}"),
                format!("```rust\nfn f() {{}}\n```\n{json}"),
            ),
            (
                "```rust\nfn f() {}\n```\n{\"outcome\": \"complete\"}".to_owned(),
                format!("```rust\nfn f() {{}}\n```\n\n{json}"),
            ),
            (
                "~~~\n{\"outcome\": \"complete\"}\n~~~".to_owned(),
                "~~~\n{\"outcome\": \"complete\"}\n~~~".to_owned(),
            ),
            ("No outcome here: {\"a\": 1}".to_owned(), "No outcome here: {\"a\": 1}".to_owned()),
        ];
        for (text, expected) in table {
            assert_eq!(fence_outcome(&text), expected, "{text}");
        }
    }
}
