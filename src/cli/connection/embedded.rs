//! A connection that holds the data directory itself: an engine in this process, and a server for
//! other commands that arrive meanwhile.

use std::net::Ipv4Addr;
use std::sync::Arc;

use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::connection_config::ConnectionConfig;
use super::connection_error::{ConnectionError, unreadable};
use super::connection_event::ConnectionEvent;
use super::requests::{ResumeRequest, StartRequest};
use super::run_canceller::RunCanceller;
use super::run_history::RunHistory;
use crate::agent::Agent;
use crate::cli::settings::data;
use crate::cli::usage::cli_error::CliError;
use crate::cli::usage::program::program_name;
use crate::engine::{
    Backend, EventStream, Recovery, ResumeError, Shutdown, Start, StartError, Update,
};
use crate::run::{CannotResume, Limits, Resume, RunId, SessionId};
use crate::server::broadcast::convert;
use crate::server::{BindError, Server, ledger};
use crate::store::Message;
use crate::wire::SessionHistory;
use crate::{Advise, Catalog, UnknownRecipe};

/// The first part of every error about resuming.
const CANNOT_RESUME: &str = "the run cannot be resumed";

/// An engine in this process.
pub(in crate::cli) struct Embedded {
    catalog: Catalog,
    engine: Arc<dyn Backend>,
    feed: EventStream,
    /// A message from the feed that has not been returned yet.
    pending: Option<Arc<Message>>,
    /// Stops the server.
    stop: oneshot::Sender<()>,
    serving: JoinHandle<()>,
}

impl Embedded {
    /// Opens the data directory and recovers only these runs. Other interrupted runs are left for
    /// the next server.
    pub(in crate::cli) async fn open(
        config: &ConnectionConfig,
        agent: &Arc<dyn Agent>,
        recovery: Vec<RunId>,
    ) -> Result<Self, BindError> {
        let (turn, on_end, prompts) = (config.turn, config.on_end.clone(), config.prompts.clone());
        let (program, named_data) = (program_name(), data::unusual(&config.data));
        let mut builder = Server::builder()
            .recipes(config.catalog)
            .agent(Arc::clone(agent))
            .data(&config.data)
            .key_file(&config.key_file)
            .listen((Ipv4Addr::LOCALHOST, 0))
            .on_shutdown(Shutdown::DetachAgents)
            .same_user_adds_roots(!config.roots_are_named)
            .tune(move |options| {
                (options.recovery, options.turn) = (Recovery::Only(recovery), turn);
                options.prompts = prompts;
                (options.on_end, options.program, options.named_data) =
                    (on_end, program, named_data);
            });
        for root in &config.roots {
            builder = builder.root(root);
        }
        let server = builder.bind().await?;
        let engine = Arc::clone(server.engine());
        let feed = engine.subscribe();
        let (stop, stopped) = oneshot::channel();
        let serving = tokio::spawn(server.serve(async {
            let _ = stopped.await;
        }));
        Ok(Self { catalog: config.catalog, engine, feed, pending: None, stop, serving })
    }

    pub(in crate::cli) fn history(&self) -> RunHistory {
        RunHistory::Embedded(self.catalog, Arc::clone(self.engine.store()))
    }

    pub(in crate::cli) async fn start(
        &self,
        request: &StartRequest,
    ) -> Result<RunId, ConnectionError> {
        let start = Start {
            recipe: request.recipe.clone(),
            session: request.session,
            directory: Some(request.directory.clone()),
            provider: request.agent.map(str::to_owned),
            task: request.task.clone(),
            model: request.model.clone(),
            allow_tools: request.allow_tools.clone(),
            permits: request.permits,
            trust: request.trust,
            untrusted: request.untrusted,
            isolate: request.isolate,
            limits: request.limits,
        };
        let started = self.engine.start(start).await;
        Ok(started.map_err(|error| not_started(&error))?.run)
    }

