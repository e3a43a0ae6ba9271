//! What the engine itself says in a conversation.

use std::path::Path;

use crate::run::Ending;

/// The longest name that a session gets from its first prompt, in characters.
const NAME: usize = 60;

/// What people call a session that begins with this prompt: its first line, or where it works if it has none.
pub(super) fn session_name(prompt: &str, directory: &Path) -> String {
    let line = prompt.lines().map(str::trim).find(|line| !line.is_empty());
    let Some(line) = line else {
        let last = directory.file_name().unwrap_or(directory.as_os_str());
        return last.to_string_lossy().into_owned();
    };
    match line.char_indices().nth(NAME) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line.to_owned(),
    }
}

/// How a run ended, for whoever reads (or is read) the conversation and nothing else.
pub(super) fn closing(recipe: &str, ending: &Ending) -> String {
    let rehearsal = if ending.rehearsal { "This was a rehearsal: nothing was changed. " } else { "" };
    let description = ending.description.as_deref().map(|words| format!("\n\n{words}")).unwrap_or_default();
    let after = if ending.goal_met { String::new() } else { format!("\n\n{}", ending.diagnosis) };
    format!("{rehearsal}{recipe}: {}.{description}{after}", ending.message)
}

/// What stands in the conversation where a prompt could not be passed on.
pub(super) fn kept(why: &str) -> String {
    format!("This prompt was not answered yet: {why}. It is kept, and passed on together with the next one.")
}

/// What stands in the conversation where a prompt got no answer.
pub(super) fn unanswered(why: &str) -> String {
    format!("This prompt was not answered: {why}.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_called_by_its_first_line() {
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
