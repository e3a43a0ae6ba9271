//! Prompts outside of a run: who passes them on, and when.
//!
//! One after the other, each as a turn of its own (`chat_turn.rs`). What waits is in the store, so it is not lost.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::EngineError;
use super::chat_turn::{ChatTurn, take};
use super::inner::{Chat, Command, Inner};
use super::recover::Left;
use super::schedule::last_run;
use crate::run::{AttemptId, PromptId, SessionId};
use crate::store::{Change, Commit, Entry, NewMessage, Role, SessionEvent, Store, StoreError};

/// Says something to the agent of a session that is there.
pub(super) async fn prompt(
    inner: &Arc<Inner>,
    session: SessionId,
    text: String,
) -> Result<PromptId, EngineError> {
    if inner.closing.is_cancelled() {
        return Err(EngineError::ShuttingDown);
    }
    let prompt = PromptId::from(Uuid::new_v4());
    let _gate = loop {
        if let Some((_, commands)) = inner.driven(session) {
            let (done, queued) = oneshot::channel();
            let command = Command::Prompt { prompt, text: text.clone(), done };
            if commands.send(command).await.is_ok() && queued.await.is_ok() {
                return Ok(prompt);
            }
            // The run ended in the meantime, or is about to leave its desk.
        }
        let gate = inner.gate(session).await;
        if inner.driven(session).is_none() {
            break gate;
        }
        // One began in the meantime, and passes it on.
        tokio::task::yield_now().await;
    };
    inner.read(move |store| store.session(session)).await?.ok_or(EngineError::NoSession(session))?;
    let changes = vec![queued(session, prompt, text, inner.now())];
    inner.keeper.commit(Commit { changes }).await?;
    go_on(inner, session);
    Ok(prompt)
}

/// What writes down that somebody said something, and that it waits for the agent.
pub(super) fn queued(session: SessionId, prompt: PromptId, text: String, at: u64) -> Change {
    let (id, role, words) = (prompt.uuid(), Role::User, text.clone());
    let said = NewMessage { session, id, role, text: words, at, attempt: None, run: None };
    let event = Some(SessionEvent::PromptQueued { prompt, text });
    Change::Session { session, at, entries: vec![Entry { event, message: Some(said) }] }
}

/// Takes back what waits for a session's agent.
pub(super) async fn withdraw(inner: &Inner, session: SessionId) -> Result<(), StoreError> {
    let waiting = inner.read(move |store| store.waiting(session)).await?;
    if waiting.is_empty() {
        return Ok(());
    }
    let prompts = waiting.into_iter().map(|waiting| waiting.prompt).collect();
    let withdrawn = Change::session(session, inner.now(), SessionEvent::PromptsWithdrawn { prompts });
    inner.keeper.commit(Commit { changes: vec![withdrawn] }).await.map(|_| ())
}

/// Gives the agent what waits for it, unless a run does so.
pub(super) fn go_on(inner: &Arc<Inner>, session: SessionId) {
    // A run that goes on calls for somebody when it ends.
    if inner.closing.is_cancelled() || inner.driven(session).is_some() {
        return;
    }
    if let Some(stop) = sit_down(inner, session) {
        let inner = Arc::clone(inner);
        inner.clone().tasks.spawn(async move { keep_talking(&inner, session, stop, VecDeque::new()).await });
    }
}

/// Takes the place of whoever passes prompts on in a session. If it is taken, they are told to look once more.
fn sit_down(inner: &Inner, session: SessionId) -> Option<CancellationToken> {
    inner.at_desk(session, |desk| match &mut desk.chat {
        Some(chat) => {
            chat.again = true;
            None
        }
        None => {
            let stop = inner.stop.child_token();
            desk.chat = Some(Chat { stop: stop.clone(), again: false, killed: false });
            Some(stop)
        }
    })
}

/// Passes prompts on until none is left, and gives the place up in the same moment in which none is.
async fn keep_talking(
    inner: &Arc<Inner>,
    session: SessionId,
    mut stop: CancellationToken,
    mut left: VecDeque<ChatTurn>,
) {
    loop {
        let talking = talk(Arc::clone(inner), session, stop, std::mem::take(&mut left));
        // A task of its own, so that a panic does not leave the place taken.
        match tokio::spawn(talking).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::error!(%session, %error, "a prompt could not be passed on"),
            Err(panic) => tracing::error!(%session, %panic, "passing a prompt on failed"),
        }
        let again = inner.at_desk(session, |desk| match &mut desk.chat {
            // Who kills a session takes back what waits before they stop the rest: what waits now came later.
            Some(chat) if (chat.again || chat.stop.is_cancelled()) && !inner.closing.is_cancelled() => {
                *chat = Chat { stop: inner.stop.child_token(), again: false, killed: false };
                Some(chat.stop.clone())
            }
            Some(_) | None => {
                desk.chat = None;
                None
            }
        });
        match again {
            Some(fresh) => stop = fresh,
            None => return,
        }
    }
}

async fn talk(
    inner: Arc<Inner>,
    session: SessionId,
    stop: CancellationToken,
    left: VecDeque<ChatTurn>,
) -> Result<(), EngineError> {
    for turn in left {
        if !take(&inner, turn, &stop).await? {
            return Ok(());
        }
    }
    while !stop.is_cancelled() {
        let Some(turn) = next(&inner, session).await? else { return Ok(()) };
        if !take(&inner, turn, &stop).await? {
            return Ok(());
        }
    }
    Ok(())
}

