//! The state of a session: its run, its chat, its queue.

use std::collections::VecDeque;
use std::path::PathBuf;

use super::commit::{Change, Commit};
use super::records::ProcessRecord;
use crate::run::{AttemptId, Ending, Event, PromptId, Run, RunId, SessionId};
use crate::{Exit, ExitReason};

/// One session: the agent's conversation, and everything that may happen in it.
///
/// It decides with [`handle`](Self::handle). Its driver persists each commit before it does
/// anything else. If that fails, the driver drops the value, which is ahead of the store, and
/// [loads](Self::load) it again.
#[derive(Debug)]
pub struct Session {
    pub(super) id: SessionId,
    /// `None` until it begins.
    pub(super) profile: Option<Profile>,
    /// How many commits it has in the store.
    pub(super) commits: u64,
    /// Whether the agent has answered in it.
    pub(super) opened: bool,
    pub(super) work: Work,
    /// The open turns outside of a run: at most one, unless earlier engines left several.
    pub(super) chats: VecDeque<ChatTurn>,
    /// All queued prompts, in order, including those in the run's queue: exactly those in the
    /// store.
    pub(super) queue: VecDeque<QueuedPrompt>,
    /// The prompt that the run's turn delivers: it is queued again if the agent does not get it.
    pub(super) delivering: Option<QueuedPrompt>,
    /// Whether the queue is held until the next prompt, because the agent could not be reached.
    pub(super) held: bool,
    /// Whether turns are begun. False in a session that was only loaded, because another engine may
    /// be responsible for it.
    pub(super) adopted: bool,
    /// The turn that is in flight.
    pub(super) in_flight: Option<AttemptId>,
}

/// What is fixed when a session begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// Where its agent works.
    pub directory: PathBuf,
    /// Its agent, by name.
    pub agent: String,
    /// The system prompt that its agent gets with every prompt.
    pub system_prompt: Option<String>,
}

/// A prompt that the agent has not got yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueuedPrompt {
    /// Its id.
    pub prompt: PromptId,
    /// Its text.
    pub text: String,
    /// Whether the agent may have got it already; a note then says so.
    pub may_repeat: bool,
    /// Its position among the prompts of its session, in the order in which they were sent.
    pub number: u64,
}

/// A turn outside of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatTurn {
    /// The id of the attempt.
    pub attempt: AttemptId,
    /// The prompt that it delivers.
    pub prompt: QueuedPrompt,
    /// Whether another driver may have begun it.
    pub origin: TurnOrigin,
}

/// Whether another driver may have begun a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TurnOrigin {
    /// It was never begun.
    New,
    /// Another driver may have begun it, with this process.
    Adopted(Option<ProcessRecord>),
}

/// The run of a session.
#[derive(Debug)]
pub(super) enum Work {
    /// No run is open or paused.
    None,
    /// A run is open, and driven.
    Running(Active),
    /// A run is paused, and resumes by itself.
    Paused(Active),
    /// A run is open and not driven: a failing store or another engine left it.
    Orphaned(Active),
    Unreplayable(Unreplayable),
}

/// A run, and the number of its last persisted event.
#[derive(Debug)]
pub(super) struct Active {
    pub(super) run: Run,
    pub(super) seq: u64,
    /// Whether another driver may have begun its next turn.
    pub(super) origin: TurnOrigin,
    /// Whether it is driven without a client's request: false if another engine is responsible.
    pub(super) resumes: bool,
}

impl Active {
    pub(super) fn new(run: Run, seq: u64) -> Self {
        Self { run, seq, origin: TurnOrigin::New, resumes: true }
    }
}

/// A session as a store has it.
#[derive(Debug)]
pub struct Stored {
    /// Its id.
    pub id: SessionId,
    /// What is fixed about it; `None` if it has not begun.
    pub profile: Option<Profile>,
    /// How many commits it has had.
    pub commits: u64,
    /// Whether the agent has answered in it.
    pub opened: bool,
    /// The run that is open or paused in it.
    pub run: StoredRun,
    /// The turns outside of a run that were begun and not ended.
    pub chats: Vec<ChatTurn>,
    /// All queued prompts, in order, including those in a run's queue.
    pub queue: Vec<QueuedPrompt>,
    /// The prompt that the open turn of the run delivers.
    pub delivering: Option<QueuedPrompt>,
}

