//! `start_recipe`: the wish for a run.

use std::path::PathBuf;

use super::limits::WantedLimits;
use crate::run::SessionId;
use crate::wire::fields::{Fields, Refusal};

/// A wish for a run.
#[derive(Debug, Clone, PartialEq)]
pub struct StartRecipe {
    /// Where it is to take place.
    pub session: StartIn,
    /// The recipe's id.
    pub recipe_id: String,
    /// Where the agent is to work; a session that is there already knows.
    pub working_directory: Option<PathBuf>,
    /// The agent, by the name that clients know.
    pub provider: Option<String>,
    /// The agent, by its own name; whatever `provider` says.
    pub agent: Option<String>,
    /// The model to use, whatever the recipe says.
    pub model: Option<String>,
    /// What the run is about.
    pub prompt: Option<String>,
    /// What it may use up.
    pub limits: WantedLimits,
}

/// Where a run is to take place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartIn {
    /// In a session that the client names, new or not.
    Session(SessionId),
    /// In a new session, which the server names.
    NewSession,
}

impl StartRecipe {
    pub(super) fn read(fields: &mut Fields) -> Result<Self, Refusal> {
        // `null` is a wish, and leaving it out is a mistake.
        if !fields.has("session_id") {
            return Err(fields.missing("session_id"));
        }
        let session = fields.session("session_id")?.map_or(StartIn::NewSession, StartIn::Session);
        let recipe_id = fields.required_text("recipe_id")?;
        let mut limits = fields.inner("limits")?;
        Ok(Self {
            session,
            recipe_id,
            working_directory: directory(fields)?,
            provider: fields.text("provider")?,
            agent: name(fields, "agent")?,
            model: name(fields, "model")?,
            prompt: fields.text("prompt")?,
            limits: limits.as_mut().map(WantedLimits::read).transpose()?.unwrap_or_default(),
        })
    }
}

/// A name that a client gives; an empty one is none.
fn name(fields: &mut Fields, field: &'static str) -> Result<Option<String>, Refusal> {
    Ok(fields.text(field)?.filter(|name| !name.trim().is_empty()))
}

/// A directory that a client names; an empty one is none.
pub(super) fn directory(fields: &mut Fields) -> Result<Option<PathBuf>, Refusal> {
    let directory = fields.text("working_directory")?;
    Ok(directory.filter(|directory| !directory.trim().is_empty()).map(PathBuf::from))
}
