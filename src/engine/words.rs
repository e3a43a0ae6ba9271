//! What the engine itself says in a conversation.

use crate::run::Ending;

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
