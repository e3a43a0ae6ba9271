//! After the last kill: everything runs to its end, and then every session is tried out.

use std::time::{Duration, Instant};

use surefire::engine::Engine;
use surefire::run::SessionId;
use surefire::store::{RunFilter, Store, StoreError};

use super::clients::Client;
use super::journal::{Entry, Journal, Request};

/// How long everything may take to end by itself.
const QUIET_TIMEOUT: Duration = Duration::from_secs(2 * 60);

/// How long one session may take for a run of one step.
const RUN_TIMEOUT: Duration = Duration::from_secs(30);

pub(super) async fn finish(engine: &Engine, journal: &Journal, clients: Vec<Client>) {
    let began = Instant::now();
    let mut left = engine.read(unfinished).await.expect("the store works");
    while !left.is_empty() && began.elapsed() < QUIET_TIMEOUT {
        tokio::time::sleep(Duration::from_millis(50)).await;
        left = engine.read(unfinished).await.expect("the store works");
    }
    for words in left {
        journal.write(&Entry::Stuck(words));
    }
    let mut sessions =
        engine.read(|store| store.sessions(usize::MAX)).await.expect("the store works");
    let mut tasks = Vec::new();
    let share = sessions.len().div_ceil(clients.len());
    for mut client in clients {
        let sessions = sessions.split_off(sessions.len().saturating_sub(share));
        let (engine, journal) = (engine.clone(), journal.clone());
        tasks.push(tokio::spawn(async move {
            for session in sessions {
                try_out(&engine, &journal, &mut client, session.id).await;
            }
        }));
    }
    for task in tasks {
        task.await.expect("no client panics");
    }
}

/// Descriptions of everything that has not ended.
fn unfinished(store: &dyn Store) -> Result<Vec<String>, StoreError> {
    let open = store.runs(&RunFilter::default().open(Some(true)))?;
    let paused = store.runs(&RunFilter::default().resume_due(true))?;
    let mut left = Vec::new();
    left.extend(open.iter().map(|run| format!("run {} does not end", run.id)));
    left.extend(paused.iter().map(|run| format!("run {} is paused and does not resume", run.id)));
    left.extend(
        store.open_attempts()?.iter().map(|attempt| format!("attempt {} is open", attempt.id)),
    );
    for session in store.sessions_with_queued_prompts()? {
        left.push(format!(
            "prompts stay queued in session {session}: {:?}",
            store.queued_prompts(session)?
        ));
    }
    Ok(left)
}

/// Checks that the session still works: its last run can be resumed or ended, and another one
/// started.
async fn try_out(engine: &Engine, journal: &Journal, client: &mut Client, session: SessionId) {
    if let Some(run) = client.last_run(session).await {
        client.ask(session, Request::Resume { run }).await;
    }
    client.ask(session, Request::Exit).await;
    client.ask(session, Request::Start { recipe: "retrospective".to_owned() }).await;
    let Some(run) = client.last_run(session).await else {
        return journal.write(&Entry::Stuck(format!("no run can be started in session {session}")));
    };
    let ended = tokio::time::timeout(RUN_TIMEOUT, engine.wait_until_ended(run)).await;
    if !matches!(&ended, Ok(Ok(ending)) if ending.goal_met) {
        journal.write(&Entry::Stuck(format!("run {run} in session {session} came to {ended:?}")));
    }
}
