//! The loop of one run: do what it says, tell it what happened, write down what it decides, and so on until it ends.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tracing::Instrument;

use super::feed::Notice;
use super::inner::{Command, Driven, Inner};
use super::journal::{self, Page};
use super::{chat, crash, recover, schedule};
use crate::run::{AttemptId, Decision, Ending, Event, Input, Run, RunId, SessionId, Todo, abandon};
use crate::store::{Commit, StoreError};
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
    /// Whether the agent has answered in this session.
    pub(super) opened: bool,
    pub(super) commands: mpsc::Receiver<Command>,
}

/// How the loop begins.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Beginning {
    /// With a turn that was never begun.
    Fresh,
    /// With a turn that another engine may have begun.
    TakenUp,
}

/// Why the loop cannot go on, although the run has not ended.
#[derive(Debug)]
pub(super) enum Halt {
    /// What happened could not be written down.
    Unsaved(StoreError),
    /// The engine shuts down, and the next one takes the run up.
    Left,
}

/// Sets a run going. What it decided first is written down already.
pub(super) fn spawn(inner: &Arc<Inner>, run: Run, seq: u64, opened: bool, todo: Todo, beginning: Beginning) {
    let (sender, commands) = mpsc::channel(COMMANDS);
    let (id, session) = (run.order().run, run.order().session);
    let driven = Driven { run: id, commands: sender.clone() };
    inner.at_desk(session, |desk| desk.run = Some(driven));
    let span = tracing::info_span!("run", run = %id, %session, recipe = run.recipe().outline().id);
    let looping = Driver { inner: Arc::clone(inner), run, seq, opened, commands };
    let inner = Arc::clone(inner);
    inner.clone().tasks.spawn(async move {
        // A task of its own, so that a panic ends this run and nothing else.
        let driving = tokio::spawn(looping.drive(todo, beginning).instrument(span)).await;
        inner.at_desk(session, |desk| {
            // The same run may have been resumed already, while this loop was still stopping its agent.
            if desk.run.as_ref().is_some_and(|driven| driven.commands.same_channel(&sender)) {
                desk.run = None;
            }
        });
        match driving {
            Ok(Ok(())) => {}
            Ok(Err(Halt::Left)) => return,
            Ok(Err(Halt::Unsaved(error))) => return unsaved(&inner, id, session, &error).await,
            Err(panic) => recover::end_broken(&inner, id, &panic.to_string()).await,
        }
        // A run that goes on by itself passes on by itself what still waits.
        if !schedule::goes_on(&inner, id).await {
            chat::go_on(&inner, session);
        }
    });
}

impl Driver {
    async fn drive(mut self, mut todo: Todo, mut beginning: Beginning) -> Result<(), Halt> {
        while let Todo::Ask(ask) = todo {
            let span = tracing::info_span!("step", step = ask.step, attempt = %ask.attempt);
            todo = self.turn(ask, beginning).instrument(span).await?;
            beginning = Beginning::Fresh;
        }
        Ok(())
    }

    /// Tells the run what happened and writes down what it decides. Nothing is done about it before that.
    pub(super) async fn decide(
        &mut self,
        input: Input,
        reply: Option<(AttemptId, &str)>,
    ) -> Result<Todo, Halt> {
        let decision = self.run.handle(input, Inner::fresh());
        let successor = self.write(&decision, reply).await?;
        if let Some((run, first)) = successor {
            let seq = first.events.len() as u64;
            spawn(&self.inner, run, seq, false, first.todo, Beginning::Fresh);
        }
        Ok(decision.todo)
    }

    /// One transaction: what happened, what was said, and the beginning of the run that goes on after a restart.
    async fn write(
        &mut self,
        decision: &Decision,
        reply: Option<(AttemptId, &str)>,
    ) -> Result<Option<(Run, Decision)>, Halt> {
        if decision.events.is_empty() {
            return Ok(None);
        }
        let now = self.inner.now();
        let page =
            Page { order: self.run.order(), recipe: self.run.recipe().outline(), after: self.seq, now };
        let mut changes = page.changes(decision, reply);
        let successor = match &decision.todo {
            Todo::Restart(successor) => {
                let (run, first) = Run::start(successor.recipe, successor.order.clone(), Inner::fresh());
                changes.extend(journal::beginning(&run, &first, now));
                Some((run, first))
            }
            Todo::Ask(_) | Todo::Wait | Todo::End => None,
        };
        let commit = Commit { changes };
        crash::point("before-commit");
        save(&self.inner, commit).await.map_err(Halt::Unsaved)?;
        page.log(decision, reply);
        self.seq += decision.events.len() as u64;
        Ok(successor)
    }

    /// How the run ended; only for one that has.
    pub(super) fn ending(&self) -> Option<Ending> {
        self.run.ending().cloned()
    }
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

/// Tells that a run stopped because it could not be written down. It can be resumed once the store works again.
async fn unsaved(inner: &Inner, run: RunId, session: SessionId, error: &StoreError) {
    let exit = Exit::because(ExitReason::StorageError).describe(error.to_string());
    tracing::error!(%run, %session, %error, "{}", exit.category().log_prefix());
    let events = inner.read(move |store| store.events(run, 0, usize::MAX)).await.unwrap_or_default();
    if let Some(Event::Ended { ending, .. }) = abandon(events.iter().map(|recorded| &recorded.event), &exit) {
        inner.keeper.tell(Notice::Unsaved { run, session, ending: Arc::new(ending) });
    }
}
