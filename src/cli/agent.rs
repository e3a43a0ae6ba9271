//! Which agent does the work.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::ValueEnum;

use crate::agent::{Agent, Claude, Failure, Rehearsal, Script};

/// How long a rehearsal takes for a turn, so that people can follow.
const PACE: Duration = Duration::from_millis(1500);

/// The agents to choose from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Choice {
    /// Claude Code where it is found, otherwise the rehearsal
    Auto,
    /// Claude Code
    Claude,
    /// The built-in agent that only pretends
    Rehearsal,
}

/// An agent, and what to say about it.
pub(super) struct Chosen {
    pub(super) agent: Arc<dyn Agent>,
    pub(super) words: String,
}

pub(super) fn choose(
    choice: Choice,
    path: Option<&PathBuf>,
    script: Script,
    pace: Option<Duration>,
) -> Result<Chosen, Failure> {
    let rehearse = |why: &str| Chosen {
        agent: Arc::new(Rehearsal::new(script).pace(pace.unwrap_or(PACE))),
        words: format!("the built-in rehearsal ({why}): it only pretends, and changes nothing"),
    };
    if choice == Choice::Rehearsal {
        return Ok(rehearse("as asked for"));
    }
    match Claude::find(path.map(PathBuf::as_path)) {
        Ok(claude) => {
            let version = claude.about().version.map(|version| format!(" {version}")).unwrap_or_default();
            Ok(Chosen { agent: Arc::new(claude), words: format!("Claude Code{version}") })
        }
        Err(_) if choice == Choice::Auto && path.is_none() => Ok(rehearse("no agent CLI was found")),
        Err(failure) => Err(failure),
    }
}
