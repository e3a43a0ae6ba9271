//! Whoever holds the data directory: we ourselves, or a server that we are a guest of. Runs look the same either way.

mod books;
pub(super) mod brake;
mod door;
mod guest;
mod own;
mod pruning;
mod stir;
mod trouble;
mod wish;
mod worktrees;

pub(in crate::cli) use books::Books;
pub(in crate::cli) use door::Door;
pub(in crate::cli) use pruning::PrunedSessions;
pub(in crate::cli) use stir::Stir;
pub(in crate::cli) use trouble::Trouble;
pub(in crate::cli) use wish::{GoOn, Wish};
pub(in crate::cli) use worktrees::NotEnded;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::render::links;
use super::usage::complaint::Complaint;
use crate::Catalog;
use crate::client::Endpoint;
use crate::run::{RunId, SessionId};
use crate::server::{ApiKey, BindError};
use crate::store::{Holder, Sqlite, StoreError};
use brake::Brake;
use guest::Guest;
use own::Own;
use trouble::{RESTART, unreadable};

/// How long somebody may hold the data directory without saying where they can be reached: they come up, or go.
const PATIENCE: Duration = Duration::from_secs(15);

/// How often is looked again.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

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
            if let Some(server) = reach(&holder, &door.data)? {
                match Guest::enter(server).await {
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

    /// Waits until all that was begun at the end of a session's runs is done, where that is ours to do, and says what went
    /// wrong with it.
    pub(super) async fn handed_off(&self, session: SessionId) -> Vec<String> {
        match self {
            Self::Own(own) => own.handed_off(session).await,
            Self::Guest(_) => Vec::new(),
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
        if let Some(server) = reach(&holder, data)?
            && server.is_reachable().await
        {
            return Ok(Books::Theirs(server));
        }
        if begun.elapsed() > PATIENCE {
            return Err(held(data, &holder));
        }
        tokio::time::sleep(LOOK_AGAIN).await;
    }
}

/// Where a server can be reached from this machine, and the key to it.
fn reach(holder: &Holder, data: &Path) -> Result<Option<Endpoint>, Complaint> {
    let Some(address) = holder.address.as_ref().and_then(|address| address.parse().ok()) else {
        return Ok(None);
    };
    let key_file = holder.key_file.clone().unwrap_or_else(|| data.join("api-key"));
    // Only read: a key that is made here would not be that server's, but would be the next one's.
    let key = ApiKey::read(&key_file).map_err(|error| {
        Complaint::about(format!("the server at {address} cannot be talked to"), &error).fix(RESTART)
    })?;
    Ok(Some(Endpoint::at(links::from_here(address), key.reveal()).or_in(data)))
}

fn held(data: &Path, holder: &Holder) -> Complaint {
    Complaint::new(
        format!("the data directory `{}` is in use", data.display()),
        format!("{holder} has it, and cannot be talked to"),
        "wait until it is done, or name another directory with --data",
    )
}