    /// Resumes a run. Succeeds if it is already running.
    pub(in crate::cli) async fn resume(
        &self,
        run: RunId,
        request: ResumeRequest,
    ) -> Result<(), ConnectionError> {
        let limits = if request.limits.is_empty() {
            None
        } else {
            Some(request.limits.over(self.limits(run).await?))
        };
        let ResumeRequest { by, allow_visits, allow_steps, allow_tools, permits, .. } = request;
        let resume = Resume { by, limits, allow_visits, allow_steps, allow_tools, permits };
        match self.engine.resume(run, resume).await {
            Ok(_) | Err(ResumeError::Cannot(CannotResume::StillRunning)) => Ok(()),
            Err(error @ ResumeError::Recipe(_)) => Err(CliError::about(CANNOT_RESUME, &error)
                .fix("resume it with the program that has this recipe")
                .into()),
            Err(error) => Err(CliError::about(CANNOT_RESUME, &error).into()),
        }
    }

    /// The current limits of a run.
    async fn limits(&self, run: RunId) -> Result<Limits, ConnectionError> {
        let journal = self.history().journal(run, 0).await?;
        let events = journal.map(|journal| journal.events).unwrap_or_default();
        Ok(events.iter().rev().find_map(|record| record.event.limits()).unwrap_or_default())
    }

    /// The canceller for a session's run.
    pub(in crate::cli) fn canceller(&self, session: SessionId) -> RunCanceller {
        RunCanceller::new(Arc::clone(&self.engine), session)
    }

    /// Waits for the next change. Cancel-safe: a message that was received but not returned is
    /// returned by the next call.
    pub(in crate::cli) async fn next_event(&mut self) -> Result<ConnectionEvent, ConnectionError> {
        if self.pending.is_none() {
            match self.feed.next().await.map_err(|error| unreadable(&error))? {
                Update::Message(message) => self.pending = Some(message),
                Update::Event(recorded) => return Ok(ConnectionEvent::Run(recorded.run)),
                Update::NotPersisted { run, ending, .. } => {
                    return Ok(ConnectionEvent::Ended(run, Box::new((*ending).clone())));
                }
                Update::Printed { run, line, .. } => {
                    return Ok(ConnectionEvent::Printed(run, line.to_string()));
                }
                Update::SessionBegan(_)
                | Update::ChatEnded { .. }
                | Update::Recovered { .. }
                | Update::Lagged => return Ok(ConnectionEvent::Any),
            }
        }
        let history = match &self.pending {
            Some(message) => self.history_of(message).await,
            None => None,
        };
        self.pending = None;
        Ok(history.map_or(ConnectionEvent::Any, ConnectionEvent::Messages))
    }

    async fn history_of(&self, message: &Message) -> Option<SessionHistory> {
        let (session, message) = (message.session, message.clone());
        let known = self.engine.read(move |store| store.session(session)).await.ok()??;
        Some(ledger::pushed(convert::signature(&known), convert::provider(&known.agent), &message))
    }

    /// Waits for the work that follows the end of a session's runs, and returns its problems.
    pub(in crate::cli) async fn wait_for_handoffs(&self, session: SessionId) -> Vec<String> {
        self.engine.wait_for_handoffs(session).await
    }

    /// Releases the data directory. Commands that are connected to this process reconnect to the
    /// next holder.
    pub(in crate::cli) async fn leave(self) {
        let _ = self.stop.send(());
        let _ = self.serving.await;
    }
}

/// The error for a run that was not started, with the exit status of its exit reason.
fn not_started(error: &StartError) -> CliError {
    const WHAT: &str = "the recipe was not started";
    match (error, error.exit()) {
        (StartError::Recipe(unknown), _) => refused(WHAT, unknown),
        (_, Some(exit)) => CliError::about(WHAT, error).status(exit.definition().exit_code),
        (_, None) => CliError::about(WHAT, error),
    }
}

/// The error for an unknown recipe, with the closest known name.
fn refused(what: &str, unknown: &UnknownRecipe) -> CliError {
    let closest = unknown.remedy().map(|closest| format!("{closest} ")).unwrap_or_default();
    CliError::usage(
        what,
        unknown.problem(),
        format!("{closest}`{} recipes` lists the recipes", program_name()),
    )
}
