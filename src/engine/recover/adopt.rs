//! Taking up what an earlier engine left behind: runs, chat, queued prompts, and agents that are still at work.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::leftovers::{clear_away, stop_agents};
use crate::engine::error::EngineError;
use crate::engine::options::TakeUp;
use crate::engine::session::driver;
use crate::engine::session::load::{load, unfinished_run, unfinished_runs};
use crate::engine::shared::Shared;
use crate::run::SessionId;
use crate::session::Session;
use crate::store::{Store, StoreError};

/// Takes up everything that is left, as far as the engine was told to.
pub(in crate::engine) async fn take_up(shared: &Arc<Shared>) -> Result<(), EngineError> {
    clear_away(shared).await?;
    let wanted = shared.options.take_up.clone();
    // Agents that may be at work have their permits before anything else can take them.
    let open = shared.read(Store::open_attempts).await?;
    let at_work = open.iter().filter(|it| wanted.takes(it.run) && it.process.is_some());
    let mut permits: HashMap<_, _> = at_work.map(|it| (it.session, shared.try_permit())).collect();
    for id in shared.read(move |store| unfinished(store, &wanted)).await? {
        let Some(session) = load_or_quarantine(shared, id).await? else { continue };
        // Nothing else drives it: nothing has been asked of this engine yet.
        if let Some(mailbox) = shared.sessions.enter(id) {
            driver::spawn(shared, id, mailbox, Some(session), permits.remove(&id).flatten());
        }
    }
    Ok(())
}

/// The sessions in which something goes on, or is about to.
fn unfinished(store: &dyn Store, wanted: &TakeUp) -> Result<BTreeSet<SessionId>, StoreError> {
    let runs = unfinished_runs(store, None)?.into_iter().filter(|run| wanted.takes(Some(run.id)));
    let mut sessions: BTreeSet<_> = runs.map(|run| run.session).collect();
    if wanted.takes(None) {
        let chats = store.open_attempts()?.into_iter().filter(|attempt| attempt.run.is_none());
        sessions.extend(chats.map(|attempt| attempt.session));
        sessions.extend(store.waiting_sessions()?);
    }
    Ok(sessions)
}

/// Loads a session. Where its run cannot be read, that run is set aside: it must not keep the others from going on.
async fn load_or_quarantine(shared: &Shared, id: SessionId) -> Result<Option<Session>, StoreError> {
    let what = match load(shared, id, None).await {
        Err(StoreError::Unreadable { what }) => what,
        loaded => return loaded.map(Some),
    };
    let run = shared.read(move |store| unfinished_run(store, id)).await?.map(|run| run.id);
    let named = run.map(tracing::field::display);
    tracing::error!(run = named, session = %id, what, "session cannot be read, setting its run aside");
    // Nothing knows of its agent any more once the run is set aside.
    stop_agents(shared, id, false, None).await?;
    if let Some(run) = run {
        shared.read(move |store| store.quarantine(run, &what)).await?;
    }
    match load(shared, id, None).await {
        // The session's own row, say: `doctor` finds it, and nothing in it can go on.
        Err(StoreError::Unreadable { .. }) => Ok(None),
        loaded => loaded.map(Some),
    }
}
