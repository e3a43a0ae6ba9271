//! Whoever holds the data directory: we ourselves, or a server that we are a guest of. Runs look the same either way.

mod books;
mod dial;
mod guest;
mod http;
mod own;
mod pruning;

pub(super) use books::Books;
pub(super) use pruning::PrunedSessions;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use self::guest::Guest;
use self::http::Api;
use self::own::Own;
use super::brake::Brake;
use super::complaint::Complaint;
use super::links;
use super::program::program_name;
use crate::agent::{Agent, TurnLimits};
use crate::run::{Ending, Limits, ResumedBy, RunId, SessionId};
use crate::server::{ApiKey, BindError};
use crate::store::{Holder, Sqlite, StoreError};
use crate::wire::{SessionHistory, WantedLimits};
use crate::{Advise, Catalog, UnknownRecipe};

/// How long somebody may hold the data directory without saying where they can be reached: they come up, or go.
const PATIENCE: Duration = Duration::from_secs(15);

/// How often is looked again.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// What to do about a server whose key is not the one in its key file.
const RESTART: &str = "restart that server: it reads its key when it starts";

/// All that is needed to get in.
pub(super) struct Door {
    pub(super) catalog: Catalog,
    /// Who does the work, if it is ours to do; or why nobody here can.
    pub(super) agent: Result<Arc<dyn Agent>, Complaint>,
    /// What one turn of it may use up.
    pub(super) turn: TurnLimits,
    pub(super) data: PathBuf,
    pub(super) key_file: PathBuf,
    pub(super) roots: Vec<PathBuf>,
    /// Whether the operator named them; otherwise they are where this command works, and a guest works where it is.
    pub(super) roots_are_named: bool,
}

/// A wish for a run.
pub(super) struct Wish {
    pub(super) recipe: String,
    pub(super) session: Option<SessionId>,
    pub(super) directory: PathBuf,
    /// The agent, by its own name: nobody steps in for it.
    pub(super) agent: Option<&'static str>,
    pub(super) about: Option<String>,
    pub(super) model: Option<String>,
    pub(super) limits: Limits,
}

/// A wish to go on with a run.
#[derive(Clone, Copy)]
pub(super) struct GoOn {
    pub(super) by: ResumedBy,
    pub(super) limits: WantedLimits,
    pub(super) allow_visits: u32,
    pub(super) allow_steps: u32,
}

impl GoOn {
    /// Going on just as it was.
    pub(super) fn as_it_was(by: ResumedBy) -> Self {
        Self { by, limits: WantedLimits::default(), allow_visits: 0, allow_steps: 0 }
    }

    /// Whether the run shall have no other limits than before.
    pub(super) fn names_nothing(&self) -> bool {
        self.limits.is_empty() && self.allow_visits == 0 && self.allow_steps == 0
    }
}

/// Something happened.
pub(super) enum Stir {
    /// In this run: its journal has more.
    Run(RunId),
    /// This run is said to have ended so. Where the journal does not say it as well, it could not be written down.
    Ended(RunId, Box<Ending>),
    /// Somebody said something.
    Said(SessionHistory),
    /// Whatever.
    Any,
}

/// What can come in between.
pub(super) enum Trouble {
    /// Whoever holds the data directory is gone.
    Lost,
    /// Something that a person has to be told.
    Told(Complaint),
}

impl From<Complaint> for Trouble {
    fn from(complaint: Complaint) -> Self {
        Self::Told(complaint)
    }
}

impl From<Trouble> for Complaint {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Told(complaint) => complaint,
            Trouble::Lost => Self::new("the server is gone", "the connection was closed", "try again"),
        }
    }
}

/// Whoever holds the data directory.
pub(super) enum House {
    Own(Box<Own>),
    Guest(Box<Guest>),
}

