//! What may be wrong with an answer and is put right while it is read.

use serde::{Deserialize, Serialize};

/// Something that is not JSON, but leaves no doubt about what is meant.
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
pub enum Repair {
    /// A code fence closed before the object did. (An object in a code fence needs no repair.)
    Fence,
    /// There was a comment in it.
    Comment,
    /// There was a comma before a closing bracket.
    TrailingComma,
    /// Its last brace was missing, and nothing else, where the reply ended.
    MissingBrace,
}
