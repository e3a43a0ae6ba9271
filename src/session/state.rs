//! What a session is: its run, its chat, its queue.

use std::collections::VecDeque;
use std::path::PathBuf;

use super::commit::{Change, Commit};
use super::records::Process;
use crate::run::{AttemptId, Ending, Event, PromptId, Run, RunId, SessionId};
use crate::{Exit, ExitReason};

/// One session: the agent's conversation, and everything that may happen in it.
///
/// It decides with [`handle`](Self::handle). Its driver persists each commit before it does anything else; if that fails, the
/// value is thrown away and [loaded](Self::load) anew, since it is ahead of the store.
#[derive(Debug)]
pub struct Session {
    pub(super) id: SessionId,
    /// `None` until it begins.
    pub(super) profile: Option<Profile>,
    /// How many commits the store has of it.
    pub(super) commits: u64,
    /// Whether the agent has answered in it.
    pub(super) opened: bool,
    pub(super) work: Work,
    /// The turns outside of a run that are open: at most one, but for what several engines left behind.
    pub(super) chats: VecDeque<ChatTurn>,
    /// Everything that is queued, in order, whether the run queued it or not: just what the store has.
    pub(super) queue: VecDeque<QueuedPrompt>,
    /// What the run's turn passes on: it is queued again if the agent does not get it.
    pub(super) passing: Option<QueuedPrompt>,
    /// Whether what is queued is kept for the next prompt, because the agent could not be reached.
    pub(super) held: bool,
    /// Whether turns are begun. Not in a session that was only loaded: another engine may be meant to drive it.
    pub(super) adopted: bool,
    /// The turn that the driver takes at the moment.
    pub(super) in_flight: Option<AttemptId>,
}

/// What is fixed when a session begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// Where its agent works.
    pub directory: PathBuf,
    /// Its agent, by name.
    pub agent: String,
    /// What its agent is told beside every prompt.
    pub system_prompt: Option<String>,
}

/// A prompt that the agent has not got yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueuedPrompt {
    /// Names it.
    pub prompt: PromptId,
    /// The words.
    pub text: String,
    /// Whether the agent may have got it already, and is told so.
    pub again: bool,
    /// Its place among the prompts of its session, in the order in which they were sent.
    pub number: u64,
}

/// A turn outside of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatTurn {
    /// Names the attempt.
    pub attempt: AttemptId,
    /// What it passes on.
    pub prompt: QueuedPrompt,
    /// Where it comes from.
    pub origin: TurnOrigin,
}

/// Where a turn comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnOrigin {
    /// It was never begun.
    New,
    /// Another driver may have begun it, with this process.
    Adopted(Option<Process>),
}

/// What a session does about runs.
#[derive(Debug)]
pub(super) enum Work {
    /// No run is open or paused.
    None,
    /// A run is open, and driven.
    Running(Active),
    /// A run has ended and resumes by itself.
    Waiting(Active),
    /// A run is open and not driven: a failing store or another engine left it.
    Left(Active),
    Unreplayable(Unreplayable),
}

/// A run, and the number of its last persisted event.
#[derive(Debug)]
pub(super) struct Active {
    pub(super) run: Run,
    pub(super) seq: u64,
    /// Where its next turn comes from.
    pub(super) origin: TurnOrigin,
    /// Whether it is driven without being asked for: not where another engine is meant to do that.
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
    /// What is fixed about it; `None` where it has not begun.
    pub profile: Option<Profile>,
    /// How many commits it has had.
    pub commits: u64,
    /// Whether the agent has answered in it.
    pub opened: bool,
    /// The last run that began in it.
    pub run: StoredRun,
    /// The turns outside of a run that were begun and not ended.
    pub chats: Vec<ChatTurn>,
    /// Everything that is queued, in order, whether a run queued it or not.
    pub queue: Vec<QueuedPrompt>,
    /// What the open turn of the run passes on.
    pub passing: Option<QueuedPrompt>,
}

impl Stored {
    /// A session that has not begun.
    #[must_use]
    pub fn new(id: SessionId) -> Self {
        let (chats, queue) = (Vec::new(), Vec::new());
        let run = StoredRun::None;
        Self { id, profile: None, commits: 0, opened: false, run, chats, queue, passing: None }
    }
}

/// The last run of a session as a store has it.
#[derive(Debug)]
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
        process: Option<Process>,
        /// Whether it is driven without being asked for.
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
    /// Whether it is ended without being asked for.
    pub resumes: bool,
}

impl Unreplayable {
    fn recipe(&self) -> Option<&str> {
        match self.events.first() {
            Some(Event::Started { recipe, .. }) => Some(recipe),
            Some(_) | None => None,
        }
    }

    /// How it is paused, if it is.
    pub(super) fn pause(&self) -> Option<&Ending> {
        match self.events.last() {
            Some(Event::Ended { ending, .. }) => Some(ending),
            Some(_) | None => None,
        }
    }
}

impl Session {
    /// The session as the store has it. Nothing in it is driven before [`Input::Adopt`](super::Input::Adopt) or a client's
    /// command.
    #[must_use]
    pub fn load(stored: Stored) -> Self {
        let Stored { id, profile, commits, opened, run, chats, queue, passing } = stored;
        let work = match run {
            StoredRun::None => Work::None,
            StoredRun::Unreplayable(run) => Work::Unreplayable(run),
            StoredRun::Replayed { run, seq, process, resumes } => {
                let open = run.ending().is_none();
                let origin = if open { TurnOrigin::Adopted(process) } else { TurnOrigin::New };
                let active = Active { run: *run, seq, origin, resumes };
                if open { Work::Left(active) } else { Work::Waiting(active) }
            }
        };
        let (chats, queue) = (chats.into(), queue.into());
        let (held, adopted, in_flight) = (true, false, None);
        Self { id, profile, commits, opened, work, chats, queue, passing, held, adopted, in_flight }
    }

