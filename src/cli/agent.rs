//! Choosing the agent.

use std::cmp::Ordering;
use std::sync::Arc;
use std::time::Duration;

use super::context::Context;
use super::usage::cli_error::CliError;
use super::usage::options::{AgentOptions, Choice};
use super::usage::program::program_name;
use super::usage::rehearse::Rehearse;
use crate::agent::{Agent, Claude, Failure, Rehearsal};
use crate::paths::RunPath;
use crate::{Advise, AnyRecipe};

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
            agent: Arc::new(self.rehearsal().pace(self.pace())),
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
        let Some(script) = self.rehearse.as_ref().filter(|_| self.agent == Choice::Claude) else {
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
        match (self.agent, &self.rehearse) {
            (Choice::Auto, Some(_)) => Choice::Rehearsal,
            (choice, _) => choice,
        }
    }

    /// Checks a list of outcomes, if one is given, against the recipe that it is for. A command
    /// that is not about a single new run has no such recipe.
    pub(super) fn check_list(
        mut self,
        recipe: Option<&'static dyn AnyRecipe>,
    ) -> Result<Self, CliError> {
        let Some(Rehearse::Outcomes(outcomes)) = &self.rehearse else { return Ok(self) };
        let program = program_name();
        let Some(recipe) = recipe else {
            return Err(CliError::usage(
                format!("`{outcomes}` cannot be rehearsed here"),
                "a list of outcomes is for a new run of one recipe",
                format!("use the name of a script, or `{program} run <recipe> --rehearse \"…\"`"),
            ));
        };
        let id = recipe.outline().id;
        let along = RunPath::parse(recipe, outcomes).and_then(|path| Rehearsal::along(&path));
        self.checked = Some(along.map_err(|error| {
            let fix = error.remedy().map(|remedy| remedy.to_string());
            CliError::usage(
                format!("`{id}` cannot be rehearsed like this"),
                error.problem(),
                fix.unwrap_or_else(|| {
                    format!("`{program} show {id}` lists the outcomes of its steps")
                }),
            )
        })?);
        Ok(self)
    }

    /// The rehearsal. A list of outcomes was [checked](Self::check_list) before.
    fn rehearsal(&self) -> Rehearsal {
        match (&self.checked, &self.rehearse) {
            (Some(checked), _) => checked.clone(),
            (None, Some(Rehearse::Script(script))) => Rehearsal::new(*script),
            (None, Some(Rehearse::Outcomes(_)) | None) => Rehearsal::default(),
        }
    }

    fn pace(&self) -> Duration {
        self.pace_ms.map_or(DEFAULT_TURN_TIME, Duration::from_millis)
    }
}