impl Stored {
    /// A session that has not begun.
    #[must_use]
    pub fn new(id: SessionId) -> Self {
        let (chats, queue) = (Vec::new(), Vec::new());
        let run = StoredRun::None;
        Self { id, profile: None, commits: 0, opened: false, run, chats, queue, delivering: None }
    }
}

/// The run of a session as a store has it.
#[derive(Debug)]
#[non_exhaustive]
pub enum StoredRun {
    /// There is none, or it has ended for good.
    None,
    /// It is open or paused.
    Replayed {
        /// The run.
        run: Box<Run>,
        /// The number of its last event.
        seq: u64,
        /// The process of its open attempt.
        process: Option<ProcessRecord>,
        /// Whether it is driven without a client's request.
        resumes: bool,
    },
    /// It is open or paused, and its recipe has changed.
    Unreplayable(Unreplayable),
}

/// A run that is open or paused and cannot be replayed. It can only be ended.
#[derive(Debug)]
pub struct Unreplayable {
    /// The run.
    pub run: RunId,
    /// The number of its last event.
    pub seq: u64,
    /// What happened in it.
    pub events: Vec<Event>,
    /// Why it cannot be replayed.
    pub why: String,
    /// Whether it is ended without a client's request.
    pub resumes: bool,
}

impl Unreplayable {
    fn recipe(&self) -> Option<&str> {
        match self.events.first() {
            Some(Event::Started { recipe, .. }) => Some(recipe),
            Some(_) | None => None,
        }
    }

    /// Its ending, if it is paused.
    pub(super) fn pause(&self) -> Option<&Ending> {
        match self.events.last() {
            Some(Event::Ended { ending, .. }) => Some(ending),
            Some(_) | None => None,
        }
    }
}

impl Session {
    /// The session as the store has it. Nothing in it is driven before
    /// [`SessionInput::Adopt`](super::SessionInput::Adopt) or a client's command.
    #[must_use]
    pub fn load(stored: Stored) -> Self {
        let Stored { id, profile, commits, opened, run, chats, queue, delivering } = stored;
        let work = match run {
            StoredRun::None => Work::None,
            StoredRun::Unreplayable(run) => Work::Unreplayable(run),
            StoredRun::Replayed { run, seq, process, resumes } => {
                let open = run.ending().is_none();
                let origin = if open { TurnOrigin::Adopted(process) } else { TurnOrigin::New };
                let active = Active { run: *run, seq, origin, resumes };
                if open { Work::Orphaned(active) } else { Work::Paused(active) }
            }
        };
        let (chats, queue) = (chats.into(), queue.into());
        let (held, adopted, in_flight) = (true, false, None);
        Self {
            id,
            profile,
            commits,
            opened,
            work,
            chats,
            queue,
            delivering,
            held,
            adopted,
            in_flight,
        }
    }

    /// Its id.
    #[must_use]
    pub const fn id(&self) -> SessionId {
        self.id
    }

    /// What is fixed about it; `None` if it has not begun.
    #[must_use]
    pub const fn profile(&self) -> Option<&Profile> {
        self.profile.as_ref()
    }

    /// How many commits it has in the store.
    #[must_use]
    pub const fn commits(&self) -> u64 {
        self.commits
    }

    /// Whether the agent has answered in it.
    #[must_use]
    pub const fn opened(&self) -> bool {
        self.opened
    }

    /// All queued prompts, in order.
    pub fn queue(&self) -> impl Iterator<Item = &QueuedPrompt> {
        self.queue.iter()
    }

    /// The open turns outside of a run.
    pub fn chats(&self) -> impl Iterator<Item = &ChatTurn> {
        self.chats.iter()
    }

    /// The turn that is in flight.
    #[must_use]
    pub const fn in_flight(&self) -> Option<AttemptId> {
        self.in_flight
    }

    /// The run that is open or paused, if it can be replayed.
    #[must_use]
    pub const fn run(&self) -> Option<&Run> {
        match &self.work {
            Work::Running(active) | Work::Paused(active) | Work::Orphaned(active) => {
                Some(&active.run)
            }
            Work::None | Work::Unreplayable(_) => None,
        }
    }

    /// The recipe of the run that is open or paused, by its id.
    #[must_use]
    pub fn recipe(&self) -> Option<&str> {
        match &self.work {
            Work::Unreplayable(run) => run.recipe(),
            _ => self.run().map(|run| run.recipe().outline().id),
        }
    }

