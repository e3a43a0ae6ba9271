//! Saying something in a session that may begin with it: what can be wrong is found before anything is written down.

use std::path::PathBuf;
use std::sync::Arc;

use uuid::Uuid;

use super::chat::{self, queued};
use super::directory::{self, DirectoryError};
use super::inner::Inner;
use super::start::UnknownProvider;
use super::{EngineError, words};
use crate::agent::Failure;
use crate::run::{PromptId, SessionId};
use crate::store::{Change, Commit, NewSession, SessionEvent, StoreError};

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

impl From<StoreError> for SayError {
    fn from(error: StoreError) -> Self {
        Self::Engine(error.into())
    }
}

pub(super) async fn say(inner: &Arc<Inner>, say: Say) -> Result<Said, SayError> {
    let Say { session, text, begin } = say;
    if let Some(begin) = begin {
        // Held until it has begun, so that nobody begins it otherwise in the meantime.
        let gate = inner.gate(session).await;
        if inner.read(move |store| store.session(session)).await?.is_none() {
            return begin_with(inner, session, text, begin).await;
        }
        drop(gate);
    }
    let prompt = chat::prompt(inner, session, text).await?;
    Ok(Said { prompt, new_session: false })
}

/// Begins a session with its first prompt, in one commit. Its gate is held.
async fn begin_with(
    inner: &Arc<Inner>,
    session: SessionId,
    text: String,
    begin: Begin,
) -> Result<Said, SayError> {
    if inner.closing.is_cancelled() {
        return Err(EngineError::ShuttingDown.into());
    }
    let settled = settle(inner, session, &text, begin)?;
    let prompt = PromptId::from(Uuid::new_v4());
    let first = Change::session(session, settled.at, SessionEvent::Began(settled));
    let changes = vec![first, queued(session, prompt, text, inner.now())];
    inner.keeper.commit(Commit { changes }).await?;
    chat::go_on(inner, session);
    Ok(Said { prompt, new_session: true })
}

/// The session to be, if everything about it is as it has to be.
fn settle(inner: &Inner, id: SessionId, text: &str, begin: Begin) -> Result<NewSession, SayError> {
    let asked = begin.directory.ok_or(SayError::NoDirectory)?;
    let directory = directory::check(&asked, &inner.options.roots)?;
    let agent = inner.agent(begin.provider.as_deref())?;
    agent.ready().map_err(SayError::Agent)?;
    let name = words::session_name(text, &directory);
    let (agent, at) = (agent.about().name.to_owned(), inner.now());
    let system_prompt = begin.system_prompt.filter(|words| !words.trim().is_empty());
    Ok(NewSession { id, name, directory, agent, system_prompt, at })
}
