//! The loop of one run: do what it says, tell it what happened, write down what it decides, and so on until it ends.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tracing::Instrument;
use uuid::Uuid;

use super::feed::Notice;
use super::inner::{Command, Driven, Inner};
use super::journal::{self, Page, Spoken};
use super::seat::Held;
use super::{chat, crash, recover, schedule};
use crate::run::{Decision, Ending, Input, Run, Todo};
use crate::store::{Change, Commit, Process, Session, SessionEvent, StoreError};
use crate::{Exit, ExitReason};

/// How many commands may wait for a run; whoever has one more waits as well.
const COMMANDS: usize = 16;

/// How long to wait before a commit that failed is tried once more, each time.
const PATIENCE: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(1)];

/// A run that goes on.
pub(super) struct Driver {
    pub(super) inner: Arc<Inner>,
    pub(super) run: Run,
    /// The number of the last event that is written down.
    pub(super) seq: u64,
    pub(super) conversation: Conversation,
    pub(super) commands: mpsc::Receiver<Command>,
    /// The other end of that, by which its desk knows this loop.
    desk: mpsc::Sender<Command>,
}

/// What an agent has to know about the session that it works in.
#[derive(Default)]
pub(super) struct Conversation {
    /// Whether the agent has answered in it.
    pub(super) opened: bool,
    /// What the agent is told beside every prompt.
    pub(super) system_prompt: Option<String>,
}

impl Conversation {
    /// That of a session, or one that only begins.
    pub(super) fn of(session: Option<Session>) -> Self {
        let known =
            session.map(|session| Self { opened: session.opened, system_prompt: session.system_prompt });
        known.unwrap_or_default()
    }
}

/// How the loop begins.
pub(super) enum Beginning {
    /// With a turn that was never begun.
    Fresh,
    /// With a turn that another engine may have begun.
    TakenUp(Adoption),
}

/// What another engine left of a turn.
#[derive(Default)]
pub(super) struct Adoption {
    /// The process that was written down for it.
    pub(super) process: Option<Process>,
    /// Its place among the agents that work, taken before anybody else can: that process may still work.
    pub(super) held: Option<Held>,
}

/// Why the loop cannot go on, although the run has not ended.
#[derive(Debug)]
pub(super) enum Halt {
    /// What happened could not be written down.
    Unsaved(StoreError),
    /// The engine shuts down, and the next one takes the run up.
    Left,
}

/// Sets a run going. What it decided first is written down, and the session's gate is held.
///
/// A loop of the same run that is still on the desk is about to leave it, if the run was resumed; if it is taken up, that
/// loop drives it already, and one is enough.
pub(super) fn spawn(
    inner: &Arc<Inner>,
    run: Run,
    seq: u64,
    conversation: Conversation,
    todo: Todo,
    beginning: Beginning,
) {
    let (desk, commands) = mpsc::channel(COMMANDS);
    let (id, session) = (run.order().run, run.order().session);
    let driven = Driven { run: id, commands: desk.clone() };
    let goes_already = inner.at_desk(session, |at| match &at.run {
        Some(driven) if driven.run == id && matches!(beginning, Beginning::TakenUp(_)) => true,
        Some(_) | None => {
            at.run = Some(driven);
            false
        }
    });
    if goes_already {
        return;
    }
    // Whoever was told that it stopped is told that it goes on, before anything happens in it.
    if inner.forget_unsaved(id) {
        inner.keeper.tell(Notice::TakenUp { run: id, session });
    }
    let span = tracing::info_span!("run", run = %id, %session, recipe = run.recipe().outline().id);
    let looping = Driver { inner: Arc::clone(inner), run, seq, conversation, commands, desk: desk.clone() };
    let inner = Arc::clone(inner);
    inner.clone().tasks.spawn(async move {
        // A task of its own, so that a panic ends this run and nothing else.
        let driving = tokio::spawn(looping.drive(todo, beginning).instrument(span)).await;
        inner.leave_desk(session, &desk);
        match driving {
            // A run that goes on by itself passes on by itself what still waits.
            Ok(Driving::Ended { resume_at: Some(at) }) => schedule::resume_later(&inner, id, session, at),
            Ok(Driving::Ended { resume_at: None }) => chat::go_on(&inner, session),
            Ok(Driving::Left) => {}
            Ok(Driving::Unsaved(ending)) => inner.tell_unsaved(id, session, *ending),
            Err(panic) => {
                recover::end_broken(&inner, id, &panic.to_string()).await;
                chat::go_on(&inner, session);
            }
        }
    });
}

