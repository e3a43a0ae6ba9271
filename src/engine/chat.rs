//! Prompts outside of a run: one after the other, each a turn of its own.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::EngineError;
use super::drive::{Beginning, save};
use super::feed::Notice;
use super::inner::{Chat, Command, Inner};
use super::turn::{self, Came, Prepared};
use super::{scratch, words};
use crate::agent::{Failure, Sign};
use crate::run::{AttemptId, PromptId, SessionId};
use crate::store::{Change, Commit, NewMessage, Process, Role, Session, Store, Waiting};

/// How many signs of life may wait.
const SIGNS: usize = 64;

/// Says something to a session's agent.
pub(super) async fn prompt(
    inner: &Arc<Inner>,
    session: SessionId,
    text: String,
) -> Result<PromptId, EngineError> {
    if inner.closing.is_cancelled() {
        return Err(EngineError::ShuttingDown);
    }
    let prompt = PromptId::from(Uuid::new_v4());
    if let Some((_, commands)) = inner.driven(session) {
        let (done, queued) = oneshot::channel();
        let command = Command::Prompt { prompt, text: text.clone(), done };
        if commands.send(command).await.is_ok() && queued.await.is_ok() {
            return Ok(prompt);
        }
        // The run ended in the meantime, so there is nothing to wait for.
    }
    inner.read(move |store| store.session(session)).await?.ok_or(EngineError::NoSession(session))?;
    let at = inner.now();
    let said = message(session, Role::User, text.clone(), at, None);
    let changes = vec![Change::Queued { prompt, session, text, at }, said];
    inner.keeper.commit(Commit { changes }).await?;
    go_on(inner, session);
    Ok(prompt)
}

/// Gives the agent what waits for it, unless a run does so.
pub(super) fn go_on(inner: &Arc<Inner>, session: SessionId) {
    if inner.closing.is_cancelled() {
        return;
    }
    // A run that goes on calls for somebody when it ends.
    if inner.driven(session).is_some() {
        return;
    }
    if let Some(stop) = sit_down(inner, session) {
        let inner = Arc::clone(inner);
        inner.clone().tasks.spawn(async move { keep_talking(&inner, session, stop).await });
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
            desk.chat = Some(Chat { stop: stop.clone(), again: false });
            Some(stop)
        }
    })
}

