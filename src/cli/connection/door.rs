//! What a command needs to hold the data directory, or to connect to the server that does.

use std::path::PathBuf;
use std::sync::Arc;

use crate::Catalog;
use crate::agent::{Agent, TurnLimits};
use crate::cli::usage::complaint::Complaint;
use crate::engine::OnEnd;

/// All that is needed to get in.
pub(in crate::cli) struct Door {
    pub(in crate::cli) catalog: Catalog,
    /// Who does the work, if it is ours to do; or why nobody here can.
    pub(in crate::cli) agent: Result<Arc<dyn Agent>, Complaint>,
    /// What one turn of it may use up.
    pub(in crate::cli) turn: TurnLimits,
    pub(in crate::cli) data: PathBuf,
    /// The command that is told of runs that end here.
    pub(in crate::cli) on_end: Option<OnEnd>,
    pub(in crate::cli) key_file: PathBuf,
    pub(in crate::cli) roots: Vec<PathBuf>,
    /// Whether the operator named them; otherwise they are where this command works, and a guest works where it is.
    pub(in crate::cli) roots_are_named: bool,
}
