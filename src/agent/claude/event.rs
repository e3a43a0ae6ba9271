//! The events in the CLI's output.

use std::path::PathBuf;

use crate::agent::RefusedTool;

/// One event.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Event {
    /// The CLI has started, with this version.
    Began(String),
    /// A passage of the agent.
    Passage(String),
    /// The agent or a subagent uses a tool.
    Used(Used),
    /// A tool use has ended.
    ToolDone {
        /// The id of the use.
        id: String,
        /// Whether it failed or was refused.
        is_error: bool,
        /// Whether the tool does not exist or is disallowed.
        is_missing: bool,
    },
    /// The CLI refused a tool. Not all versions report this immediately; all of them list it in the
    /// result.
    Denied {
        /// The id of the refused use.
        id: String,
        tool: String,
    },
    /// Whether commands run in the background. Not all versions report this.
    Background(bool),
    /// The service could not be reached; the CLI retries.
    Retrying(String),
    /// When the account's limit resets, in seconds since 1970.
    LimitResets(u64),
    /// The kind of an error of the service, in the CLI's spelling.
    ServiceError(String),
    /// A result. The last one counts.
    Ended(Box<Envelope>),
}

/// One use of a tool.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Used {
    pub(super) id: Option<String>,
    /// Its description, in case it is refused.
    pub(super) call: RefusedTool,
    /// The file that it writes, if it is an editing tool.
    pub(super) writes: Option<PathBuf>,
}

/// The result object that ends a turn. A command in the background may cause another result.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Envelope {
    pub(super) subtype: String,
    pub(super) is_error: bool,
    /// The agent's reply, or the CLI's error message.
    pub(super) text: String,
    pub(super) session: Option<String>,
    /// Since the previous result.
    pub(super) rounds: Option<u32>,
    /// The cost of the process so far in some versions, of the whole conversation in others.
    pub(super) total_cost_usd: Option<f64>,
    /// The cost since the previous result, in versions that report it.
    pub(super) cost_since_last_usd: Option<f64>,
    pub(super) api_error_status: Option<u64>,
    /// The CLI's stop reason.
    pub(super) terminal_reason: String,
    /// The tools refused since the previous result.
    pub(super) refused: Vec<RefusedTool>,
}
