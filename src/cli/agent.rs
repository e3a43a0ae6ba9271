//! Which agent does the work.

use std::cmp::Ordering;
use std::sync::Arc;
use std::time::Duration;

use super::context::Context;
use super::usage::complaint::Complaint;
use super::usage::options::{AgentOptions, Choice};
use crate::agent::{Agent, Claude, Failure, Rehearsal};

/// How long a rehearsal takes for a turn, so that people can follow.
const PACE: Duration = Duration::from_millis(1500);

/// An agent, and what to say about it.
pub(super) struct Chosen {
    pub(super) agent: Arc<dyn Agent>,
    pub(super) words: String,
}

impl AgentOptions {
    /// The agent that these options ask for. Only where `may_pretend` is set does the rehearsal step in for an agent that is not
    /// there; whoever asks for it by name gets it everywhere.
    pub(super) fn choose(&self, may_pretend: bool) -> Result<Chosen, Failure> {
        let rehearse = |why: &str| Chosen {
            agent: Arc::new(Rehearsal::new(self.rehearse.unwrap_or_default()).pace(self.pace())),
            words: format!("the built-in rehearsal ({why}): it only pretends, and changes nothing"),
        };
        if self.choice() == Choice::Rehearsal {
            return Ok(rehearse("as asked for"));
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

    /// A script to pretend by and an agent that works for real cannot both be had. Where one of them was asked for closer to the
    /// command, that one counts: `--agent claude` stands above a script in the configuration file, and the other way round.
    pub(super) fn settled(self, context: &Context) -> Result<Self, Complaint> {
        let Some(script) = self.rehearse.filter(|_| self.agent == Choice::Claude) else { return Ok(self) };
        match context.rank("agent").cmp(&context.rank("rehearse")) {
            Ordering::Greater => Ok(Self { rehearse: None, ..self }),
            Ordering::Less => Ok(Self { agent: Choice::Rehearsal, ..self }),
            Ordering::Equal => Err(Complaint::usage(
                format!("the agent cannot be `claude` and rehearse `{script}`"),
                "a rehearsal only pretends, and Claude Code works for real",
                "leave out `--agent` or `--rehearse`",
            )),
        }
    }

    /// Whoever names a script wants it played.
    pub(super) fn choice(&self) -> Choice {
        match (self.agent, self.rehearse) {
            (Choice::Auto, Some(_)) => Choice::Rehearsal,
            (choice, _) => choice,
        }
    }

    fn pace(&self) -> Duration {
        self.pace_ms.map_or(PACE, Duration::from_millis)
    }
}
