//! A prompt that a client sends in a session that may begin with it, and why it may be refused.

use std::path::PathBuf;

use super::error::{EngineError, NotDone};
use super::provider::UnknownProvider;
use super::turn::directory::DirectoryError;
use crate::agent::Failure;
use crate::run::{PromptId, SessionId};
use crate::store::StoreError;
use crate::{Advise, Remedy};

/// Something to say.
///
/// ```
/// # async fn hello(engine: &surefire::engine::Engine) -> Result<(), surefire::engine::SayError> {
/// use surefire::engine::{Begin, Say};
///
/// let session = uuid::Uuid::new_v4().into();
/// let begin = Begin { directory: Some("/home/me/payments".into()), ..Begin::default() };
/// let said = engine.say(Say { session, text: "Is the build green?".into(), begin: Some(begin) }).await?;
/// assert!(said.new_session);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Say {
    /// In which session.
    pub session: SessionId,
    /// The words.
    pub text: String,
    /// How the session begins if it is not there yet; one that is there stays as it is.
    pub begin: Option<Begin>,
}

/// How a session begins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Begin {
    /// Where its agent works; without it, no session can begin.
    pub directory: Option<PathBuf>,
    /// Its agent, by name; `None` for the usual one.
    pub provider: Option<String>,
    /// What its agent is told beside every prompt.
    pub system_prompt: Option<String>,
}

/// Something that was said, and will reach the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Said {
    /// Names it.
    pub prompt: PromptId,
    /// Whether its session began with it.
    pub new_session: bool,
}

/// Why something could not be said.
#[derive(Debug, thiserror::Error)]
pub enum SayError {
    /// There is no such agent.
    #[error(transparent)]
    Provider(#[from] UnknownProvider),
    /// The directory cannot be worked in.
    #[error(transparent)]
    Directory(#[from] DirectoryError),
    /// A new session needs a directory.
    #[error("working_directory required for new session")]
    NoDirectory,
    /// The agent could not be asked.
    #[error(transparent)]
    Agent(Failure),
    /// Anything else.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl Advise for SayError {
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

impl From<StoreError> for SayError {
    fn from(error: StoreError) -> Self {
        Self::Engine(error.into())
    }
}

impl From<NotDone> for SayError {
    fn from(error: NotDone) -> Self {
        Self::Engine(error.into())
    }
}