/// The next prompt that waits, begun. None, where a run goes on or is about to by itself: it passes prompts on.
async fn next(inner: &Inner, session: SessionId) -> Result<Option<ChatTurn>, StoreError> {
    let _gate = inner.gate(session).await;
    let look = move |store: &dyn Store| {
        Ok((store.session(session)?, store.waiting(session)?, last_run(store, session)?))
    };
    let (known, waiting, last) = inner.read(look).await?;
    let run_sees_to_it = last.is_some_and(|run| run.ending.is_none_or(|ending| ending.resume_at.is_some()));
    let (Some(known), Some(waiting), false) = (known, waiting.into_iter().next(), run_sees_to_it) else {
        return Ok(None);
    };
    let attempt = AttemptId::from(Uuid::new_v4());
    let began = SessionEvent::ChatBegan { attempt, prompt: waiting.prompt };
    let began = Change::session(session, inner.now(), began);
    inner.keeper.commit(Commit { changes: vec![began] }).await?;
    Ok(Some(ChatTurn { attempt, known, waiting, left: None }))
}

/// Takes up the prompts outside of runs that an earlier engine left behind.
pub(super) async fn recover(inner: &Arc<Inner>, left: Vec<Left>) -> Result<(), EngineError> {
    let mut sessions = BTreeMap::<SessionId, VecDeque<ChatTurn>>::new();
    for Left { attempt, adoption } in left {
        let (session, Some(prompt)) = (attempt.session, attempt.prompt) else { continue };
        let found = inner.read(move |store| Ok((store.session(session)?, store.prompt(prompt)?))).await?;
        if let (Some(known), Some(waiting)) = found {
            let turn = ChatTurn { attempt: attempt.id, known, waiting, left: Some(adoption) };
            sessions.entry(session).or_default().push_back(turn);
        }
    }
    for (session, turns) in sessions {
        if let Some(stop) = sit_down(inner, session) {
            let inner = Arc::clone(inner);
            inner.clone().tasks.spawn(async move { keep_talking(&inner, session, stop, turns).await });
        }
    }
    for session in inner.read(Store::waiting_sessions).await? {
        go_on(inner, session);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use super::*;
    use crate::Catalog;
    use crate::agent::{Rehearsal, Script};
    use crate::engine::{Options, Shutdown};
    use crate::store::{Memory, NewSession};

    /// An engine in which somebody has said something, and this agent is about to hear it.
    async fn asked(place: &Path, agent: Rehearsal) -> (Arc<Inner>, SessionId) {
        let options = Options::new(Catalog::new(&[]), Arc::new(agent), Arc::new(Memory::default()), place);
        let inner = Inner::new(options).unwrap();
        let (id, prompt) = (SessionId::from(Uuid::from_u128(1)), PromptId::from(Uuid::from_u128(2)));
        let (name, directory, agent) = (String::new(), place.to_owned(), "rehearsal".to_owned());
        let begun = NewSession { id, name, directory, agent, system_prompt: None, at: 1 };
        let begun = Change::session(id, 1, SessionEvent::Began(begun));
        let changes = vec![begun, queued(id, prompt, "Hello?".to_owned(), 1)];
        inner.keeper.commit(Commit { changes }).await.unwrap();
        go_on(&inner, id);
        (inner, id)
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_killed_is_over_even_if_the_engine_goes_away_in_the_same_moment() {
        for killed in [true, false] {
            let place = tempfile::tempdir().unwrap();
            let (inner, id) = asked(place.path(), Rehearsal::new(Script::Slow)).await;
            tokio::time::sleep(Duration::from_secs(5)).await;
            assert_eq!(inner.store.open_attempts().unwrap().len(), 1, "the agent is at it");
            if killed {
                inner.stop_chat(id);
            }
            inner.shut_down(Shutdown::StopAgents).await;
            let left = inner.store.open_attempts().unwrap().len();
            assert_eq!(left, usize::from(!killed), "the next engine asks again only for what nobody killed");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn so_is_what_was_killed_while_it_waited_for_a_free_agent() {
        let place = tempfile::tempdir().unwrap();
        let (inner, id) = asked(place.path(), Rehearsal::new(Script::Slow)).await;
        let free = u32::try_from(inner.permits.available_permits()).unwrap();
        let _taken = Arc::clone(&inner.permits).acquire_many_owned(free).await.unwrap();
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert_eq!(inner.store.open_attempts().unwrap().len(), 1, "it waits");
        inner.stop_chat(id);
        inner.shut_down(Shutdown::StopAgents).await;
        assert_eq!(inner.store.open_attempts().unwrap(), []);
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_said_in_the_middle_of_a_kill_is_passed_on() {
        let place = tempfile::tempdir().unwrap();
        let (inner, id) = asked(place.path(), Rehearsal::default()).await;
        inner.stop_chat(id);
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert_eq!(inner.store.waiting(id).unwrap(), [], "somebody sees to it");
        assert_eq!(inner.store.session(id).unwrap().unwrap().messages, 2, "it is answered");
    }
}
