//! Recovering what an earlier engine left: runs, chat turns, queued prompts, and agents that still
//! work.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::orphans::{stop_agents, stop_orphans};
use crate::engine::error::EngineError;
use crate::engine::options::Recovery;
use crate::engine::session::driver;
use crate::engine::session::load::{load, unfinished_run, unfinished_runs};
use crate::engine::shared::Shared;
use crate::run::SessionId;
use crate::session::Session;
use crate::store::{Store, StoreError};

/// Recovers the unfinished sessions that [`Recovery`] includes.
pub(in crate::engine) async fn recover_sessions(shared: &Arc<Shared>) -> Result<(), EngineError> {
    stop_orphans(shared).await?;
    let wanted = shared.options.recovery.clone();
    // Agents that may still be working get their permits before any new work does.
    let open = shared.read(Store::open_attempts).await?;
    let at_work = open.iter().filter(|it| wanted.includes(it.run) && it.process.is_some());
    let mut permits: HashMap<_, _> = at_work.map(|it| (it.session, shared.try_permit())).collect();
    for id in shared.read(move |store| unfinished(store, &wanted)).await? {
        let Some(session) = load_or_quarantine(shared, id).await? else { continue };
        // Nothing else can drive the session: the engine has accepted no command yet.
        if let Some(mailbox) = shared.sessions.register(id) {
            driver::spawn(shared, id, mailbox, Some(session), permits.remove(&id).flatten());
        }
    }
    Ok(())
}

/// The sessions with unfinished work.
fn unfinished(store: &dyn Store, wanted: &Recovery) -> Result<BTreeSet<SessionId>, StoreError> {
    let runs =
        unfinished_runs(store, None)?.into_iter().filter(|run| wanted.includes(Some(run.id)));
    let mut sessions: BTreeSet<_> = runs.map(|run| run.session).collect();
    if wanted.includes(None) {
        let chats = store.open_attempts()?.into_iter().filter(|attempt| attempt.run.is_none());
        sessions.extend(chats.map(|attempt| attempt.session));
        sessions.extend(store.sessions_with_queued_prompts()?);
    }
    Ok(sessions)
}

/// Loads a session. A run that cannot be read is quarantined: it must not keep other sessions from
/// recovering.
async fn load_or_quarantine(shared: &Shared, id: SessionId) -> Result<Option<Session>, StoreError> {
    let what = match load(shared, id, None).await {
        Err(StoreError::Unreadable { what }) => what,
        loaded => return loaded.map(Some),
    };
    let run = shared.read(move |store| unfinished_run(store, id)).await?.map(|run| run.id);
    let named = run.map(tracing::field::display);
    tracing::error!(run = named, session = %id, what, "session cannot be read, quarantining its run");
    // Once the run is quarantined, nothing tracks its agent.
    stop_agents(shared, id, false, None).await?;
    if let Some(run) = run {
        shared.read(move |store| store.quarantine(run, &what)).await?;
    }
    match load(shared, id, None).await {
        // For example the session's own row. Nothing in that session can resume; `doctor` reports
        // it.
        Err(StoreError::Unreadable { .. }) => Ok(None),
        loaded => loaded.map(Some),
    }
}
