//! Locates the answer in a reply, for clients that display it.

use std::ops::Range;

use super::decide::decide;

/// The range of the object that reports the outcome, for any outcome.
///
/// ```
/// use surefire::outcome::locate;
///
/// let reply = r#"All done. {"outcome": "complete"} Bye."#;
/// assert_eq!(locate(reply).map(|place| &reply[place]), Some(r#"{"outcome": "complete"}"#));
/// assert_eq!(locate("All done."), None);
/// ```
#[must_use]
pub fn locate(reply: &str) -> Option<Range<usize>> {
    let (object, _) = decide(reply).ok()?;
    Some(object.start..object.end)
}
