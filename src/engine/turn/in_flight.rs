//! The turn in flight: waiting for a permit, then the agent at work, until it ends.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, Span};

use super::directory;
use super::directory::DirectoryError;
use super::scratch;
use super::session_lock;
use super::session_lock::{NotLocked, SessionLock};
use super::streamed::StreamedMessages;
use crate::agent::{Agent, Failure, Fate, Link, Reply, Sign, Turn, TurnLimits};
use crate::engine::blocking::unblocked;
use crate::engine::shared::Shared;
use crate::engine::spans;
use crate::process::{self, Limits, Mark};
use crate::run::{AttemptId, SessionId};
use crate::session::{Process, TurnOrigin, TurnRequest};

/// How many signs of life may be queued; an agent that has one more waits. They may be long, so there are not many.
const MAX_QUEUED_SIGNS: usize = 16;

/// A turn that a session's driver takes.
pub(in crate::engine) struct InFlight {
    pub(in crate::engine) request: Box<TurnRequest>,
    pub(in crate::engine) streamed: StreamedMessages,
    /// What the agent says it has spent, where it has no reply to say it with.
    pub(in crate::engine) cost_usd: Option<f64>,
    /// Whether its end is not an input any more, and if so, whether what it wrote is kept to be adopted later.
    pub(in crate::engine) discarded: Option<Kept>,
    pub(in crate::engine) span: Span,
    shared: Arc<Shared>,
    session: SessionId,
    stop: CancellationToken,
    leave: CancellationToken,
    signs: mpsc::Receiver<Sign>,
    /// The agent's end of the line, until it is asked.
    link: Option<Link>,
    phase: Phase,
    /// When the agent began; the time it waited for its permit does not count.
    began: Option<Instant>,
    time_left: Option<Duration>,
}

/// Whether what a discarded turn wrote is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::engine) enum Kept {
    No,
    Yes,
}

enum Phase {
    Seating(Pin<Box<dyn Future<Output = Result<Seat, NoReply>> + Send>>),
    /// The seat is kept until the agent is done.
    Working {
        work: JoinHandle<TurnResult>,
        _seat: Seat,
    },
}

/// What a turn needs before the agent may be asked. Dropping it lets other sessions have their turn.
struct Seat {
    /// `None` where the agent may be at work already, beyond what is allowed.
    permit: Option<OwnedSemaphorePermit>,
    _lock: Option<SessionLock>,
    agent: Arc<dyn Agent>,
}

/// What came of a turn.
pub(in crate::engine) type TurnResult = Result<Reply, NoReply>;

/// Why there is no reply.
pub(in crate::engine) enum NoReply {
    Failure(Failure),
    /// It is not known how far the agent came before the last engine was killed.
    Unknown,
    /// Another process works in the session.
    Locked,
    /// The working directory cannot be worked in any more.
    Directory(DirectoryError),
    /// The agent's code panicked.
    Panicked(String),
}

/// Something that a turn brings about.
pub(in crate::engine) enum TurnEvent {
    Sign(Sign),
    /// The time that the run may take is used up.
    TimeIsUp,
    Ended(TurnResult),
}

impl InFlight {
    pub(in crate::engine) fn new(
        shared: &Arc<Shared>,
        session: SessionId,
        request: Box<TurnRequest>,
        permit: Option<OwnedSemaphorePermit>,
    ) -> Self {
        let span = spans::of_turn(session, &request);
        let stop = shared.stop.child_token();
        let (signs, heard) = mpsc::channel(MAX_QUEUED_SIGNS);
        let leave = CancellationToken::new();
        let link = Link { signs, stop: stop.clone(), hurry: shared.hurry.clone(), leave: leave.clone() };
        let adopted = matches!(request.origin, TurnOrigin::Adopted(_));
        let seating = seat(Arc::clone(shared), session, request.clone(), permit);
        Self {
            streamed: StreamedMessages::new(session, request.attempt, adopted),
            cost_usd: None,
            discarded: None,
            phase: Phase::Seating(Box::pin(seating.instrument(span.clone()))),
            span,
            shared: Arc::clone(shared),
            session,
            stop,
            leave,
            signs: heard,
            link: Some(link),
            began: None,
            time_left: request.time_left,
            request,
        }
    }

