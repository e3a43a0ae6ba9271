//! Sending a prompt to a session that may begin with it, and why it may be refused.

use std::path::PathBuf;

use super::error::{DecideError, EngineError};
use super::provider::UnknownProvider;
use super::turn::directory::DirectoryError;
use crate::agent::Failure;
use crate::run::{PromptId, SessionId};
use crate::store::StoreError;
use crate::{Advise, Remedy};

/// A prompt for a session.
///
/// ```
/// # use surefire::engine::{Engine, SendPromptError};
/// # async fn hello(engine: &Engine) -> Result<(), SendPromptError> {
/// use surefire::engine::{NewSessionSpec, SendPrompt};
///
/// let session = uuid::Uuid::new_v4().into();
/// let directory = Some("/home/me/payments".into());
/// let begin = Some(NewSessionSpec::default().directory(directory));
/// let prompt = SendPrompt::new(session, "Is the build green?").begin(begin);
/// let sent = engine.send_prompt(prompt).await?;
/// assert!(sent.new_session);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SendPrompt {
    /// The session.
    pub session: SessionId,
    /// The text.
    pub text: String,
    /// How the session begins if it does not exist yet; ignored otherwise.
    pub begin: Option<NewSessionSpec>,
}

impl SendPrompt {
    /// A prompt in a session that exists.
    #[must_use]
    pub fn new(session: SessionId, text: impl Into<String>) -> Self {
        Self { session, text: text.into(), begin: None }
    }
}

setters!(SendPrompt {
    begin: Option<NewSessionSpec>,
});

/// How a session begins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewSessionSpec {
    /// Where its agent works. Required.
    pub directory: Option<PathBuf>,
    /// The agent's name; `None` for the default agent.
    pub provider: Option<String>,
    /// The system prompt for its agent.
    pub system_prompt: Option<String>,
}

setters!(NewSessionSpec {
    directory: Option<PathBuf>,
    provider: Option<String>,
    system_prompt: Option<String>,
});

/// A prompt that is persisted and will reach the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct PromptSent {
    /// The id of the prompt.
    pub prompt: PromptId,
    /// Whether the session began with it.
    pub new_session: bool,
}

/// Why a prompt was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SendPromptError {
    /// There is no such agent.
    #[error(transparent)]
    Provider(#[from] UnknownProvider),
    /// Agents may not work in the directory.
    #[error(transparent)]
    Directory(#[from] DirectoryError),
    /// A new session needs a directory.
    #[error("working_directory required for new session")]
    NoDirectory,
    /// The agent is not ready.
    #[error(transparent)]
    Agent(Failure),
    /// Anything else.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl Advise for SendPromptError {
    fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::Provider(unknown) => unknown.remedy(),
            Self::Directory(error) => error.remedy(),
            Self::NoDirectory => None,
            Self::Agent(failure) => failure.remedy(),
            Self::Engine(error) => error.remedy(),
        }
    }
}

impl From<StoreError> for SendPromptError {
    fn from(error: StoreError) -> Self {
        Self::Engine(error.into())
    }
}

impl From<DecideError> for SendPromptError {
    fn from(error: DecideError) -> Self {
        Self::Engine(error.into())
    }
}