/// Passes prompts on until none is left, and gives the place up in the same moment in which none is.
async fn keep_talking(inner: &Arc<Inner>, session: SessionId, mut stop: CancellationToken) {
    loop {
        // A task of its own, so that a panic does not leave the place taken.
        match tokio::spawn(talk(Arc::clone(inner), session, stop.clone())).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::error!(%session, %error, "a prompt could not be passed on"),
            Err(panic) => tracing::error!(%session, %panic, "passing a prompt on failed"),
        }
        let again = inner.at_desk(session, |desk| match &mut desk.chat {
            Some(chat) if chat.again && !inner.closing.is_cancelled() => {
                *chat = Chat { stop: inner.stop.child_token(), again: false };
                Some(chat.stop.clone())
            }
            _ => {
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

async fn talk(inner: Arc<Inner>, session: SessionId, stop: CancellationToken) -> Result<(), EngineError> {
    loop {
        let waits = inner.read(move |store| Ok((store.session(session)?, store.waiting(session)?))).await?;
        let (Some(known), Some(next)) = (waits.0, waits.1.into_iter().next()) else { return Ok(()) };
        // A run passes on what was said to it by itself.
        if known.run.is_some() || stop.is_cancelled() {
            return Ok(());
        }
        let attempt = AttemptId::from(Uuid::new_v4());
        let began = Change::ChatBegan { attempt, session, prompt: next.prompt, at: inner.now() };
        inner.keeper.commit(Commit { changes: vec![began] }).await?;
        let turn = ChatTurn { attempt, known, waiting: next, process: None, beginning: Beginning::Fresh };
        if !take(&inner, turn, &stop).await? {
            return Ok(());
        }
    }
}

/// A turn outside of a run.
struct ChatTurn {
    attempt: AttemptId,
    known: Session,
    waiting: Waiting,
    process: Option<Process>,
    beginning: Beginning,
}

/// Takes the turn. `false` where the engine goes away and the next one has to see to it.
async fn take(inner: &Arc<Inner>, chat: ChatTurn, stop: &CancellationToken) -> Result<bool, EngineError> {
    let ChatTurn { attempt, known, waiting, process, beginning } = chat;
    let session = known.id;
    let came = ask(inner, attempt, &known, waiting.text, process, beginning, stop).await?;
    let (text, opened) = match came {
        Came::Reply(reply) => (reply.text, true),
        Came::Failure(Failure::Left) => return Ok(false),
        Came::Failure(failure) => (words::unanswered(&failure.to_string()), false),
        Came::Unknown => (words::unanswered("the server stopped while the agent was working on it"), false),
        Came::Locked => (words::unanswered("another process works in this session"), false),
    };
    let mut changes = vec![
        message(session, Role::Assistant, text, inner.now(), Some(attempt)),
        Change::ChatEnded { attempt },
    ];
    if opened {
        changes.push(Change::Opened { session });
    }
    save(inner, Commit { changes }).await?;
    scratch::remove(&inner.options.data, attempt);
    inner.keeper.tell(Notice::ChatEnded { session, aborted: !opened });
    Ok(true)
}

async fn ask(
    inner: &Arc<Inner>,
    attempt: AttemptId,
    known: &Session,
    prompt: String,
    process: Option<Process>,
    beginning: Beginning,
    stop: &CancellationToken,
) -> Result<Came, EngineError> {
    let agent = match inner.agent(Some(&known.agent)) {
        Ok(agent) => agent,
        Err(unknown) => return Ok(Came::Failure(Failure::Refused { words: unknown.to_string() })),
    };
    let session = known.id;
    let _seat = tokio::select! {
        () = stop.cancelled() => return Ok(Came::Failure(Failure::Stopped)),
        seat = inner.seat(session, agent.about().rehearsal) => match seat {
            Ok(seat) => seat,
            Err(came) => return Ok(came),
        },
    };
    let (signs, mut heard) = mpsc::channel(SIGNS);
    let turn = inner.prepare(Prepared {
        attempt,
        session,
        opened: known.opened,
        prompt,
        model: None,
        directory: known.directory.clone(),
        budget_usd: None,
    });
    let link = inner.link(signs, stop.clone());
    let mut work = std::pin::pin!(turn::work(agent, turn, process, beginning, link));
    loop {
        tokio::select! {
            came = work.as_mut() => return Ok(came),
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
                Sign::Used { .. } | Sign::Retrying { .. } => {}
            }
        }
    }
}

/// Takes up the prompts outside of runs that an earlier engine left behind.
pub(super) async fn recover(inner: &Arc<Inner>) -> Result<(), EngineError> {
    let left = inner.read(Store::open_attempts).await?;
    for open in left.into_iter().filter(|attempt| attempt.run.is_none()) {
        let (session, Some(prompt)) = (open.session, open.prompt) else { continue };
        let left = inner.read(move |store| Ok((store.session(session)?, store.prompt(prompt)?))).await?;
        let (Some(known), Some(waiting)) = left else { continue };
        let beginning = Beginning::TakenUp;
        let turn = ChatTurn { attempt: open.id, known, waiting, process: open.process, beginning };
        let Some(stop) = sit_down(inner, session) else { continue };
        let inner = Arc::clone(inner);
        inner.clone().tasks.spawn(async move {
            match take(&inner, turn, &stop).await {
                Ok(true) => keep_talking(&inner, session, stop).await,
                // The engine goes away, and the next one takes it up.
                Ok(false) => {}
                Err(error) => {
                    tracing::error!(%session, %error, "a prompt could not be taken up again");
                    inner.at_desk(session, |desk| desk.chat = None);
                }
            }
        });
    }
    for session in inner.read(Store::waiting_sessions).await? {
        go_on(inner, session);
    }
    Ok(())
}

fn message(session: SessionId, role: Role, text: String, at: u64, attempt: Option<AttemptId>) -> Change {
    Change::Message(NewMessage { session, id: Uuid::new_v4(), role, text, at, attempt, run: None })
}
