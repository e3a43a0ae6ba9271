//! Flaws of an answer that are repaired while it is read.

use serde::{Deserialize, Serialize};

/// A deviation from JSON that leaves no doubt about the meaning.
///
/// ```
/// use surefire::outcome::{Repair, read_among};
///
/// let reply = "```json\n{\"outcome\": \"complete\" // at last\n```";
/// let reading = read_among(reply, &["complete"])?;
/// assert_eq!(reading.repaired, [Repair::Fence, Repair::Comment, Repair::MissingBrace]);
/// assert_eq!(Repair::MissingBrace.to_string(), "missing-brace");
/// # Ok::<(), surefire::outcome::Unread>(())
/// ```
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    strum::Display,
    strum::IntoStaticStr,
    strum::EnumIter,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
#[non_exhaustive]
pub enum Repair {
    /// A code fence closed before the object did. (An object in a code fence needs no repair.)
    Fence,
    /// There was a comment in the object.
    Comment,
    /// There was a comma before a closing bracket.
    TrailingComma,
    /// Only its last brace was missing, at the end of the reply.
    MissingBrace,
}