/// How a loop came to its end.
enum Driving {
    /// With its run, which may go on by itself.
    Ended { resume_at: Option<u64> },
    /// The engine shuts down, and the next one takes the run up.
    Left,
    /// The run could not be written down; this is how it would have been.
    Unsaved(Box<Ending>),
}

impl Driver {
    async fn drive(mut self, mut todo: Todo, mut beginning: Beginning) -> Driving {
        while let Todo::Ask(ask) = todo {
            let span = tracing::info_span!("step", step = ask.step, attempt = %ask.attempt);
            let begin = std::mem::replace(&mut beginning, Beginning::Fresh);
            todo = match self.turn(ask, begin).instrument(span).await {
                Ok(todo) => todo,
                Err(Halt::Left) => return Driving::Left,
                Err(Halt::Unsaved(error)) => {
                    let exit = Exit::because(ExitReason::StorageError).describe(error.to_string());
                    tracing::error!(%error, "{}", exit.category().log_prefix());
                    return Driving::Unsaved(Box::new(self.run.ending_with(&exit)));
                }
            };
        }
        Driving::Ended { resume_at: self.run.ending().and_then(|ending| ending.resume_at) }
    }

    /// Hears nothing more: the run is over, while its agent may still have to be stopped.
    pub(super) fn leave_desk(&mut self) {
        self.inner.leave_desk(self.run.order().session, &self.desk);
        // Whoever has just said something is told at once that nobody hears it.
        self.commands.close();
        while self.commands.try_recv().is_ok() {}
    }

    /// Tells the run what happened and writes down what it decides. Nothing is done about it before that.
    pub(super) async fn decide(&mut self, input: Input, reply: Option<Spoken<'_>>) -> Result<Todo, Halt> {
        let decision = self.run.handle(input, Inner::fresh());
        crash::point("before-commit");
        self.seq = write(&self.inner, &self.run, self.seq, &decision, reply).await.map_err(Halt::Unsaved)?;
        self.conversation.opened |= reply.is_some();
        Ok(decision.todo)
    }

    /// How the run ended; only for one that has.
    pub(super) fn ending(&self) -> Option<Ending> {
        self.run.ending().cloned()
    }
}

/// Writes down what was decided about a run, and sets the run going that continues it after a restart. Gives the number of
/// the run's last event.
///
/// All of it is one transaction: what happened, what was said, and how the next run begins.
pub(super) async fn write(
    inner: &Arc<Inner>,
    run: &Run,
    seq: u64,
    decision: &Decision,
    reply: Option<Spoken<'_>>,
) -> Result<u64, StoreError> {
    if decision.events.is_empty() {
        return Ok(seq);
    }
    let now = inner.now();
    let page = Page { order: run.order(), recipe: run.recipe().outline(), after: seq, now };
    let mut changes = page.changes(decision, reply);
    let mut next = None;
    if let Todo::Restart(successor) = &decision.todo {
        let gate = inner.gate(successor.order.session).await;
        let said = successor.said.iter().map(|text| (Uuid::new_v4().into(), text.clone()));
        let (next_run, first) =
            Run::start_after(successor.recipe, successor.order.clone(), said, Inner::fresh());
        let last = run.order().session;
        let prompts = run.waiting().map(|(prompt, _)| prompt).collect();
        changes.push(Change::session(last, now, SessionEvent::PromptsWithdrawn { prompts }));
        // What the agent is told beside its prompts goes on with the work.
        let system_prompt =
            Conversation::of(inner.read(move |store| store.session(last)).await?).system_prompt;
        changes.extend(journal::beginning(&next_run, &first, system_prompt.clone(), now));
        next = Some((next_run, first, Conversation { opened: false, system_prompt }, gate));
    }
    save(inner, Commit { changes }).await?;
    page.log(decision, reply);
    if let Some((next_run, first, conversation, gate)) = next {
        journal::log_beginning(&next_run, &first);
        let seq = first.events.len() as u64;
        spawn(inner, next_run, seq, conversation, first.todo, Beginning::Fresh);
        drop(gate);
    }
    Ok(seq + decision.events.len() as u64)
}

/// Writes it down, with some patience for a disk that is busy or full.
pub(super) async fn save(inner: &Inner, commit: Commit) -> Result<(), StoreError> {
    for wait in PATIENCE {
        match inner.keeper.commit(commit.clone()).await {
            Ok(_) => return Ok(()),
            Err(error) if !error.may_pass() => return Err(error),
            Err(error) => {
                tracing::warn!(%error, "could not write to the store, trying again");
                tokio::time::sleep(wait).await;
            }
        }
    }
    inner.keeper.commit(commit).await.map(|_| ())
}
