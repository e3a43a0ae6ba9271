//! One prompt outside of a run, from the agent's seat to what stands in the conversation.

use std::sync::Arc;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::drive::{Adoption, save};
use super::feed::Notice;
use super::inner::Inner;
use super::passages::Passages;
use super::turn::{self, Came, Prepared, SIGNS, Task};
use super::{failure, scratch, words};
use crate::agent::{Failure, Sign};
use crate::run::{AttemptId, SessionId, heard_before};
use crate::store::{Change, Commit, Entry, NewMessage, Role, Session, SessionEvent, StoreError, Waiting};

/// A turn outside of a run.
pub(super) struct ChatTurn {
    pub(super) attempt: AttemptId,
    pub(super) known: Session,
    pub(super) waiting: Waiting,
    /// What another engine left of it.
    pub(super) left: Option<Adoption>,
}

/// Takes the turn. `false` where it makes no sense to go on with the next: the engine goes away and the next one sees to
/// it, or the agent cannot be asked at all.
pub(super) async fn take(
    inner: &Arc<Inner>,
    chat: ChatTurn,
    stop: &CancellationToken,
) -> Result<bool, StoreError> {
    let ChatTurn { attempt, known, waiting, left } = chat;
    let session = known.id;
    let (mut came, mut passages) = ask(inner, attempt, &known, waiting.text.clone(), left, stop).await;
    if matches!(came, Came::Unknown) {
        // The last server was stopped while the agent was at it. It is asked again, and told so.
        (came, passages) = ask(inner, attempt, &known, heard_before(&waiting.text), None, stop).await;
    }
    let (text, opened, unheard) = match came {
        Came::Reply(reply) => (reply.text, true, false),
        Came::Failure(Failure::Left) => return Ok(false),
        // Where somebody has killed it, it is over, whatever becomes of the engine.
        Came::Failure(Failure::Stopped) if inner.closing.is_cancelled() && !inner.is_killed(session) => {
            return Ok(false);
        }
        Came::Failure(failure) if failure::is_unheard(&failure) => {
            (words::kept(&failure.to_string()), false, true)
        }
        Came::Failure(failure) => (words::unanswered(&failure.to_string()), false, false),
        Came::Unknown => (words::unanswered("nobody knows what became of it"), false, false),
        Came::Locked => (words::kept("another process works in this session"), false, true),
    };
    let saved = async {
        let at = inner.now();
        let is_told = opened && passages.end_with(inner, &text).await?;
        let message = (!is_told).then(|| message(session, Role::Assistant, text, at, Some(attempt)));
        let ended = SessionEvent::ChatEnded { attempt, answered: opened, requeued: unheard };
        let mut entries = vec![Entry { event: Some(ended), message }];
        if opened {
            entries.push(SessionEvent::Opened.into());
        }
        save(inner, Commit { changes: vec![Change::Session { session, at, entries }] }).await
    };
    let saved = saved.await;
    // Whoever waits for an answer is told also where it could not be saved; the next engine finds it again.
    inner.keeper.tell(Notice::ChatEnded { session, aborted: !opened || saved.is_err() });
    saved?;
    scratch::remove(&inner.options.data, attempt);
    Ok(!unheard)
}

/// Asks the agent, and says what came of it, and what it said meanwhile.
async fn ask(
    inner: &Arc<Inner>,
    attempt: AttemptId,
    known: &Session,
    prompt: String,
    left: Option<Adoption>,
    stop: &CancellationToken,
) -> (Came, Passages) {
    let (held, task) = match left {
        Some(Adoption { process, held }) => (held, Task::Recover(process)),
        None => (None, Task::Take),
    };
    let mut passages = Passages::new(known.id, attempt, None, &task);
    let agent = match inner.agent(Some(&known.agent)) {
        Ok(agent) => agent,
        Err(unknown) => {
            let refused = Failure::Refused { words: unknown.to_string() };
            return (Came::Failure(refused), passages);
        }
    };
    let _seat = tokio::select! {
        biased;
        // First: whoever only waits for a seat when the engine goes away has lost nothing.
        seat = inner.seat(known.id, agent.about().rehearsal, held) => match seat {
            Ok(seat) => seat,
            Err(_) if inner.is_killed(known.id) => return (Came::Failure(Failure::Stopped), passages),
            Err(came) => return (came, passages),
        },
        () = stop.cancelled() => return (Came::Failure(Failure::Stopped), passages),
    };
    let turn = inner.prepare(Prepared {
        attempt,
        session: known.id,
        opened: known.opened,
        prompt,
        model: None,
        system_prompt: known.system_prompt.clone(),
        directory: known.directory.clone(),
        budget_usd: None,
    });
    let (signs, heard) = mpsc::channel(SIGNS);
    let link = inner.link(signs, stop.clone());
    let came = listen(inner, attempt, &mut passages, turn::work(agent, turn, task, link), heard).await;
    (came, passages)
}

/// Waits for the agent, and writes down what it says meanwhile.
async fn listen(
    inner: &Inner,
    attempt: AttemptId,
    passages: &mut Passages,
    work: impl Future<Output = Came>,
    mut signs: mpsc::Receiver<Sign>,
) -> Came {
    let mut work = std::pin::pin!(work);
    loop {
        tokio::select! {
            biased;
            Some(sign) = signs.recv() => heard(inner, attempt, passages, sign).await,
            came = work.as_mut() => {
                // What the agent said last is still to be heard.
                while let Ok(sign) = signs.try_recv() {
                    heard(inner, attempt, passages, sign).await;
                }
                return came;
            }
        }
    }
}

async fn heard(inner: &Inner, attempt: AttemptId, passages: &mut Passages, sign: Sign) {
    match sign {
        Sign::Spawned { process, go } => {
            // Without the record the agent must not begin; dropping `go` ends its process.
            if turn::record_process(inner, attempt, process).await.is_ok() {
                let _ = go.send(());
            }
        }
        Sign::Said(text) => passages.said(inner, text).await,
        Sign::Spent { .. } | Sign::Used { .. } | Sign::Retrying { .. } => {}
    }
}

pub(super) fn message(
    session: SessionId,
    role: Role,
    text: String,
    at: u64,
    attempt: Option<AttemptId>,
) -> NewMessage {
    NewMessage { session, id: Uuid::new_v4(), role, text, at, attempt, run: None }
}
