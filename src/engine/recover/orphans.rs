//! Stopping orphans: agents that outlived their engine and whose turn is over.

use std::path::PathBuf;

use tokio::sync::mpsc;
use uuid::Uuid;

use crate::agent::{Agent, RepositorySettings, Turn, TurnContext};
use crate::engine::shared::Shared;
use crate::engine::turn::scratch;
use crate::engine::turn::turn_permit::{for_agent, stop_process};
use crate::run::{AttemptId, SessionId};
use crate::session::ProcessRecord;
use crate::store::{Attempt, Store, StoreError};

/// Removes the files of attempts that are over, and stops processes that outlived their run.
/// Attempts that this engine does not recover are left to a later one.
pub(in crate::engine) async fn stop_orphans(shared: &Shared) -> Result<(), StoreError> {
    scratch::create_folder(&shared.options.data);
    let wanted = &shared.options.recovery;
    for id in scratch::remaining(&shared.options.data) {
        let known = match shared.read(move |store| store.attempt(id)).await {
            // Its run is quarantined when it is loaded, and its agent must not keep working.
            Err(StoreError::Unreadable { what }) => {
                tracing::error!(attempt = %id, what, "attempt cannot be read, stopping its agent");
                None
            }
            known => known?,
        };
        match known {
            Some(attempt) if !attempt.ended || !wanted.includes(attempt.run) => {}
            Some(attempt) => stop_attempt(shared, &attempt).await,
            None if !wanted.includes(None) => {}
            // For example after the store was moved away. The output may still matter to that
            // store, so it is quarantined rather than deleted.
            None => {
                for agent in &shared.options.agents {
                    let turn =
                        empty_turn(shared, id, Uuid::nil().into(), shared.options.data.clone());
                    stop(shared, &**agent, turn, None).await;
                }
                scratch::quarantine(&shared.options.data, id);
            }
        }
    }
    Ok(())
}

/// Stops the agents of a session's open attempts: those of its runs, or all. `own` is skipped,
/// because its driver stops it.
pub(in crate::engine) async fn stop_agents(
    shared: &Shared,
    session: SessionId,
    everything: bool,
    own: Option<AttemptId>,
) -> Result<(), StoreError> {
    let open = shared.read(Store::open_attempts).await?;
    let of_session =
        open.iter().filter(|attempt| attempt.session == session && Some(attempt.id) != own);
    for attempt in of_session.filter(|attempt| everything || attempt.run.is_some()) {
        stop_attempt(shared, attempt).await;
    }
    Ok(())
}

/// Stops the processes of an attempt that is over, and removes its directory.
async fn stop_attempt(shared: &Shared, attempt: &Attempt) {
    let (session, process) = (attempt.session, attempt.process.clone());
    let known = shared.read(move |store| store.session(session)).await.ok().flatten();
    // Its agent may no longer be configured.
    if let Some((agent, known)) =
        known.and_then(|known| Some((shared.agent(Some(&known.agent)).ok()?, known)))
    {
        let mut turn = empty_turn(shared, attempt.id, session, known.directory);
        turn.opened = known.opened;
        stop(shared, &*agent, turn, process.clone()).await;
    }
    // Stop the recorded process in any case: it may be a command that the engine ran, which no
    // agent knows.
    stop_process(shared, attempt.id, process).await;
    scratch::remove(&shared.options.data, attempt.id).await;
}

/// Lets an agent recover its turn, with a stop token that is already cancelled.
async fn stop(shared: &Shared, agent: &dyn Agent, turn: Turn, process: Option<ProcessRecord>) {
    let stop = shared.stop.child();
    stop.cancel();
    // The receiver is dropped, so that the agent never waits for its events to be read.
    let (events, _) = mpsc::channel(1);
    let context = TurnContext {
        events,
        stop,
        fast_stop: shared.fast_stop.clone(),
        detach: shared.detach.clone(),
    };
    agent.recover(turn, process.map(for_agent), context).await;
}

/// A turn without a prompt, which identifies an earlier turn.
fn empty_turn(shared: &Shared, attempt: AttemptId, session: SessionId, directory: PathBuf) -> Turn {
    Turn {
        attempt: attempt.uuid(),
        session: session.uuid(),
        opened: false,
        prompt: String::new(),
        model: None,
        system_prompt: None,
        tools: None,
        allowed: Vec::new(),
        repository: RepositorySettings::Used,
        directory,
        scratch: scratch::path(&shared.options.data, attempt),
        run: None,
        restarts: 0,
        step: None,
        limits: shared.options.turn,
    }
}
