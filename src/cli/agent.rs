//! Choosing the agent.

use std::cmp::Ordering;
use std::sync::Arc;
use std::time::Duration;

use super::context::Context;
use super::usage::cli_error::CliError;
use super::usage::options::{AgentOptions, Choice};
use crate::agent::{Agent, Claude, Failure, Rehearsal};

/// The default duration of a rehearsed turn, slow enough to follow.
const DEFAULT_TURN_TIME: Duration = Duration::from_millis(1500);

/// An agent and its description.
pub(super) struct Chosen {
    pub(super) agent: Arc<dyn Agent>,
    pub(super) words: String,
}

impl AgentOptions {
    /// The agent that these options choose. If no agent is installed, the rehearsal replaces it
    /// only with `may_pretend`; the rehearsal can always be chosen by name.
    pub(super) fn choose(&self, may_pretend: bool) -> Result<Chosen, Failure> {
        let rehearse = |why: &str| Chosen {
            agent: Arc::new(Rehearsal::new(self.rehearse.unwrap_or_default()).pace(self.pace())),
            words: format!("the built-in rehearsal ({why}): it only pretends and changes nothing"),
        };
        if self.choice() == Choice::Rehearsal {
            return Ok(rehearse("as configured"));
        }
        match Claude::find(self.agent_path.as_deref()) {
            Ok(claude) => {
                let claude = claude.permission_mode(self.permission_mode);
                Ok(Chosen {
                    words: format!("Claude Code, {}", claude.path().display()),
                    agent: Arc::new(claude),
                })
            }
            Err(_) if may_pretend && self.agent == Choice::Auto && self.agent_path.is_none() => {
                Ok(rehearse("no agent CLI was found"))
            }
            Err(failure) => Err(failure),
        }
    }

    /// A rehearsal script and a real agent exclude each other. The one with the higher rank wins:
    /// `--agent claude` overrides a script in the configuration file, and vice versa.
    pub(super) fn resolved(self, context: &Context) -> Result<Self, CliError> {
        let Some(script) = self.rehearse.filter(|_| self.agent == Choice::Claude) else {
            return Ok(self);
        };
        match context.rank("agent").cmp(&context.rank("rehearse")) {
            Ordering::Greater => Ok(Self { rehearse: None, ..self }),
            Ordering::Less => Ok(Self { agent: Choice::Rehearsal, ..self }),
            Ordering::Equal => Err(CliError::usage(
                format!("the agent cannot be `claude` and rehearse `{script}`"),
                "a rehearsal only pretends, while Claude Code does real work",
                "remove `--agent` or `--rehearse`",
            )),
        }
    }

    /// The chosen agent. A script implies the rehearsal.
    pub(super) fn choice(&self) -> Choice {
        match (self.agent, self.rehearse) {
            (Choice::Auto, Some(_)) => Choice::Rehearsal,
            (choice, _) => choice,
        }
    }

    fn pace(&self) -> Duration {
        self.pace_ms.map_or(DEFAULT_TURN_TIME, Duration::from_millis)
    }
}
