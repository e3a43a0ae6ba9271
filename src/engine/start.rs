//! Starting a run: everything that can be wrong with the wish is found before anything is written down.

use std::path::PathBuf;
use std::sync::Arc;

use super::directory::{self, DirectoryError};
use super::drive::{self, Beginning, Conversation};
use super::inner::Inner;
use super::{EngineError, crash, journal, schedule};
use crate::agent::{Failure, UnknownModel};
use crate::run::{Limits, Order, Run, RunId, SessionId, Spent};
use crate::store::{Commit, StoreError};
use crate::{AnyRecipe, Exit, ExitReason, UnknownRecipe};

/// A wish for a run.
#[derive(Debug, Clone, Default)]
pub struct Start {
    /// The recipe's id.
    pub recipe: String,
    /// The session to run in; `None` for a new one.
    pub session: Option<SessionId>,
    /// Where the agent works; may be left out for a session that is there already.
    pub directory: Option<PathBuf>,
    /// The agent, by its name; `None` for the usual one.
    pub provider: Option<String>,
    /// What the run is about.
    pub about: Option<String>,
    /// The model to use, whatever the recipe says.
    pub model: Option<String>,
    /// What it may use up.
    pub limits: Limits,
}

impl Start {
    /// The wish to run this recipe in a new session, in this directory.
    pub fn new(recipe: impl Into<String>, directory: impl Into<PathBuf>) -> Self {
        Self { recipe: recipe.into(), directory: Some(directory.into()), ..Self::default() }
    }
}

/// A run that goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Started {
    /// The run.
    pub run: RunId,
    /// Its session.
    pub session: SessionId,
    /// Whether that session is new.
    pub new_session: bool,
}

/// An agent that there is not.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no agent `{provider}` here; choose one of those that are: {}", .known.join(", "))]
pub struct UnknownProvider {
    /// What was asked for.
    pub provider: String,
    /// What there is.
    pub known: Vec<&'static str>,
}

/// Why a run was not started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// There is no such recipe.
    #[error(transparent)]
    Recipe(#[from] UnknownRecipe),
    /// There is no such agent.
    #[error(transparent)]
    Provider(#[from] UnknownProvider),
    /// The agent knows no such model.
    #[error(transparent)]
    Model(#[from] UnknownModel),
    /// The directory cannot be worked in.
    #[error(transparent)]
    Directory(#[from] DirectoryError),
    /// A new session needs a directory.
    #[error("working_directory required for new session")]
    NoDirectory,
    /// The session's conversation belongs to another directory.
    #[error(
        "session {session} works in `{}`; start in a new session to work elsewhere", .directory.display()
    )]
    Elsewhere {
        /// The session.
        session: SessionId,
        /// Where it works.
        directory: PathBuf,
    },
    /// The session's conversation belongs to another agent.
    #[error("session {session} belongs to the agent `{agent}`; start in a new session to use another")]
    OtherAgent {
        /// The session.
        session: SessionId,
        /// Its agent.
        agent: String,
    },
    /// The agent could not be asked.
    #[error(transparent)]
    Agent(Failure),
    /// Recipes are switched off.
    #[error("recipes are switched off; switch orchestration on first")]
    SwitchedOff,
    /// The session has a run that goes on.
    #[error("session {session} is busy with run {holder}; exit that run first, or wait until it ends")]
    Busy {
        /// The session.
        session: SessionId,
        /// The run that holds it.
        holder: RunId,
    },
    /// Anything else.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl StartError {
    /// How a run would have ended that met this right at its start, for those who show it as one.
    ///
    /// `None` where it is not about a run at all: there is no such recipe, or the session has another one.
    #[must_use]
    pub fn exit(&self) -> Option<Exit> {
        let reason = match self {
            Self::Recipe(_) | Self::Busy { .. } => return None,
            Self::SwitchedOff => ExitReason::OrchestrationDisabled,
            Self::Engine(EngineError::Store(_)) => ExitReason::StorageError,
            Self::Engine(_) => ExitReason::InternalError,
            Self::Agent(failure) => return Some(super::failure::exit(failure)),
            Self::Provider(_)
            | Self::Model(_)
            | Self::Directory(_)
            | Self::NoDirectory
            | Self::Elsewhere { .. }
            | Self::OtherAgent { .. } => ExitReason::Error,
        };
        Some(Exit::because(reason).describe(self.to_string()))
    }
}

impl From<StoreError> for StartError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Busy { session, holder } => Self::Busy { session, holder },
            other => Self::Engine(other.into()),
        }
    }
}