impl House {
    /// Takes the data directory, or goes to the server that has it. These runs go on then, and no others.
    pub(super) async fn enter(door: &Door, take_up: &[RunId]) -> Result<Self, Complaint> {
        let begun = tokio::time::Instant::now();
        loop {
            let holder = match &door.agent {
                Ok(agent) => match Own::open(door, agent, take_up.to_vec()).await {
                    Ok(own) => return Ok(Self::Own(Box::new(own))),
                    Err(BindError::Store(StoreError::Held { holder, .. })) => holder,
                    Err(error) => return Err(Complaint::about("the recipe cannot be run here", &error)),
                },
                // Whoever holds it may have an agent.
                Err(complaint) => match Sqlite::holder(&door.data) {
                    Ok(Some(holder)) => holder,
                    Ok(None) | Err(_) => return Err(complaint.clone()),
                },
            };
            if let Some(api) = reach(&holder, &door.data)? {
                match Guest::enter(api).await {
                    Ok(guest) => return Ok(Self::Guest(Box::new(guest))),
                    Err(Trouble::Told(complaint)) => return Err(complaint),
                    Err(Trouble::Lost) => {}
                }
            }
            if begun.elapsed() > PATIENCE {
                return Err(held(&door.data, &holder));
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    }

    pub(super) fn books(&self) -> Books {
        match self {
            Self::Own(own) => own.books(),
            Self::Guest(guest) => guest.books(),
        }
    }

    /// Whether the work is somebody else's.
    pub(super) const fn is_guest(&self) -> bool {
        match self {
            Self::Own(_) => false,
            Self::Guest(_) => true,
        }
    }

    pub(super) async fn start(&mut self, wish: &Wish) -> Result<RunId, Trouble> {
        match self {
            Self::Own(own) => own.start(wish).await,
            Self::Guest(guest) => guest.start(wish).await,
        }
    }

    /// Goes on with a run; with one that goes on already, nothing happens.
    pub(super) async fn resume(&mut self, run: RunId, go_on: GoOn) -> Result<(), Trouble> {
        match self {
            Self::Own(own) => own.resume(run, go_on).await,
            Self::Guest(guest) => guest.resume(run, go_on).await,
        }
    }

    /// Wants to hear what is said in a run.
    pub(super) async fn listen_to(&mut self, run: RunId) -> Result<(), Trouble> {
        match self {
            Self::Own(_) => Ok(()),
            Self::Guest(guest) => guest.subscribe_to(run).await,
        }
    }

    /// What ends the run of a session, where that is ours to do.
    pub(super) fn brake(&self, session: SessionId) -> Option<Brake> {
        match self {
            Self::Own(own) => Some(own.brake(session)),
            Self::Guest(_) => None,
        }
    }

    /// Asks whoever runs it to end the run of a session, soon. Our own has a brake for that.
    pub(super) async fn ask_to_stop(&mut self, session: SessionId) -> Result<(), Trouble> {
        match self {
            Self::Own(_) => Ok(()),
            Self::Guest(guest) => guest.stop(session).await,
        }
    }

    /// Waits until something happens.
    pub(super) async fn stirred(&mut self) -> Result<Stir, Trouble> {
        match self {
            Self::Own(own) => own.stirred().await,
            Self::Guest(guest) => guest.stirred().await,
        }
    }

    pub(super) async fn leave(self) {
        match self {
            Self::Own(own) => own.leave().await,
            Self::Guest(_) => {}
        }
    }
}

/// Opens what is written down in a data directory, wherever it is. Nothing is made there, and nothing goes on.
pub(super) async fn books(catalog: Catalog, data: &Path) -> Result<Books, Complaint> {
    let begun = tokio::time::Instant::now();
    loop {
        if !Sqlite::is_in(data) {
            return Ok(Books::None);
        }
        let holder = match Sqlite::open(data) {
            Ok(opened) => return Ok(Books::Own(catalog, Arc::new(opened.store))),
            Err(StoreError::Held { holder, .. }) => holder,
            Err(error) => return Err(unreadable(&error)),
        };
        if let Some(api) = reach(&holder, data)?
            && api.connect().await.is_ok()
        {
            return Ok(Books::Theirs(api));
        }
        if begun.elapsed() > PATIENCE {
            return Err(held(data, &holder));
        }
        tokio::time::sleep(LOOK_AGAIN).await;
    }
}

/// Where a server can be reached from this machine, and the key to it.
fn reach(holder: &Holder, data: &Path) -> Result<Option<Api>, Complaint> {
    let Some(address) = holder.address.as_ref().and_then(|address| address.parse().ok()) else {
        return Ok(None);
    };
    let key_file = holder.key_file.clone().unwrap_or_else(|| data.join("api-key"));
    // Only read: a key that is made here would not be that server's, but would be the next one's.
    let key = ApiKey::read(&key_file).map_err(|error| {
        Complaint::about(format!("the server at {address} cannot be talked to"), &error).fix(RESTART)
    })?;
    Ok(Some(Api { data: data.to_owned(), address: links::from_here(address), key }))
}

fn held(data: &Path, holder: &Holder) -> Complaint {
    Complaint::new(
        format!("the data directory `{}` is in use", data.display()),
        format!("{holder} has it, and cannot be talked to"),
        "wait until it is done, or name another directory with --data",
    )
}

fn unreadable(error: &impl Advise) -> Complaint {
    Complaint::about("what is written down cannot be read", error)
}

fn wrong_key(address: SocketAddr) -> Complaint {
    Complaint::new(
        format!("the server at {address} does not take our key"),
        "the one in its key file is not the one that it was started with",
        RESTART,
    )
}

/// A recipe that is not known, with the one that was probably meant.
fn refused(what: &str, unknown: &UnknownRecipe) -> Complaint {
    let closest = unknown.remedy().map(|closest| format!("{closest} ")).unwrap_or_default();
    Complaint::usage(what, unknown.problem(), format!("{closest}`{} recipes` lists them", program_name()))
}
