//! Agents that outlived their engine although nothing waits for them any more: they are stopped.

use std::path::PathBuf;

use tokio::sync::mpsc;
use uuid::Uuid;

use super::scratch;
use super::shared::Shared;
use super::turn::{for_agent, prepare};
use crate::agent::{Agent, Link};
use crate::run::{AttemptId, RunId, SessionId};
use crate::session::{Process, TurnOrigin, TurnRequest};
use crate::store::{Attempt, Store, StoreError};

/// Removes what is left of attempts that are over, and stops processes that outlived the end of their run. What belongs to
/// nothing that is taken up is left to a later engine.
pub(super) async fn clear_away(shared: &Shared) -> Result<(), StoreError> {
    scratch::make_room(&shared.options.data);
    let wanted = &shared.options.take_up;
    for id in scratch::left_behind(&shared.options.data) {
        match shared.read(move |store| store.attempt(id)).await? {
            Some(attempt) if !attempt.ended || !wanted.takes(attempt.run) => {}
            Some(attempt) => finish_off(shared, &attempt).await,
            None if !wanted.takes(None) => {}
            // The store was set aside, say. What the agent wrote is of no use here, but it is not ours to throw away.
            None => {
                for agent in &shared.options.agents {
                    let unknown = nothing(id, agent.about().name, shared.options.data.clone());
                    stop(shared, &**agent, Uuid::nil().into(), &unknown, None).await;
                }
                scratch::set_aside(&shared.options.data, id);
            }
        }
    }
    Ok(())
}

/// Stops the agent of a run that nothing drives.
pub(super) async fn stop_agent_of(shared: &Shared, run: RunId) -> Result<(), StoreError> {
    let open = shared.read(Store::open_attempts).await?;
    for attempt in open.iter().filter(|attempt| attempt.run == Some(run)) {
        finish_off(shared, attempt).await;
    }
    Ok(())
}

/// Stops what still works on an attempt that is over, and removes its directory.
async fn finish_off(shared: &Shared, attempt: &Attempt) {
    let id = attempt.session;
    if let Ok(Some(session)) = shared.read(move |store| store.session(id)).await
        && let Ok(agent) = shared.agent(Some(&session.agent))
    {
        let request =
            TurnRequest { opened: session.opened, ..nothing(attempt.id, &session.agent, session.directory) };
        stop(shared, &*agent, id, &request, attempt.process.clone()).await;
    }
    scratch::remove(&shared.options.data, attempt.id);
}

/// Has an agent find a turn and stop it at once.
async fn stop(
    shared: &Shared,
    agent: &dyn Agent,
    session: SessionId,
    request: &TurnRequest,
    process: Option<Process>,
) {
    let stop = shared.stop.child_token();
    stop.cancel();
    let (signs, _deaf) = mpsc::channel(1);
    let link = Link { signs, stop, hurry: shared.hurry.clone(), leave: shared.leave.clone() };
    agent.recover(prepare(shared, session, request), process.map(for_agent), link).await;
}

/// A turn in which nothing is asked, only found.
fn nothing(attempt: AttemptId, agent: &str, directory: PathBuf) -> TurnRequest {
    TurnRequest {
        attempt,
        run: None,
        step: None,
        prompt: String::new(),
        system_prompt: None,
        opened: false,
        agent: agent.to_owned(),
        directory,
        model: None,
        time_left: None,
        budget_left: None,
        origin: TurnOrigin::New,
    }
}
