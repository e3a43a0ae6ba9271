//! The job in flight: it waits for its permit, then runs until it ends.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tracing::{Instrument, Span};

use super::checks;
use super::job::Job;
use super::result::{JobEnd, NoReply};
use super::streamed::StreamedMessages;
use super::turn_permit::{self, TurnPermit};
use super::work;
use crate::agent::{AgentEvent, TurnContext};
use crate::engine::shared::Shared;
use crate::engine::spans;
use crate::process::CancelToken;
use crate::run::{SessionId, ToolRefusal, TreeState};
use crate::session::TurnOrigin;

/// How many of an agent's events may be queued before it has to wait. Events may be long, so the
/// queue is short.
const MAX_QUEUED_EVENTS: usize = 16;

/// The job that a session's driver has in flight.
pub(in crate::engine) struct InFlight {
    pub(in crate::engine) job: Job,
    pub(in crate::engine) streamed: StreamedMessages,
    /// The cost that the agent reported, for a turn that ends without a reply.
    pub(in crate::engine) cost_usd: Option<f64>,
    /// The tools that the agent has been refused so far.
    pub(in crate::engine) refused: Vec<ToolRefusal>,
    /// Set when the job is discarded: its end is then ignored, and its scratch files are removed or
    /// kept.
    pub(in crate::engine) discarded: Option<ScratchFiles>,
    pub(in crate::engine) span: Span,
    shared: Arc<Shared>,
    session: SessionId,
    stop: CancelToken,
    detach: CancelToken,
    events: mpsc::Receiver<AgentEvent>,
    /// The agent's end of the channels; taken when the job begins.
    context: Option<TurnContext>,
    phase: Phase,
    /// When the agent began. Waiting for the permit does not count.
    began: Option<Instant>,
    time_left: Option<Duration>,
}

/// What happens to the scratch files of a discarded job. They are kept if the turn may be adopted
/// later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::engine) enum ScratchFiles {
    Remove,
    Keep,
}

enum Phase {
    Acquiring(Pin<Box<dyn Future<Output = Result<TurnPermit, NoReply>> + Send>>),
    /// The state of the work tree has to be persisted before the agent may begin.
    Seen(Option<TurnPermit>),
    /// The permit is held until the job is done.
    Working {
        work: JoinHandle<JobEnd>,
        _permit: TurnPermit,
    },
}

/// An event of a job.
pub(in crate::engine) enum JobEvent {
    Agent(AgentEvent),
    /// The state of the work tree right before the agent gets its prompt. The job begins once that
    /// is persisted.
    Seen(TreeState),
    /// The run's time limit has passed.
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
        let stop = shared.stop.child();
        let (events, receiver) = mpsc::channel(MAX_QUEUED_EVENTS);
        let detach = CancelToken::new();
        let context = TurnContext {
            events,
            stop: stop.clone(),
            fast_stop: shared.fast_stop.clone(),
            detach: detach.clone(),
        };
        let adopted = matches!(job.origin(), TurnOrigin::Adopted(_));
        let acquiring = turn_permit::acquire(Arc::clone(shared), session, job.clone(), permit);
        let time_left = match &job {
            Job::Turn(request) => request.time_left,
            Job::Check(request) => request.check.time_left,
        };
        Self {
            streamed: StreamedMessages::new(session, job.attempt(), adopted),
            cost_usd: None,
            refused: Vec::new(),
            discarded: None,
            phase: Phase::Acquiring(Box::pin(acquiring.instrument(span.clone()))),
            span,
            shared: Arc::clone(shared),
            session,
            stop,
            detach,
            events: receiver,
            context: Some(context),
            began: None,
            time_left,
            job,
        }
    }

    /// Waits for the next event.
    pub(in crate::engine) async fn next(&mut self) -> JobEvent {
        loop {
            let deadline = self.began.and_then(|began| began.checked_add(self.time_left?));
            let progress = tokio::select! {
                biased;
                Some(event) = self.events.recv() => return JobEvent::Agent(event),
                () = time_is_up(deadline) => {
                    self.time_left = None;
                    return JobEvent::TimeIsUp;
                }
                progress = self.phase.progress() => progress,
            };
            match progress {
                Progress::Acquired(mut permit) => match permit.before.take() {
                    Some(before) => {
                        if let Job::Turn(request) = &mut self.job {
                            request.baseline.get_or_insert_default().begin_turn(&before);
                        }
                        self.phase = Phase::Seen(Some(permit));
                        return JobEvent::Seen(before);
                    }
                    None => self.work(permit),
                },
                Progress::Failed(why) => return JobEvent::Ended(JobEnd::failed(&self.job, why)),
                Progress::Ended(end) => return JobEvent::Ended(end),
            }
        }
    }

    /// An event that was queued before the agent ended.
    pub(in crate::engine) fn queued_event(&mut self) -> Option<AgentEvent> {
        self.events.try_recv().ok()
    }

    /// Whether this driver controls the job's process, if there is one: false while it still has to
    /// be adopted.
    pub(in crate::engine) fn is_own(&self) -> bool {
        matches!(self.phase, Phase::Working { .. }) || *self.job.origin() == TurnOrigin::New
    }

    /// How long the agent has worked.
    pub(in crate::engine) fn took(&self) -> Duration {
        self.began.map_or(Duration::ZERO, |began| began.elapsed())
    }

    /// Whether the agent can be detached: not if it is being stopped.
    pub(in crate::engine) fn can_detach(&self) -> bool {
        self.discarded.is_none() && !self.detach.is_cancelled()
    }

    /// Detaches the agent.
    pub(in crate::engine) fn detach(&self) {
        self.detach.cancel();
    }

    /// Stops the agent and ignores the job's result. Returns `false` if the job had not begun, so
    /// that there is nothing to wait for.
    pub(in crate::engine) fn discard(&mut self, kept: ScratchFiles) -> bool {
        self.stop.cancel();
        self.discarded = Some(kept);
        matches!(self.phase, Phase::Working { .. })
    }

    /// Begins the job, once the state of the work tree is persisted.
    pub(in crate::engine) fn begin(&mut self) {
        if let Phase::Seen(permit) = &mut self.phase
            && let Some(permit) = permit.take()
        {
            self.work(permit);
        }
    }

    fn work(&mut self, permit: TurnPermit) {
        let Some(context) = self.context.take() else { return };
        self.began = Some(Instant::now());
        let (shared, agent, job) =
            (Arc::clone(&self.shared), Arc::clone(&permit.agent), self.job.clone());
        let (session, needs_permit) = (self.session, permit.slot.is_none());
        let work = async move {
            match job {
                Job::Turn(request) => JobEnd::Turn(
                    work::run_turn(shared, agent, session, request, needs_permit, context).await,
                ),
                Job::Check(request) => {
                    JobEnd::Check(checks::carry_out(&shared, &*agent, &request, context).await)
                }
            }
        };
        // A separate task, so that a panic in the agent's code ends this turn and nothing else.
        let work = tokio::spawn(work.instrument(self.span.clone()));
        self.phase = Phase::Working { work, _permit: permit };
    }
}

enum Progress {
    Acquired(TurnPermit),
    Failed(NoReply),
    Ended(JobEnd),
}

impl Phase {
    async fn progress(&mut self) -> Progress {
        match self {
            Self::Acquiring(acquiring) => match acquiring.await {
                Ok(permit) => Progress::Acquired(permit),
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

/// Waits for a deadline; forever if there is none.
async fn time_is_up(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}
