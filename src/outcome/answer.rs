//! What the object that decides says: its outcome, its description and its findings, as the agent wrote them.

use std::borrow::Cow;
use std::collections::HashSet;

use super::finding::Finding;
use super::findings::findings;
use super::object::Object;
use super::string::{said, unescape};
use super::unread::{Flaw, Unread};
use super::{DESCRIPTION, FINDINGS, OUTCOME};

/// An answer that is not yet held against the step's outcomes.
pub(super) struct Answer<'t> {
    pub(super) outcome: Cow<'t, str>,
    /// What `otherDescription` says, where it is a string.
    pub(super) description: Option<Cow<'t, str>>,
    /// What `findings` lists, where it lists anything.
    pub(super) findings: Vec<Finding>,
}

/// Takes the answer from the object that decides.
///
/// # Errors
/// A key is there twice, or the outcome is not a string.
pub(super) fn answer<'t>(text: &'t str, object: &Object) -> Result<Answer<'t>, Unread> {
    let mut keys = HashSet::with_capacity(object.members.len());
    let (mut outcome, mut description, mut found) = (None, None, None);
    for member in &object.members {
        let key = unescape(&text[member.key.clone()]);
        let value = &text[member.value.clone()];
        match &*key {
            OUTCOME => outcome = said(value),
            DESCRIPTION => description = said(value),
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
