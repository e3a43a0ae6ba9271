//! Agents that outlived their engine although nothing waits for them any more: they are stopped.

use std::path::PathBuf;

use tokio::sync::mpsc;
use uuid::Uuid;

use crate::agent::{Agent, Link, RepositorySettings, Turn};
use crate::engine::shared::Shared;
use crate::engine::turn::scratch;
use crate::engine::turn::seat::{for_agent, stop_process};
use crate::run::{AttemptId, SessionId};
use crate::session::Process;
use crate::store::{Attempt, Store, StoreError};

/// Removes what is left of attempts that are over, and stops processes that outlived the end of their run. What belongs to
/// nothing that is taken up is left to a later engine.
pub(in crate::engine) async fn clear_away(shared: &Shared) -> Result<(), StoreError> {
    scratch::make_room(&shared.options.data);
    let wanted = &shared.options.take_up;
    for id in scratch::left_behind(&shared.options.data) {
        let known = match shared.read(move |store| store.attempt(id)).await {
            // Its run is set aside when it is loaded, and its agent must not work on.
            Err(StoreError::Unreadable { what }) => {
                tracing::error!(attempt = %id, what, "attempt cannot be read, stopping its agent");
                None
            }
            known => known?,
        };
        match known {
            Some(attempt) if !attempt.ended || !wanted.takes(attempt.run) => {}
            Some(attempt) => finish_off(shared, &attempt).await,
            None if !wanted.takes(None) => {}
            // The store was set aside, say. What the agent wrote is of no use here, but it is not ours to throw away.
            None => {
                for agent in &shared.options.agents {
                    let turn = nothing(shared, id, Uuid::nil().into(), shared.options.data.clone());
                    stop(shared, &**agent, turn, None).await;
                }
                scratch::set_aside(&shared.options.data, id);
            }
        }
    }
    Ok(())
}

/// Stops the agents that work for open attempts of a session: those of its runs, or all. `own` is left to its driver.
pub(in crate::engine) async fn stop_agents(
    shared: &Shared,
    session: SessionId,
    everything: bool,
    own: Option<AttemptId>,
) -> Result<(), StoreError> {
    let open = shared.read(Store::open_attempts).await?;
    let of_session = open.iter().filter(|attempt| attempt.session == session && Some(attempt.id) != own);
    for attempt in of_session.filter(|attempt| everything || attempt.run.is_some()) {
        finish_off(shared, attempt).await;
    }
    Ok(())
}

/// Stops what still works on an attempt that is over, and removes its directory.
async fn finish_off(shared: &Shared, attempt: &Attempt) {
    let (session, process) = (attempt.session, attempt.process.clone());
    let known = shared.read(move |store| store.session(session)).await.ok().flatten();
    // Its agent may not be configured any more.
    if let Some((agent, known)) =
        known.and_then(|known| Some((shared.agent(Some(&known.agent)).ok()?, known)))
    {
        let mut turn = nothing(shared, attempt.id, session, known.directory);
        turn.opened = known.opened;
        stop(shared, &*agent, turn, process.clone()).await;
    }
    // The process is known all the same, and may be a command of the engine's, of which no agent knows.
    stop_process(shared, attempt.id, process).await;
    scratch::remove(&shared.options.data, attempt.id).await;
}

/// Has an agent find a turn and stop it at once.
async fn stop(shared: &Shared, agent: &dyn Agent, turn: Turn, process: Option<Process>) {
    let stop = shared.stop.child_token();
    stop.cancel();
    // Nothing hears what it says, so that nothing it says is waited for.
    let (signs, _) = mpsc::channel(1);
    let link = Link { signs, stop, hurry: shared.hurry.clone(), leave: shared.leave.clone() };
    agent.recover(turn, process.map(for_agent), link).await;
}

/// A turn in which nothing is asked, only found.
fn nothing(shared: &Shared, attempt: AttemptId, session: SessionId, directory: PathBuf) -> Turn {
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
        limits: shared.options.turn,
    }
}
