//! Reading: which outcome an agent's reply reports, how to ask the agent for one, and what to
//! answer to a reply that can't be read.
//!
//! It does no I/O, keeps no state between replies and never guesses: a reply that could mean two
//! things is [`Unread`], because asking again is cheap and following a wrong outcome is not. It
//! does not decide what follows; the run does. Start with [`read`], then `decide.rs`, which selects
//! the object of a reply that counts.
//!
//! # Which object decides
//!
//! 1. A *mention* is the key `outcome` before a colon: in double quotes (plain or behind
//!    backslashes), in single quotes, or bare at the start of a line or after `{` or `,`.
//! 2. The last mention of the reply decides. It belongs to the smallest complete JSON object around
//!    it that *stands alone*: one that is not part of a larger value, of a comment, or of a string.
//! 3. That object has `outcome` among its own keys: it is the answer.
//! 4. The mention is a key of an object nested in it, or of one that does not stand alone: there is
//!    no answer.
//! 5. The mention is only text in one of its strings or comments: it does not count, and the last
//!    mention before the object decides.
//! 6. No complete object is around it: it was an attempt that failed, and there is no answer.
//! 7. An object that is still open where the reply ends, after the answer, is an attempt too: there
//!    is no answer.
//!
//! The search starts at the end and stops at the answer, so the size of the text before it does
//! not matter.

mod alone;
mod answer;
mod ask;
mod blank;
mod decide;
mod finding;
mod findings;
mod locate;
mod mention;
mod object;
mod reading;
mod repair;
mod scanner;
mod string;
mod unread;

#[cfg(test)]
mod never;

pub use ask::{instructions, reminder};
pub use finding::Finding;
pub use locate::locate;
pub use reading::{Reading, read, read_among, read_as};
pub use repair::Repair;
pub use unread::{Flaw, Unread};

/// The key that makes an object an answer.
const OUTCOME: &str = "outcome";
/// The outcome for everything that the step's own outcomes don't cover.
const OTHER: &str = "other";
/// The key that `other` requires in addition.
const DESCRIPTION: &str = "otherDescription";
/// The key under which an outcome may list what a review found.
const FINDINGS: &str = "findings";
