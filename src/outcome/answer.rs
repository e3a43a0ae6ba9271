//! What the object that decides says: its outcome and its description, as the agent wrote them.

use std::borrow::Cow;
use std::collections::HashSet;

use super::object::Object;
use super::string::unescape;
use super::unread::{Flaw, Unread};
use super::{DESCRIPTION, OUTCOME};

/// An answer that is not yet held against the step's outcomes.
pub(super) struct Answer<'t> {
    pub(super) outcome: Cow<'t, str>,
    /// What `otherDescription` says, where it is a string.
    pub(super) description: Option<Cow<'t, str>>,
}

/// Takes the answer from the object that decides.
///
/// # Errors
/// A key is there twice, or the outcome is not a string.
pub(super) fn answer<'t>(text: &'t str, object: &Object) -> Result<Answer<'t>, Unread> {
    let mut keys = HashSet::with_capacity(object.members.len());
    let (mut outcome, mut description) = (None, None);
    for member in &object.members {
        let key = unescape(&text[member.key.clone()]);
        let value = || string(&text[member.value.clone()]);
        match &*key {
            OUTCOME => outcome = value(),
            DESCRIPTION => description = value(),
            _ => {}
        }
        if !keys.insert(key) {
            return Err(Unread::NotJson { flaw: Flaw::DuplicateKey });
        }
    }
    Ok(Answer { outcome: outcome.ok_or(Unread::NoOutcome)?, description })
}

/// What this value says, if it is a string.
fn string(value: &str) -> Option<Cow<'_, str>> {
    value.strip_prefix('"')?.strip_suffix('"').map(unescape)
}