    /// The status of its run.
    #[must_use]
    pub fn status(&self) -> RunStatus {
        match &self.work {
            Work::None => RunStatus::None,
            Work::Running(active) => RunStatus::Driven(active.run.spec().run),
            Work::Paused(active) => RunStatus::Paused(active.run.spec().run),
            Work::Orphaned(active) => RunStatus::Orphaned(active.run.spec().run),
            Work::Unreplayable(run) => RunStatus::Unreplayable(run.run),
        }
    }

    /// When the paused run resumes by itself, in milliseconds since 1970.
    #[must_use]
    pub fn resume_at(&self) -> Option<u64> {
        match &self.work {
            Work::Paused(Active { run, resumes: true, .. }) => {
                run.ending().and_then(|it| it.resume_at)
            }
            Work::Unreplayable(run) if run.resumes => {
                run.pause().and_then(|ending| ending.resume_at)
            }
            _ => None,
        }
    }

    /// Whether nothing will happen in it until a client sends a request.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.in_flight.is_none() && self.resume_at().is_none()
    }

    /// Acknowledges that the last commit is persisted. The driver calls this each time.
    pub const fn persisted(&mut self) {
        self.commits += 1;
    }

    /// Queues a new prompt.
    pub(super) fn enqueue(&mut self, prompt: PromptId, text: String) {
        let of_chats = self.chats.iter().map(|chat| &chat.prompt);
        let number = 1 + self
            .queue
            .iter()
            .chain(of_chats)
            .chain(&self.delivering)
            .map(|it| it.number)
            .max()
            .unwrap_or(0);
        self.queue.push_back(QueuedPrompt { prompt, text, may_repeat: false, number });
    }

    /// Returns a prompt that the agent did not get to its old position in the queue.
    pub(super) fn requeue(&mut self, prompt: QueuedPrompt) {
        let position = self.queue.partition_point(|queued| queued.number < prompt.number);
        self.queue.insert(position, prompt);
    }

    /// A commit without changes, to probe whether the store accepts one.
    #[must_use]
    pub fn probe(&self) -> Commit {
        Commit { changes: vec![Change::Expects { session: self.id, commits: self.commits }] }
    }

    /// What stops if the next commit cannot be persisted.
    #[must_use]
    pub fn at_stake(&self) -> AtStake {
        let run = match &self.work {
            Work::Running(Active { run, .. }) => Some(DrivenRun {
                run: run.spec().run,
                step: run.position().outline().name,
                steps: run.position().steps(),
                rehearsal: run.spec().rehearsal,
            }),
            _ => None,
        };
        let chat = self.in_flight.is_some() && !self.chats.is_empty();
        AtStake { run, chat, adopted: self.adopted }
    }
}

/// The status of a session's run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunStatus {
    /// No run is open or paused.
    None,
    /// It is open, and driven.
    Driven(RunId),
    /// It is open and not driven: a failing store or another engine left it.
    Orphaned(RunId),
    /// It is paused.
    Paused(RunId),
    /// It is open or paused, and can only be ended.
    Unreplayable(RunId),
}

impl RunStatus {
    /// The run, if there is one.
    #[must_use]
    pub fn run(self) -> Option<RunId> {
        match self {
            Self::None => None,
            Self::Driven(run)
            | Self::Orphaned(run)
            | Self::Paused(run)
            | Self::Unreplayable(run) => Some(run),
        }
    }
}

/// What stops in a session that cannot be persisted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AtStake {
    /// The run that is driven.
    pub run: Option<DrivenRun>,
    /// Whether a turn outside of a run is in flight.
    pub chat: bool,
    /// Whether the session is driven at all, and not only loaded.
    pub adopted: bool,
}

/// A run that is driven, and its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct DrivenRun {
    /// The run.
    pub run: RunId,
    /// Its step.
    pub step: &'static str,
    /// How many steps it has taken.
    pub steps: u32,
    /// Whether the run is a rehearsal.
    pub rehearsal: bool,
}

impl DrivenRun {
    /// The ending that clients see while its events cannot be persisted. It is not part of the
    /// run's history.
    #[must_use]
    pub fn not_persisted(self, why: &str) -> Ending {
        let exit = Exit::because(ExitReason::StorageError).describe(why);
        Ending::new(&exit, self.step, self.steps, self.rehearsal)
    }
}