    /// The next thing that it brings about.
    pub(in crate::engine) async fn next(&mut self) -> TurnEvent {
        loop {
            let deadline = self.began.and_then(|began| began.checked_add(self.time_left?));
            let progress = tokio::select! {
                biased;
                Some(sign) = self.signs.recv() => return TurnEvent::Sign(sign),
                () = time_is_up(deadline) => {
                    self.time_left = None;
                    return TurnEvent::TimeIsUp;
                }
                progress = self.phase.progress() => progress,
            };
            match progress {
                Progress::Seated(seat) => self.work(seat),
                Progress::Ended(result) => return TurnEvent::Ended(result),
            }
        }
    }

    /// A sign that the agent showed before it ended.
    pub(in crate::engine) fn last_sign(&mut self) -> Option<Sign> {
        self.signs.try_recv().ok()
    }

    /// Whether its process, if there is one, is this driver's: not one that has still to be adopted.
    pub(in crate::engine) fn is_own(&self) -> bool {
        matches!(self.phase, Phase::Working { .. }) || self.request.origin == TurnOrigin::New
    }

    /// How long the agent has worked.
    pub(in crate::engine) fn took(&self) -> Duration {
        self.began.map_or(Duration::ZERO, |began| began.elapsed())
    }

    /// Whether its agent can be left to itself: not one that is being stopped.
    pub(in crate::engine) fn can_be_left(&self) -> bool {
        self.discarded.is_none() && !self.leave.is_cancelled()
    }

    /// Leaves the agent to itself.
    pub(in crate::engine) fn leave(&self) {
        self.leave.cancel();
    }

    /// Stops the agent. Whatever comes of the turn does not matter any more. `false` where the agent was never asked, so
    /// that there is nothing to wait for.
    pub(in crate::engine) fn discard(&mut self, kept: Kept) -> bool {
        self.stop.cancel();
        self.discarded = Some(kept);
        matches!(self.phase, Phase::Working { .. })
    }

    /// Has the agent begin.
    fn work(&mut self, seat: Seat) {
        let Some(link) = self.link.take() else { return };
        self.began = Some(Instant::now());
        let turn = prepare(&self.shared, self.session, &self.request);
        let origin = self.request.origin.clone();
        let needs_permit = seat.permit.is_none();
        let work = work(Arc::clone(&self.shared), Arc::clone(&seat.agent), turn, origin, needs_permit, link);
        // A task of its own, so that a panic of the agent's code ends this turn and nothing else.
        let work = tokio::spawn(work.instrument(self.span.clone()));
        self.phase = Phase::Working { work, _seat: seat };
    }
}

enum Progress {
    Seated(Seat),
    Ended(TurnResult),
}

impl Phase {
    async fn progress(&mut self) -> Progress {
        match self {
            Self::Seating(seating) => match seating.await {
                Ok(seat) => Progress::Seated(seat),
                Err(why) => Progress::Ended(Err(why)),
            },
            Self::Working { work, .. } => {
                Progress::Ended(work.await.unwrap_or_else(|panic| Err(NoReply::Panicked(panic.to_string()))))
            }
        }
    }
}

