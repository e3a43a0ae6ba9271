//! What a command needs to hold the data directory, or to connect to the server that does.

use std::path::PathBuf;
use std::sync::Arc;

use crate::Catalog;
use crate::agent::{Agent, TurnLimits};
use crate::cli::usage::cli_error::CliError;
use crate::engine::{OnEnd, PromptFiles};

/// The configuration of a connection.
pub(in crate::cli) struct ConnectionConfig {
    pub(in crate::cli) catalog: Catalog,
    /// The agent for runs in this process, or why there is none.
    pub(in crate::cli) agent: Result<Arc<dyn Agent>, CliError>,
    /// The operator's own prompts, for runs in this process.
    pub(in crate::cli) prompts: Option<PromptFiles>,
    /// The limits of one turn.
    pub(in crate::cli) turn: TurnLimits,
    pub(in crate::cli) data: PathBuf,
    /// The command to start when a run in this process ends.
    pub(in crate::cli) on_end: Option<OnEnd>,
    pub(in crate::cli) key_file: PathBuf,
    pub(in crate::cli) roots: Vec<PathBuf>,
    /// Whether the operator chose the roots. Otherwise the only root is this command's directory,
    /// and other commands of the same user may add theirs.
    pub(in crate::cli) roots_are_named: bool,
    /// Whether this is a rehearsal beside a server, with a separate data directory.
    pub(in crate::cli) beside_server: bool,
}
