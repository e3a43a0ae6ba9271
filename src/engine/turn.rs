//! One turn of one run: the agent is given a prompt and watched until it is done, while commands keep coming in.

use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::drive::{Adoption, Beginning, Driver, Halt, save};
use super::inner::{Command, Inner};
use super::journal::Spoken;
use super::passages::Passages;
use super::{crash, failure, scratch};
use crate::agent::{Agent, Failure, Fate, Link, Reply, Sign, Turn, TurnLimits};
use crate::run::{Ask, AttemptId, Input, SessionId, Todo};
use crate::store::{Change, Commit, Process};
use crate::{Exit, ExitReason};

/// How many signs of life may wait; an agent that has one more waits as well. They may be long, so there are not many.
pub(super) const SIGNS: usize = 16;

/// What an agent has to do about a turn.
pub(super) enum Task {
    /// To take it.
    Take,
    /// To find out what became of it, and to take it if it was never begun. With the process that was written down.
    Recover(Option<Process>),
}

/// A turn that is being taken.
type Working = Pin<Box<dyn Future<Output = Came> + Send>>;

/// What came of a turn.
pub(super) enum Came {
    Reply(Reply),
    Failure(Failure),
    /// Nobody knows how far the agent came before the last engine was killed.
    Unknown,
    /// Another process works in the session.
    Locked,
}

/// What a turn is watched with.
struct Watch {
    attempt: AttemptId,
    passages: Passages,
    /// When the agent began; not the time it waited for its seat.
    began: Option<Instant>,
    time_left: Option<Duration>,
    /// What the agent says it has spent, where it has no reply to say it with.
    cost_usd: Option<f64>,
    signs: mpsc::Receiver<Sign>,
}

impl Watch {
    fn took(&self) -> Duration {
        self.began.map_or(Duration::ZERO, |began| began.elapsed())
    }

    /// When the run's time is used up.
    fn deadline(&self) -> Option<Instant> {
        self.began?.checked_add(self.time_left?)
    }
}