    /// Its id.
    #[must_use]
    pub const fn id(&self) -> SessionId {
        self.id
    }

    /// What is fixed about it; `None` where it has not begun.
    #[must_use]
    pub const fn profile(&self) -> Option<&Profile> {
        self.profile.as_ref()
    }

    /// How many commits the store has of it.
    #[must_use]
    pub const fn commits(&self) -> u64 {
        self.commits
    }

    /// Whether the agent has answered in it.
    #[must_use]
    pub const fn opened(&self) -> bool {
        self.opened
    }

    /// Everything that is queued, in order.
    pub fn queue(&self) -> impl Iterator<Item = &QueuedPrompt> {
        self.queue.iter()
    }

    /// The turns outside of a run that are open.
    pub fn chats(&self) -> impl Iterator<Item = &ChatTurn> {
        self.chats.iter()
    }

    /// The turn that the driver takes at the moment.
    #[must_use]
    pub const fn in_flight(&self) -> Option<AttemptId> {
        self.in_flight
    }

    /// The run that is open or paused, if it can be replayed.
    #[must_use]
    pub const fn run(&self) -> Option<&Run> {
        match &self.work {
            Work::Running(active) | Work::Waiting(active) | Work::Left(active) => Some(&active.run),
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

    /// What its run is up to.
    #[must_use]
    pub fn status(&self) -> RunStatus {
        match &self.work {
            Work::None => RunStatus::None,
            Work::Running(active) => RunStatus::Driven(active.run.order().run),
            Work::Waiting(active) => RunStatus::Paused(active.run.order().run),
            Work::Left(active) => RunStatus::Left(active.run.order().run),
            Work::Unreplayable(run) => RunStatus::Unreplayable(run.run),
        }
    }

    /// When the paused run resumes by itself, in milliseconds since 1970.
    #[must_use]
    pub fn resume_at(&self) -> Option<u64> {
        match &self.work {
            Work::Waiting(Active { run, resumes: true, .. }) => run.ending().and_then(|it| it.resume_at),
            Work::Unreplayable(run) if run.resumes => run.pause().and_then(|ending| ending.resume_at),
            _ => None,
        }
    }

    /// Whether nothing happens in it until a client asks for something.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.in_flight.is_none() && self.resume_at().is_none()
    }

    /// The last commit is persisted. The driver says so each time.
    pub const fn persisted(&mut self) {
        self.commits += 1;
    }

    /// A prompt that is sent now.
    pub(super) fn enqueue(&mut self, prompt: PromptId, text: String) {
        let of_chats = self.chats.iter().map(|chat| &chat.prompt);
        let number =
            1 + self.queue.iter().chain(of_chats).chain(&self.passing).map(|it| it.number).max().unwrap_or(0);
        self.queue.push_back(QueuedPrompt { prompt, text, again: false, number });
    }

    /// Queues a prompt again that the agent did not get, where it was.
    pub(super) fn requeue(&mut self, prompt: QueuedPrompt) {
        let place = self.queue.partition_point(|queued| queued.number < prompt.number);
        self.queue.insert(place, prompt);
    }

    /// A commit that says nothing: whether the store takes one.
    #[must_use]
    pub fn probe(&self) -> Commit {
        Commit { changes: vec![Change::Expects { session: self.id, commits: self.commits }] }
    }

    /// What stops if the next commit cannot be persisted.
    #[must_use]
    pub fn at_stake(&self) -> AtStake {
        let run = match &self.work {
            Work::Running(Active { run, .. }) => Some(Driven {
                run: run.order().run,
                step: run.position().outline().name,
                steps: run.position().steps(),
                rehearsal: run.order().rehearsal,
            }),
            _ => None,
        };
        let chat = self.in_flight.is_some() && !self.chats.is_empty();
        AtStake { run, chat, adopted: self.adopted }
    }
}

/// What a session's run is up to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunStatus {
    /// No run is open or paused.
    None,
    /// It is open, and driven.
    Driven(RunId),
    /// It is open and not driven: a failing store or another engine left it.
    Left(RunId),
    /// It is paused.
    Paused(RunId),
    /// It is open or paused, and can only be ended.
    Unreplayable(RunId),
}

impl RunStatus {
    /// The run, where there is one.
    #[must_use]
    pub fn run(self) -> Option<RunId> {
        match self {
            Self::None => None,
            Self::Driven(run) | Self::Left(run) | Self::Paused(run) | Self::Unreplayable(run) => Some(run),
        }
    }
}

/// What stops in a session that cannot be persisted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AtStake {
    /// The run that is driven.
    pub run: Option<Driven>,
    /// Whether a turn outside of a run is in flight.
    pub chat: bool,
    /// Whether the session is driven at all, and not only loaded.
    pub adopted: bool,
}

/// A run that is driven, and where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Driven {
    /// The run.
    pub run: RunId,
    /// Its step.
    pub step: &'static str,
    /// How many steps it has taken.
    pub steps: u32,
    /// Whether its agent only rehearses.
    pub rehearsal: bool,
}

impl Driven {
    /// How it ends for clients while what happens in it cannot be persisted. This is not part of its history.
    #[must_use]
    pub fn not_persisted(self, why: &str) -> Ending {
        let exit = Exit::because(ExitReason::StorageError).describe(why);
        Ending::new(&exit, self.step, self.steps, self.rehearsal)
    }
}
