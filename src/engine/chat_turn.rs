//! One prompt outside of a run, from the agent's seat to what stands in the conversation.

use std::sync::Arc;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::drive::{Adoption, save};
use super::feed::Notice;
use super::inner::Inner;
use super::turn::{self, Came, Prepared, Task};
use super::{failure, scratch, words};
use crate::agent::{Failure, Sign};
use crate::run::{AttemptId, SessionId, heard_before};
use crate::store::{Change, Commit, NewMessage, Role, Session, StoreError, Waiting};

/// How many signs of life may wait.
const SIGNS: usize = 64;

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
    let mut came = ask(inner, attempt, &known, waiting.text.clone(), left, stop).await;
    if matches!(came, Came::Unknown) {
        // The last server was stopped while the agent was at it. It is asked again, and told so.
        came = ask(inner, attempt, &known, heard_before(&waiting.text), None, stop).await;
    }
    let (text, opened, unheard) = match came {
        Came::Reply(reply) => (reply.text, true, false),
        Came::Failure(Failure::Left) => return Ok(false),
        Came::Failure(Failure::Stopped) if inner.closing.is_cancelled() => return Ok(false),
        Came::Failure(failure) if failure::is_unheard(&failure) => {
            (words::kept(&failure.to_string()), false, true)
        }
        Came::Failure(failure) => (words::unanswered(&failure.to_string()), false, false),
        Came::Unknown => (words::unanswered("nobody knows what became of it"), false, false),
        Came::Locked => (words::kept("another process works in this session"), false, true),
    };
    let mut changes = vec![
        message(session, Role::Assistant, text, inner.now(), Some(attempt)),
        Change::ChatEnded { attempt, unheard },
    ];
    if opened {
        changes.push(Change::Opened { session });
    }
    let saved = save(inner, Commit { changes }).await;
    // Whoever waits for an answer is told also where it could not be saved; the next engine finds it again.
    inner.keeper.tell(Notice::ChatEnded { session, aborted: !opened || saved.is_err() });
    saved?;
    scratch::remove(&inner.options.data, attempt);
    Ok(!unheard)
}

async fn ask(
    inner: &Arc<Inner>,
    attempt: AttemptId,
    known: &Session,
    prompt: String,
    left: Option<Adoption>,
    stop: &CancellationToken,
) -> Came {
    let agent = match inner.agent(Some(&known.agent)) {
        Ok(agent) => agent,
        Err(unknown) => return Came::Failure(Failure::Refused { words: unknown.to_string() }),
    };
    let (held, task) = match left {
        Some(Adoption { process, held }) => (held, Task::Recover(process)),
        None => (None, Task::Take),
    };
    let _seat = tokio::select! {
        biased;
        // First: whoever only waits for a seat when the engine goes away has lost nothing.
        seat = inner.seat(known.id, agent.about().rehearsal, held) => match seat {
            Ok(seat) => seat,
            Err(came) => return came,
        },
        () = stop.cancelled() => return Came::Failure(Failure::Stopped),
    };
    let turn = inner.prepare(Prepared {
        attempt,
        session: known.id,
        opened: known.opened,
        prompt,
        model: None,
        directory: known.directory.clone(),
        budget_usd: None,
    });
    let (signs, heard) = mpsc::channel(SIGNS);
    let link = inner.link(signs, stop.clone());
    listen(inner, attempt, known.id, turn::work(agent, turn, task, link), heard).await
}

/// Waits for the agent, and passes on what it says meanwhile.
async fn listen(
    inner: &Inner,
    attempt: AttemptId,
    session: SessionId,
    work: impl Future<Output = Came>,
    mut heard: mpsc::Receiver<Sign>,
) -> Came {
    let mut work = std::pin::pin!(work);
    loop {
        tokio::select! {
            came = work.as_mut() => return came,
            Some(sign) = heard.recv() => match sign {
                Sign::Spawned { process, go } => {
                    // Without the record the agent must not begin; dropping `go` ends its process.
                    if turn::record_process(inner, attempt, process).await.is_ok() {
                        let _ = go.send(());
                    }
                }
                Sign::Said(text) => {
                    inner.keeper.tell(Notice::Saying { session, attempt, text: text.into() });
                }
                Sign::Spent { .. } | Sign::Used { .. } | Sign::Retrying { .. } => {}
            }
        }
    }
}

pub(super) fn message(
    session: SessionId,
    role: Role,
    text: String,
    at: u64,
    attempt: Option<AttemptId>,
) -> Change {
    Change::Message(NewMessage { session, id: Uuid::new_v4(), role, text, at, attempt, run: None })
}
