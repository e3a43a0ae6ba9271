//! The job in flight: waiting for what it needs, then at work, until it ends.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, Span};

use super::checks;
use super::job::Job;
use super::result::{JobEnd, NoReply};
use super::seat::{Seat, seat};
use super::streamed::StreamedMessages;
use super::work;
use crate::agent::{Link, Sign};
use crate::engine::shared::Shared;
use crate::engine::spans;
use crate::run::{SessionId, ToolRefusal, TreeState};
use crate::session::TurnOrigin;

/// How many signs of life may be queued; an agent that has one more waits. They may be long, so there are not many.
const MAX_QUEUED_SIGNS: usize = 16;

/// A job that a session's driver has in flight.
pub(in crate::engine) struct InFlight {
    pub(in crate::engine) job: Job,
    pub(in crate::engine) streamed: StreamedMessages,
    /// What the agent says it has spent, where it has no reply to say it with.
    pub(in crate::engine) cost_usd: Option<f64>,
    /// The tools that the agent was refused so far.
    pub(in crate::engine) refused: Vec<ToolRefusal>,
    /// Whether its end is not an input any more, and if so, whether what it wrote is kept to be adopted later.
    pub(in crate::engine) discarded: Option<Kept>,
    pub(in crate::engine) span: Span,
    shared: Arc<Shared>,
    session: SessionId,
    stop: CancellationToken,
    leave: CancellationToken,
    signs: mpsc::Receiver<Sign>,
    /// The job's end of the line, until it begins.
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
    /// What was seen in the work tree has to be persisted before the agent may begin.
    Seen(Option<Seat>),
    /// The seat is kept until the job is done.
    Working {
        work: JoinHandle<JobEnd>,
        _seat: Seat,
    },
}

/// Something that a job brings about.
pub(in crate::engine) enum JobEvent {
    Sign(Sign),
    /// What the work tree is like right before the agent gets its prompt. The job begins once that is persisted.
    Seen(TreeState),
    /// The time that the run may take is used up.
    TimeIsUp,
    Ended(JobEnd),
}

impl InFlight {
    pub(in crate::engine) fn new(
        shared: &Arc<Shared>,
        session: SessionId,
        job: Job,
        permit: Option<OwnedSemaphorePermit>,
    ) -> Self {
        let span = spans::of_job(session, &job);
        let stop = shared.stop.child_token();
        let (signs, heard) = mpsc::channel(MAX_QUEUED_SIGNS);
        let leave = CancellationToken::new();
        let link = Link { signs, stop: stop.clone(), hurry: shared.hurry.clone(), leave: leave.clone() };
        let adopted = matches!(job.origin(), TurnOrigin::Adopted(_));
        let seating = seat(Arc::clone(shared), session, job.clone(), permit);
        let time_left = match &job {
            Job::Turn(request) => request.time_left,
            Job::Check(request) => request.check.time_left,
        };
        Self {
            streamed: StreamedMessages::new(session, job.attempt(), adopted),
            cost_usd: None,
            refused: Vec::new(),
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
            time_left,
            job,
        }
    }

    /// The next thing that it brings about.
    pub(in crate::engine) async fn next(&mut self) -> JobEvent {
        loop {
            let deadline = self.began.and_then(|began| began.checked_add(self.time_left?));
            let progress = tokio::select! {
                biased;
                Some(sign) = self.signs.recv() => return JobEvent::Sign(sign),
                () = time_is_up(deadline) => {
                    self.time_left = None;
                    return JobEvent::TimeIsUp;
                }
                progress = self.phase.progress() => progress,
            };
            match progress {
                Progress::Seated(mut seat) => match seat.before.take() {
                    Some(before) => {
                        if let Job::Turn(request) = &mut self.job {
                            request.baseline.get_or_insert_default().begin_turn(&before);
                        }
                        self.phase = Phase::Seen(Some(seat));
                        return JobEvent::Seen(before);
                    }
                    None => self.work(seat),
                },
                Progress::Failed(why) => return JobEvent::Ended(JobEnd::failed(&self.job, why)),
                Progress::Ended(end) => return JobEvent::Ended(end),
            }
        }
    }

    /// A sign that the agent showed before it ended.
    pub(in crate::engine) fn last_sign(&mut self) -> Option<Sign> {
        self.signs.try_recv().ok()
    }

    /// Whether its process, if there is one, is this driver's: not one that has still to be adopted.
    pub(in crate::engine) fn is_own(&self) -> bool {
        matches!(self.phase, Phase::Working { .. }) || *self.job.origin() == TurnOrigin::New
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

    /// What was seen before the job is persisted, so that it may begin.
    pub(in crate::engine) fn begin(&mut self) {
        if let Phase::Seen(seat) = &mut self.phase
            && let Some(seat) = seat.take()
        {
            self.work(seat);
        }
    }

    fn work(&mut self, seat: Seat) {
        let Some(link) = self.link.take() else { return };
        self.began = Some(Instant::now());
        let (shared, agent, job) = (Arc::clone(&self.shared), Arc::clone(&seat.agent), self.job.clone());
        let (session, needs_permit) = (self.session, seat.permit.is_none());
        let work = async move {
            match job {
                Job::Turn(request) => {
                    JobEnd::Turn(work::take(shared, agent, session, request, needs_permit, link).await)
                }
                Job::Check(request) => {
                    JobEnd::Check(checks::carry_out(&shared, &*agent, &request, link).await)
                }
            }
        };
        // A task of its own, so that a panic of the agent's code ends this turn and nothing else.
        let work = tokio::spawn(work.instrument(self.span.clone()));
        self.phase = Phase::Working { work, _seat: seat };
    }
}

enum Progress {
    Seated(Seat),
    Failed(NoReply),
    Ended(JobEnd),
}

impl Phase {
    async fn progress(&mut self) -> Progress {
        match self {
            Self::Seating(seating) => match seating.await {
                Ok(seat) => Progress::Seated(seat),
                Err(why) => Progress::Failed(why),
            },
            Self::Seen(_) => std::future::pending().await,
            Self::Working { work, .. } => match work.await {
                Ok(end) => Progress::Ended(end),
                Err(panic) => Progress::Failed(NoReply::Panicked(panic.to_string())),
            },
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