/// Waits until then; for ever where there is no such time.
async fn time_is_up(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

/// What watching something came to.
enum Watched<T> {
    Done(T),
    /// The run ended first.
    Over(Todo),
}

impl Driver {
    /// Takes one turn, and says what to do after it.
    pub(super) async fn turn(&mut self, ask: Ask, beginning: Beginning) -> Result<Todo, Halt> {
        crash::point("after-intent");
        let stop = self.inner.stop.child_token();
        let (signs, heard) = mpsc::channel(SIGNS);
        let link = self.inner.link(signs, stop.clone());
        let (run, session, rehearsal) =
            (self.run.order().run, self.run.order().session, self.run.order().rehearsal);
        let (task, held) = match beginning {
            Beginning::Fresh => (Task::Take, None),
            Beginning::TakenUp(Adoption { process, held }) => (Task::Recover(process), held),
        };
        let attempt = ask.attempt;
        let passages = Passages::new(session, attempt, Some(run), &task);
        let (began, time_left, cost_usd) = (None, ask.time_left, None);
        let mut watch = Watch { attempt, passages, began, time_left, cost_usd, signs: heard };

        let inner = Arc::clone(&self.inner);
        let seat = std::pin::pin!(async move { inner.seat(session, rehearsal, held).await });
        let came = match self.watch(&mut watch, seat).await? {
            Watched::Over(todo) => return Ok(todo),
            Watched::Done(Err(came)) => came,
            Watched::Done(Ok(seat)) => {
                watch.began = Some(Instant::now());
                let mut work = self.work(&ask, task, link);
                let watched = self.watch(&mut watch, work.as_mut()).await;
                let came = match watched {
                    Ok(Watched::Done(came)) => came,
                    over => {
                        // The run is over, or cannot go on: its agent has nothing left to do.
                        self.leave_desk();
                        stop.cancel();
                        finish(work, &mut watch.signs).await;
                        if let Ok(Watched::Over(todo)) = over {
                            scratch::remove(&self.inner.options.data, attempt);
                            return Ok(todo);
                        }
                        return over.map(|_| Todo::End);
                    }
                };
                drop(seat);
                came
            }
        };
        crash::point("after-reply");
        self.conclude(watch, came).await
    }

    /// Tells the run what came of its turn.
    async fn conclude(&mut self, watch: Watch, came: Came) -> Result<Todo, Halt> {
        let took = watch.took();
        let Watch { attempt, passages, cost_usd: spent_usd, .. } = watch;
        let failed = |exit: Exit, failure: Option<&Failure>| {
            let resume_at = failure::resume_at(failure, &exit, self.inner.now());
            Input::Failed { attempt, exit, resume_at, cost_usd: spent_usd, took }
        };
        let todo = match came {
            Came::Reply(Reply { text, cost_usd, version, denied, .. }) => {
                let told = passages.end_with(&self.inner, &text).await.map_err(Halt::Unsaved)?;
                let input = Input::Replied { attempt, text: text.clone(), denied, cost_usd, version, took };
                let spoken = Spoken { text: &text, first: !self.conversation.opened, told };
                self.decide(input, Some(spoken)).await?
            }
            Came::Failure(Failure::Left) => return Err(Halt::Left),
            Came::Failure(failure) => {
                let input = failed(failure::exit(&failure), Some(&failure));
                self.decide(input, None).await?
            }
            Came::Unknown => {
                let words = "nobody knows how far the agent came with this step before the server stopped";
                let input = failed(Exit::because(ExitReason::Interrupted).describe(words), None);
                self.decide(input, None).await?
            }
            Came::Locked => {
                let words = format!("another process works in session {}", self.run.order().session);
                let input = failed(Exit::because(ExitReason::SessionLocked).describe(words), None);
                self.decide(input, None).await?
            }
        };
        scratch::remove(&self.inner.options.data, attempt);
        Ok(todo)
    }

    /// The agent's work on this turn, as a future that has not begun yet.
    fn work(&self, ask: &Ask, task: Task, link: Link) -> Working {
        let order = self.run.order();
        let agent = match self.inner.agent(Some(&order.agent)) {
            Ok(agent) => agent,
            Err(unknown) => {
                let failure =
                    Failure::CannotStart { path: PathBuf::from(&order.agent), why: unknown.to_string() };
                return Box::pin(async { Came::Failure(failure) });
            }
        };
        let turn = self.inner.prepare(Prepared {
            attempt: ask.attempt,
            session: order.session,
            opened: self.conversation.opened,
            prompt: ask.prompt.clone(),
            model: ask.model.clone(),
            system_prompt: self.conversation.system_prompt.clone(),
            directory: order.directory.clone(),
            budget_usd: ask.budget_left,
        });
        Box::pin(work(agent, turn, task, link))
    }

    /// Waits for something while commands keep coming in, and the agent shows signs of life.
    async fn watch<T>(
        &mut self,
        watch: &mut Watch,
        mut waited: Pin<&mut (impl Future<Output = T> + ?Sized)>,
    ) -> Result<Watched<T>, Halt> {
        loop {
            let deadline = watch.deadline();
            let todo = tokio::select! {
                biased;
                Some(command) = self.commands.recv() => self.obey(command, watch.took()).await?,
                Some(sign) = watch.signs.recv() => {
                    self.heard(watch, sign).await?;
                    Todo::Wait
                }
                () = time_is_up(deadline) => {
                    watch.time_left = None;
                    self.decide(Input::Elapsed { took: watch.took() }, None).await?
                }
                done = waited.as_mut() => {
                    // What the agent said last is still to be heard.
                    while let Ok(sign) = watch.signs.try_recv() {
                        self.heard(watch, sign).await?;
                    }
                    return Ok(Watched::Done(done));
                }
            };
            if !matches!(todo, Todo::Wait) {
                return Ok(Watched::Over(todo));
            }
        }
    }

    async fn obey(&mut self, command: Command, took: Duration) -> Result<Todo, Halt> {
        match command {
            Command::Cancel { exit, done } => {
                let todo = self.decide(Input::Cancelled { exit, took }, None).await?;
                if let Some(ending) = self.ending() {
                    let _ = done.send(ending);
                }
                Ok(todo)
            }
            Command::Prompt { prompt, text, done } => {
                let todo = self.decide(Input::Prompted { prompt, text }, None).await?;
                let _ = done.send(());
                Ok(todo)
            }
        }
    }

    async fn heard(&self, watch: &mut Watch, sign: Sign) -> Result<(), Halt> {
        match sign {
            Sign::Spawned { process, go } => {
                crash::point("after-spawn");
                record_process(&self.inner, watch.attempt, process).await?;
                crash::point("after-record");
                let _ = go.send(());
            }
            Sign::Said(text) => {
                watch.passages.said(&self.inner, text).await;
                crash::point("during-turn");
            }
            Sign::Spent { cost_usd } => watch.cost_usd = Some(cost_usd),
            Sign::Used { tool } => tracing::debug!(tool, "agent uses a tool"),
            Sign::Retrying { why } => tracing::info!(why, "agent's service asks for patience"),
        }
        Ok(())
    }
}

/// What is particular about one turn.
#[derive(Clone)]
pub(super) struct Prepared {
    pub(super) attempt: AttemptId,
    pub(super) session: SessionId,
    pub(super) opened: bool,
    pub(super) prompt: String,
    pub(super) model: Option<String>,
    pub(super) system_prompt: Option<String>,
    pub(super) directory: PathBuf,
    pub(super) budget_usd: Option<f64>,
}

impl Inner {
    pub(super) fn link(&self, signs: mpsc::Sender<Sign>, stop: CancellationToken) -> Link {
        Link { signs, stop, hurry: self.hurry.clone(), leave: self.leave.clone() }
    }

    pub(super) fn prepare(&self, prepared: Prepared) -> Turn {
        let Prepared { attempt, session, opened, prompt, model, system_prompt, directory, budget_usd } =
            prepared;
        let scratch = scratch::path(&self.options.data, attempt);
        let limits =
            TurnLimits { budget_usd: budget_usd.or(self.options.turn.budget_usd), ..self.options.turn };
        let (attempt, session) = (attempt.uuid(), session.uuid());
        Turn { attempt, session, opened, prompt, model, system_prompt, directory, scratch, limits }
    }
}

/// Takes the turn, or finds out what became of it where another engine left something of it.
pub(super) async fn work(agent: Arc<dyn Agent>, turn: Turn, task: Task, link: Link) -> Came {
    if let Task::Recover(process) = task {
        match agent.recover(turn.clone(), process.map(for_agent), link.clone()).await {
            Fate::NeverBegan => {}
            Fate::Ended(Ok(reply)) => return Came::Reply(reply),
            Fate::Ended(Err(failure)) => return Came::Failure(failure),
            Fate::Unknown => return Came::Unknown,
        }
    }
    match agent.turn(turn, link).await {
        Ok(reply) => Came::Reply(reply),
        Err(failure) => Came::Failure(failure),
    }
}

/// A process as it was written down, for the agent it belongs to.
pub(super) fn for_agent(Process { pid, started }: Process) -> crate::agent::Process {
    crate::agent::Process { pid, started }
}

/// Writes down which process works on an attempt, so that another engine could find it.
pub(super) async fn record_process(
    inner: &Inner,
    attempt: AttemptId,
    process: crate::agent::Process,
) -> Result<(), Halt> {
    let process = Process { pid: process.pid, started: process.started };
    let commit = Commit { changes: vec![Change::Spawned { attempt, process }] };
    save(inner, commit).await.map_err(Halt::Unsaved)
}

/// Waits for work that was told to stop. Nothing it still says matters.
async fn finish(mut work: Working, signs: &mut mpsc::Receiver<Sign>) {
    loop {
        tokio::select! {
            _ = work.as_mut() => return,
            Some(_) = signs.recv() => {}
        }
    }
}