/// Waits until then; for ever where there is no such time.
async fn time_is_up(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

/// Waits until one more agent may work, and makes sure that this one may: here, and in this directory.
async fn seat(
    shared: Arc<Shared>,
    session: SessionId,
    request: Box<TurnRequest>,
    permit: Option<OwnedSemaphorePermit>,
) -> Result<Seat, NoReply> {
    let agent = match shared.agent(Some(&request.agent)) {
        Ok(agent) => agent,
        Err(unknown) => {
            if let TurnOrigin::Adopted(process) = request.origin {
                // Nothing hears what it replies, so it must not work on.
                stop_process(&shared, request.attempt, process).await;
            }
            let (path, why) = (request.agent.into(), unknown.to_string());
            return Err(NoReply::Failure(Failure::CannotStart { path, why }));
        }
    };
    // An agent that may be at work already is not kept waiting, and works where it works.
    let at_work = matches!(request.origin, TurnOrigin::Adopted(Some(_)));
    let permit = match permit {
        Some(permit) => Some(permit),
        None if at_work => shared.try_permit(),
        None => Some(shared.permit().await.ok_or(NoReply::Failure(Failure::Left))?),
    };
    if !at_work {
        check_directory(&shared, request.directory).await?;
    }
    // A rehearsal touches nothing that another process could be in the middle of. Locked on this thread: a turn that is given
    // up while another thread locks would keep the next one out.
    let locked =
        if agent.about().rehearsal { Ok(None) } else { lock(&shared.options.locks, session).map(Some) };
    match (locked, request.origin) {
        (Ok(lock), _) => Ok(Seat { permit, _lock: lock, agent }),
        (Err(why), TurnOrigin::Adopted(process)) => {
            // Nothing watches it from here on, so it must not work on.
            stop_process(&shared, request.attempt, process).await;
            Err(why)
        }
        (Err(why), TurnOrigin::New) => Err(why),
    }
}

/// Whether the agent may still work in its directory.
async fn check_directory(shared: &Arc<Shared>, directory: PathBuf) -> Result<(), NoReply> {
    let shared = Arc::clone(shared);
    let check = move || directory::is_still(&directory, &shared.options.all_roots());
    unblocked(check).await.map_err(NoReply::Directory)
}

fn lock(locks: &Path, session: SessionId) -> Result<SessionLock, NoReply> {
    session_lock::lock(locks, session.uuid()).map_err(|error| match error {
        NotLocked::Held => NoReply::Locked,
        NotLocked::Failed(error) => NoReply::Failure(Failure::Refused {
            words: format!("session locks cannot be made in `{}`: {error}", locks.display()),
        }),
    })
}

/// Stops a process that nothing watches any more.
pub(in crate::engine) async fn stop_process(shared: &Shared, attempt: AttemptId, found: Option<Process>) {
    let mark = Mark::new(attempt.uuid());
    process::stop(found.map(for_agent), mark, &Limits::default(), &shared.hurry).await;
}

/// The turn as the agent gets it.
fn prepare(shared: &Shared, session: SessionId, request: &TurnRequest) -> Turn {
    let options = &shared.options;
    Turn {
        attempt: request.attempt.uuid(),
        session: session.uuid(),
        opened: request.opened,
        prompt: request.prompt.clone(),
        model: request.model.clone(),
        system_prompt: request.system_prompt.clone(),
        directory: request.directory.clone(),
        scratch: scratch::path(&options.data, request.attempt),
        limits: TurnLimits { budget_usd: request.budget_left.or(options.turn.budget_usd), ..options.turn },
    }
}

/// Takes the turn, or finds out what became of it where another engine left something of it.
async fn work(
    shared: Arc<Shared>,
    agent: Arc<dyn Agent>,
    turn: Turn,
    origin: TurnOrigin,
    needs_permit: bool,
    link: Link,
) -> TurnResult {
    // Held until the agent is done.
    let mut _permit = None;
    if let TurnOrigin::Adopted(process) = origin {
        match agent.recover(turn.clone(), process.map(for_agent), link.clone()).await {
            Fate::NeverBegan => {}
            Fate::Ended(ended) => return ended.map_err(NoReply::Failure),
            Fate::Unknown => return Err(NoReply::Unknown),
        }
        // An agent is about to begin after all.
        if needs_permit {
            _permit = Some(late_permit(&shared, &link).await?);
        }
        check_directory(&shared, turn.directory.clone()).await?;
    }
    agent.turn(turn, link).await.map_err(NoReply::Failure)
}

/// Waits for a permit while the turn may be stopped or left.
async fn late_permit(shared: &Shared, link: &Link) -> Result<OwnedSemaphorePermit, NoReply> {
    tokio::select! {
        biased;
        () = link.stop.cancelled() => Err(NoReply::Failure(Failure::StoppedBeforePrompt)),
        () = link.leave.cancelled() => Err(NoReply::Failure(Failure::Left)),
        permit = shared.permit() => permit.ok_or(NoReply::Failure(Failure::Left)),
    }
}

/// A process as it was persisted, for the agent it belongs to.
pub(in crate::engine) fn for_agent(Process { pid, started }: Process) -> crate::agent::Process {
    crate::agent::Process { pid, started }
}
