//! `prompt`: a prompt for a session's agent.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::run::SessionId;
use crate::wire::forms::{not_blank, words};

/// A prompt for a session's agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "PromptFields", into = "PromptFields")]
pub struct Prompt {
    /// Its text.
    pub text: String,
    /// The session it is for.
    pub to: PromptTo,
}

/// The session that a prompt is for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PromptTo {
    /// A session that must exist.
    Known(SessionId),
    /// A session that the prompt creates if it does not exist.
    KnownOrNew {
        /// The session.
        session: SessionId,
        /// Where its agent works.
        working_directory: Option<PathBuf>,
        /// Its agent, by the name that clients know.
        provider: Option<String>,
        /// The system prompt of its agent, in every turn.
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

/// The fields on the wire: one client has a separate field for new sessions, another uses the same
/// field for all.
#[derive(Serialize, Deserialize)]
struct PromptFields {
    #[serde(deserialize_with = "words")]
    text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    resume_session_id: Option<SessionId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    new_session_id: Option<SessionId>,
    #[serde(default, skip_serializing)]
    session_id: Option<SessionId>,
    #[serde(default, deserialize_with = "not_blank", skip_serializing_if = "Option::is_none")]
    working_directory: Option<PathBuf>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    provider: Option<String>,
    #[serde(default, deserialize_with = "not_blank", skip_serializing_if = "Option::is_none")]
    system_prompt: Option<String>,
}

/// The prompt names no session.
#[derive(Debug, thiserror::Error)]
#[error("new_session_id or resume_session_id")]
struct NoSession;

impl TryFrom<PromptFields> for Prompt {
    type Error = NoSession;

    fn try_from(fields: PromptFields) -> Result<Self, NoSession> {
        let PromptFields { text, working_directory, provider, system_prompt, .. } = fields;
        if let Some(session) = fields.resume_session_id {
            return Ok(Self { text, to: PromptTo::Known(session) });
        }
        let session = fields.new_session_id.or(fields.session_id).ok_or(NoSession)?;
        Ok(Self {
            text,
            to: PromptTo::KnownOrNew { session, working_directory, provider, system_prompt },
        })
    }
}

impl From<Prompt> for PromptFields {
    fn from(prompt: Prompt) -> Self {
        let mut fields = Self {
            text: prompt.text,
            resume_session_id: None,
            new_session_id: None,
            session_id: None,
            working_directory: None,
            provider: None,
            system_prompt: None,
        };
        match prompt.to {
            PromptTo::Known(session) => fields.resume_session_id = Some(session),
            PromptTo::KnownOrNew { session, working_directory, provider, system_prompt } => {
                fields.new_session_id = Some(session);
                fields.working_directory = working_directory;
                fields.provider = provider;
                fields.system_prompt = system_prompt;
            }
        }
        fields
    }
}
