//! `prompt`: something to say to a session's agent.

use std::path::PathBuf;

use super::start_recipe::directory;
use crate::run::SessionId;
use crate::wire::fields::{Fields, Refusal};

/// Something to say to an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// The words.
    pub text: String,
    /// To whom.
    pub to: PromptTo,
}

/// To whom something is said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PromptTo {
    /// To a session that has to be there.
    Known(SessionId),
    /// To a session that is begun by it, if it is not there.
    KnownOrNew {
        /// The session.
        session: SessionId,
        /// Where its agent works.
        working_directory: Option<PathBuf>,
        /// Its agent, by the name that clients know.
        provider: Option<String>,
        /// What its agent is told before everything else, in every turn.
        system_prompt: Option<String>,
    },
}

impl PromptTo {
    /// The session.
    #[must_use]
    pub const fn session(&self) -> SessionId {
        match self {
            Self::Known(session) | Self::KnownOrNew { session, .. } => *session,
        }
    }
}

impl Prompt {
    pub(super) fn read(fields: &mut Fields) -> Result<Self, Refusal> {
        let text = fields.required_text("text")?;
        if let Some(session) = fields.session("resume_session_id")? {
            return Ok(Self { text, to: PromptTo::Known(session) });
        }
        // One client names a new session as such, another names all of them alike.
        let new = fields.session("new_session_id")?;
        let named = if new.is_some() { new } else { fields.session("session_id")? };
        let session = named.ok_or_else(|| fields.missing("new_session_id or resume_session_id"))?;
        let to = PromptTo::KnownOrNew {
            session,
            working_directory: directory(fields)?,
            provider: fields.text("provider")?,
            system_prompt: fields.text("system_prompt")?.filter(|words| !words.trim().is_empty()),
        };
        Ok(Self { text, to })
    }
}
