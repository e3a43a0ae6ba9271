//! Holding the data directory ourselves: an engine of our own, and a server beside it for whoever comes meanwhile.

use std::net::Ipv4Addr;
use std::sync::Arc;

use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::books::Books;
use super::brake::Brake;
use super::door::Door;
use super::stir::Stir;
use super::trouble::{Trouble, unreadable};
use super::wish::{GoOn, Wish};
use crate::agent::Agent;
use crate::cli::settings::data;
use crate::cli::usage::complaint::Complaint;
use crate::cli::usage::program::program_name;
use crate::engine::{Backend, Feed, Notice, ResumeError, Shutdown, Start, StartError, TakeUp};
use crate::run::{CannotResume, Limits, Resume, RunId, SessionId};
use crate::server::broadcast::convert;
use crate::server::{BindError, Server, ledger};
use crate::store::Message;
use crate::wire::SessionHistory;
use crate::{Advise, Catalog, UnknownRecipe};

/// What stands before every reason for not going on.
const CANNOT_GO_ON: &str = "the run cannot go on";

/// An engine of our own.
pub(in crate::cli) struct Own {
    catalog: Catalog,
    engine: Arc<dyn Backend>,
    feed: Feed,
    /// What the feed said, and nobody was told yet.
    untold: Option<Arc<Message>>,
    /// Ends the server beside it.
    stop: oneshot::Sender<()>,
    serving: JoinHandle<()>,
}

impl Own {
    /// Opens the data directory, and takes up nothing but these runs: what others left there is not ours to go on with.
    pub(in crate::cli) async fn open(
        door: &Door,
        agent: &Arc<dyn Agent>,
        take_up: Vec<RunId>,
    ) -> Result<Self, BindError> {
        let (turn, on_end) = (door.turn, door.on_end.clone());
        let (program, named_data) = (program_name(), data::unusual(&door.data));
        let mut builder = Server::builder()
            .recipes(door.catalog)
            .agent(Arc::clone(agent))
            .data(&door.data)
            .key_file(&door.key_file)
            .listen((Ipv4Addr::LOCALHOST, 0))
            .on_shutdown(Shutdown::LeaveAgents)
            .same_user_adds_roots(!door.roots_are_named)
            .tune(move |options| {
                (options.take_up, options.turn) = (TakeUp::Only(take_up), turn);
                (options.on_end, options.program, options.named_data) = (on_end, program, named_data);
            });
        for root in &door.roots {
            builder = builder.root(root);
        }
        let server = builder.bind().await?;
        let engine = Arc::clone(server.engine());
        let feed = engine.listen();
        let (stop, stopped) = oneshot::channel();
        let serving = tokio::spawn(server.serve(async {
            let _ = stopped.await;
        }));
        Ok(Self { catalog: door.catalog, engine, feed, untold: None, stop, serving })
    }

    pub(in crate::cli) fn books(&self) -> Books {
        Books::Own(self.catalog, Arc::clone(self.engine.store()))
    }

    pub(in crate::cli) async fn start(&self, wish: &Wish) -> Result<RunId, Trouble> {
        let start = Start {
            recipe: wish.recipe.clone(),
            session: wish.session,
            directory: Some(wish.directory.clone()),
            provider: wish.agent.map(str::to_owned),
            about: wish.about.clone(),
            model: wish.model.clone(),
            allow_tools: wish.allow_tools.clone(),
            permits: wish.permits,
            trust: wish.trust,
            untrusted: wish.untrusted,
            isolate: wish.isolate,
            limits: wish.limits,
        };
        let started = self.engine.start(start).await;
        Ok(started.map_err(|error| not_started(&error))?.run)
    }

    /// Goes on with a run. One that goes on already is as good.
    pub(in crate::cli) async fn resume(&self, run: RunId, go_on: GoOn) -> Result<(), Trouble> {
        let limits =
            if go_on.limits.is_empty() { None } else { Some(go_on.limits.over(self.limits(run).await?)) };
        let GoOn { by, allow_visits, allow_steps, allow_tools, permits, .. } = go_on;
        let resume = Resume { by, limits, allow_visits, allow_steps, allow_tools, permits };
        match self.engine.resume(run, resume).await {
            Ok(_) | Err(ResumeError::Cannot(CannotResume::StillRunning)) => Ok(()),
            Err(error @ ResumeError::Recipe(_)) => Err(Complaint::about(CANNOT_GO_ON, &error)
                .fix("go on with the command that has this recipe")
                .into()),
            Err(error) => Err(Complaint::about(CANNOT_GO_ON, &error).into()),
        }
    }

    /// The limits that a run has now.
    async fn limits(&self, run: RunId) -> Result<Limits, Trouble> {
        let journal = self.books().journal(run, 0).await?;
        let events = journal.map(|journal| journal.events).unwrap_or_default();
        Ok(events.iter().rev().find_map(|told| told.event.limits()).unwrap_or_default())
    }

    /// What ends the run of a session.
    pub(in crate::cli) fn brake(&self, session: SessionId) -> Brake {
        Brake::new(Arc::clone(&self.engine), session)
    }

    /// Waits until something happens. Whoever waits may be called away: what was said meanwhile is told the next time.
    pub(in crate::cli) async fn stirred(&mut self) -> Result<Stir, Trouble> {
        if self.untold.is_none() {
            match self.feed.next().await.map_err(|error| unreadable(&error))? {
                Notice::Said(message) => self.untold = Some(message),
                Notice::Happened(recorded) => return Ok(Stir::Run(recorded.run)),
                Notice::Unsaved { run, ending, .. } => {
                    return Ok(Stir::Ended(run, Box::new((*ending).clone())));
                }
                Notice::Printed { run, line, .. } => return Ok(Stir::Printed(run, line.to_string())),
                Notice::SessionBegan(_)
                | Notice::ChatEnded { .. }
                | Notice::TakenUp { .. }
                | Notice::Missed => return Ok(Stir::Any),
            }
        }
        let history = match &self.untold {
            Some(message) => self.said(message).await,
            None => None,
        };
        self.untold = None;
        Ok(history.map_or(Stir::Any, Stir::Said))
    }

    async fn said(&self, message: &Message) -> Option<SessionHistory> {
        let (session, message) = (message.session, message.clone());
        let known = self.engine.read(move |store| store.session(session)).await.ok()??;
        Some(ledger::pushed(convert::signature(&known), convert::provider(&known.agent), &message))
    }

    /// Waits until all that was begun at the end of a session's runs is done, and says what went wrong with it.
    pub(in crate::cli) async fn handed_off(&self, session: SessionId) -> Vec<String> {
        self.engine.handed_off(session).await
    }

    /// Lets go of the data directory. Whoever is a guest here finds another way.
    pub(in crate::cli) async fn leave(self) {
        let _ = self.stop.send(());
        let _ = self.serving.await;
    }
}

/// Why a run was not started, with the exit status of a run that ends for that.
fn not_started(error: &StartError) -> Complaint {
    const WHAT: &str = "the recipe was not started";
    match (error, error.exit()) {
        (StartError::Recipe(unknown), _) => refused(WHAT, unknown),
        (_, Some(exit)) => Complaint::about(WHAT, error).status(exit.definition().exit_code),
        (_, None) => Complaint::about(WHAT, error),
    }
}

/// A recipe that is not known, with the one that was probably meant.
fn refused(what: &str, unknown: &UnknownRecipe) -> Complaint {
    let closest = unknown.remedy().map(|closest| format!("{closest} ")).unwrap_or_default();
    Complaint::usage(what, unknown.problem(), format!("{closest}`{} recipes` lists them", program_name()))
}
