//! What the CLI's lines can say.

use std::path::PathBuf;

use crate::agent::RefusedTool;

/// Something that a line says.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Event {
    /// The CLI has begun, and this is its version.
    Began(String),
    /// The agent said something.
    Said(String),
    /// The agent, or a helper of its own, uses a tool.
    Used(Used),
    /// A tool is done, one way or the other.
    ToolDone {
        /// The use that is over.
        id: String,
        /// Whether it was of no use: it failed, or was refused.
        is_error: bool,
        /// Whether the tool could not be used because it is not there.
        is_missing: bool,
    },
    /// The CLI refused a tool. Not all versions say so at once; all of them list it at the end.
    Denied {
        /// The use that was refused.
        id: String,
        tool: String,
    },
    /// Whether commands run in the background. Not all versions say so.
    Background(bool),
    /// The service could not be reached; the CLI tries again.
    Retrying(String),
    /// When the account's limit resets, in seconds since 1970.
    LimitResets(u64),
    /// The kind of an error of the service, in the CLI's spelling.
    ServiceError(String),
    /// The end, as the CLI sees it. The last one counts.
    Ended(Box<Envelope>),
}

/// One use of a tool.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Used {
    pub(super) id: Option<String>,
    /// As it is told if it is refused.
    pub(super) call: RefusedTool,
    /// The file that is written once it is done, where it is an editing tool.
    pub(super) writes: Option<PathBuf>,
}

/// The result object that closes a turn, or a part of it: what ran in the background may bring about another one.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Envelope {
    pub(super) subtype: String,
    pub(super) is_error: bool,
    /// The agent's words, or the CLI's words about what went wrong.
    pub(super) text: String,
    pub(super) session: Option<String>,
    /// Since the result before it.
    pub(super) rounds: Option<u32>,
    /// What the process has cost so far, in some versions; in others, what the whole conversation has.
    pub(super) total_cost_usd: Option<f64>,
    /// What it cost since the result before it, in versions that say so.
    pub(super) cost_since_last_usd: Option<f64>,
    pub(super) api_error_status: Option<u64>,
    /// Why the CLI stopped, in one word.
    pub(super) terminal_reason: String,
    /// The tools that were refused since the result before it.
    pub(super) refused: Vec<RefusedTool>,
}