pub(super) async fn start(inner: &Arc<Inner>, start: Start) -> Result<Started, StartError> {
    if inner.closing.is_cancelled() {
        return Err(EngineError::ShuttingDown.into());
    }
    let recipe = inner.options.catalog.find(&start.recipe)?;
    let session = start.session.unwrap_or_else(|| Inner::fresh().session);
    // From here on, so that nobody begins the same session otherwise in the meantime.
    let gate = inner.gate(session).await;
    let Settled { order, conversation, new_session } = settle(inner, recipe, session, start).await?;
    let started = Started { run: order.run, session, new_session };
    let (run, first) = Run::start(recipe, order, Inner::fresh());
    crash::point("before-intent");
    let changes = journal::beginning(&run, &first, None, inner.now());
    inner.keeper.commit(Commit { changes }).await?;
    journal::log_beginning(&run, &first);
    let seq = first.events.len() as u64;
    drive::spawn(inner, run, seq, conversation, first.todo, Beginning::Fresh);
    drop(gate);
    // Somebody may have switched recipes off after they were found to be on, and before this run could be seen.
    if !inner.read(move |store| store.orchestration(Some(session))).await? {
        schedule::cancel(inner, session, Exit::because(ExitReason::UserRequested)).await?;
    }
    Ok(started)
}

/// A wish that can be fulfilled.
struct Settled {
    order: Order,
    conversation: Conversation,
    new_session: bool,
}

async fn settle(
    inner: &Arc<Inner>,
    recipe: &'static dyn AnyRecipe,
    session: SessionId,
    start: Start,
) -> Result<Settled, StartError> {
    let known = match start.session {
        Some(id) => inner.read(move |store| Ok((store.session(id)?, store.orchestration(Some(id))?))).await?,
        None => inner.read(|store| Ok((None, store.orchestration(None)?))).await?,
    };
    let (known, switched_on) = known;
    let provider = start.provider.or_else(|| known.as_ref().map(|session| session.agent.clone()));
    let agent = inner.agent(provider.as_deref())?;
    let about = agent.about();
    if let Some(known) = known.as_ref().filter(|known| known.agent != about.name) {
        return Err(StartError::OtherAgent { session, agent: known.agent.clone() });
    }
    let models = recipe.outline().steps.iter().filter_map(|step| step.model);
    for model in start.model.as_deref().into_iter().chain(models) {
        agent.knows_model(model)?;
    }
    let asked = start.directory.or_else(|| known.as_ref().map(|session| session.directory.clone()));
    let directory = directory::check(&asked.ok_or(StartError::NoDirectory)?, &inner.options.roots)?;
    if let Some(known) = known.as_ref().filter(|known| known.directory != directory) {
        return Err(StartError::Elsewhere { session, directory: known.directory.clone() });
    }
    if !switched_on {
        return Err(StartError::SwitchedOff);
    }
    agent.ready().map_err(StartError::Agent)?;
    let order = Order {
        run: Inner::fresh().run,
        session,
        agent: about.name.to_owned(),
        rehearsal: about.rehearsal,
        directory,
        about: start.about,
        model: start.model,
        limits: start.limits,
        spent: Spent::default(),
        restarts: 0,
        continues: None,
    };
    Ok(Settled { order, new_session: known.is_none(), conversation: Conversation::of(known) })
}
