//! The messages that the engine itself adds to a conversation.

use std::path::Path;

use crate::run::Ending;

/// The longest name that a session gets from its first prompt, and the longest quote of a prompt,
/// in characters.
const MAX_NAME_CHARS: usize = 60;

/// The prefix of the note about a prompt that was queued when the session was stopped.
pub const NOT_DELIVERED: &str = "Not delivered:";

/// The prefix of the note about a prompt that was being delivered when its run was stopped.
pub const NOT_ANSWERED: &str = "Not answered:";

/// The name of a session that begins with this prompt: the prompt's first line, or the directory
/// if the prompt is blank.
#[must_use]
pub fn session_name(prompt: &str, directory: &Path) -> String {
    first_line(prompt).unwrap_or_else(|| {
        let last = directory.file_name().unwrap_or(directory.as_os_str());
        last.to_string_lossy().into_owned()
    })
}

/// The first line of a text that is not blank, truncated.
fn first_line(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(match line.char_indices().nth(MAX_NAME_CHARS) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line.to_owned(),
    })
}

/// How a run ended, for a reader who sees only the conversation.
pub(super) fn closing(recipe: &str, ending: &Ending) -> String {
    let rehearsal =
        if ending.rehearsal { "This was a rehearsal: nothing was changed. " } else { "" };
    let description =
        ending.description.as_deref().map(|words| format!("\n\n{words}")).unwrap_or_default();
    let after = if ending.goal_met { String::new() } else { format!("\n\n{}", ending.hint()) };
    format!("{rehearsal}{recipe}: {}.{description}{after}", ending.message)
}

/// The answer to a prompt that certainly did not reach the agent and stays queued.
pub(super) fn still_queued(why: &str) -> String {
    format!(
        "This prompt was not answered yet: {why}. It stays queued and is delivered with the next one."
    )
}

/// The answer to a prompt that the agent did not answer.
pub(super) fn unanswered(why: &str) -> String {
    format!("This prompt was not answered: {why}.")
}

/// Marks a prompt that was being delivered when its run was stopped.
pub(super) fn cut_short(prompt: &str) -> String {
    mark(NOT_ANSWERED, prompt, "being delivered")
}

/// Marks a prompt that was queued when the session was stopped.
pub(super) fn not_delivered(prompt: &str) -> String {
    mark(NOT_DELIVERED, prompt, "still queued")
}

fn mark(what: &str, prompt: &str, state: &str) -> String {
    let quote = first_line(prompt).map(|line| format!(" “{line}”")).unwrap_or_default();
    format!(
        "{what}{quote} was {state} when this was stopped. Send it again if the agent should get it."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_named_after_the_first_line_of_its_prompt() {
        let (sixty, more) = ("ä".repeat(60), "ä".repeat(61));
        let cut = format!("{sixty}…");
        let at_a_space = format!("{} b", "a".repeat(59));
        let table = [
            ("Fix the login", "Fix the login"),
            ("  Fix the login \r\nand the logout", "Fix the login"),
            ("\n\t\n Fix it\n", "Fix it"),
            (&sixty, &sixty),
            (&more, &cut),
            (&at_a_space, &format!("{}…", "a".repeat(59))),
            ("", "payments"),
            (" \n\t ", "payments"),
        ];
        for (prompt, name) in table {
            assert_eq!(session_name(prompt, Path::new("/home/me/payments")), name);
        }
        assert_eq!(session_name("", Path::new("/")), "/");
    }
}
