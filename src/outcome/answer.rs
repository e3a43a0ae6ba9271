//! The content of the object that decides: its outcome, its description and its findings, as the
//! agent wrote them.

use std::borrow::Cow;
use std::collections::HashSet;

use super::finding::Finding;
use super::findings::findings;
use super::object::Object;
use super::string::{content, unescape};
use super::unread::{Flaw, Unread};
use super::{DESCRIPTION, FINDINGS, OUTCOME};

/// An answer that is not yet matched against the step's outcomes.
pub(super) struct Answer<'t> {
    pub(super) outcome: Cow<'t, str>,
    /// The value of `otherDescription`, if it is a string.
    pub(super) description: Option<Cow<'t, str>>,
    /// The findings that `findings` lists, if any.
    pub(super) findings: Vec<Finding>,
}

/// Extracts the answer from the object that decides.
///
/// # Errors
/// A key occurs twice, or the outcome is not a string.
pub(super) fn answer<'t>(text: &'t str, object: &Object) -> Result<Answer<'t>, Unread> {
    let mut keys = HashSet::with_capacity(object.members.len());
    let (mut outcome, mut description, mut found) = (None, None, None);
    for member in &object.members {
        let key = unescape(&text[member.key.clone()]);
        let value = &text[member.value.clone()];
        match &*key {
            OUTCOME => outcome = content(value),
            DESCRIPTION => description = content(value),
            FINDINGS => found = Some(value),
            _ => {}
        }
        if !keys.insert(key) {
            return Err(Unread::NotJson { flaw: Flaw::DuplicateKey });
        }
    }
    let outcome = outcome.ok_or(Unread::NoOutcome)?;
    Ok(Answer { outcome, description, findings: found.map(findings).unwrap_or_default() })
}
