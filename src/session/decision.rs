//! What a session decides: one commit, and what to do once it is persisted.

use std::path::PathBuf;
use std::time::Duration;

use uuid::Uuid;

use super::commit::{Change, Commit, Entry};
use super::event::SessionEvent;
use super::records::{NewMessage, Role};
use super::state::{Session, TurnOrigin};
use crate::run::{AttemptId, Baseline, Check, Ending, Event, Fresh, PromptId, RunId, SessionId, TreeClaim};
use crate::{FileRules, Tool};

/// What follows from an input.
#[derive(Debug, Default)]
#[must_use = "its commit has to be persisted before anything is done"]
pub struct Decision {
    /// What happened. Empty where nothing did.
    pub commit: Commit,
    /// What to do once the commit is persisted, in order.
    pub actions: Vec<Action>,
    /// The session that continues this one's run, to be driven as well.
    pub successor: Option<Box<Session>>,
    /// How the run ended, where it did.
    pub ended: Option<Ending>,
}

/// Something to do.
#[derive(Debug)]
pub enum Action {
    /// Give the agent this prompt, once no other turn of the session is in flight.
    Ask(Box<TurnRequest>),
    /// Look for evidence or run commands, once no turn of the session is in flight.
    Check(Box<CheckRequest>),
    /// Stop the turn or the check in flight. Its end is not an input any more.
    StopTurn,
}

/// A check to carry out.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckRequest {
    /// What to look for, and what to run.
    pub check: Check,
    /// The run it belongs to.
    pub run: RunId,
    /// Its session.
    pub session: SessionId,
    /// The run's agent, by name.
    pub agent: String,
    /// Where the agent works, and commands run.
    pub directory: PathBuf,
    /// The work tree that the run needs for itself.
    pub claim: Option<TreeClaim>,
    /// Whether another driver may have begun it.
    pub origin: TurnOrigin,
}

/// A turn to take.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnRequest {
    /// Names the attempt.
    pub attempt: AttemptId,
    /// The run it belongs to; `None` for chat.
    pub run: Option<RunId>,
    /// The step the run is at.
    pub step: Option<&'static str>,
    /// What the agent may do; `None` where that is left to the operator.
    pub tools: Option<&'static [Tool]>,
    /// What the operator allows on top of that.
    pub allow_tools: Vec<Tool>,
    /// What the run's work tree is compared with when the turn has ended; `None` for chat.
    pub baseline: Option<Baseline>,
    /// What holds for the files that it may change; `None` for chat.
    pub rules: Option<FileRules>,
    /// The work tree that the run needs for itself; `None` for chat.
    pub claim: Option<TreeClaim>,
    /// Whether the repository is trusted; `None` for chat, where the driver finds out.
    pub trusted: Option<bool>,
    /// What the agent is told.
    pub prompt: String,
    /// What the agent is told beside every prompt.
    pub system_prompt: Option<String>,
    /// Whether the agent has answered in this session before.
    pub opened: bool,
    /// The agent, by name.
    pub agent: String,
    /// Where the agent works.
    pub directory: PathBuf,
    /// The model to use.
    pub model: Option<String>,
    /// How long it may take before the run's time is used up.
    pub time_left: Option<Duration>,
    /// How much it may spend before the run's budget is.
    pub budget_left: Option<f64>,
    /// Whether another driver may have begun it.
    pub origin: TurnOrigin,
}

/// A decision in the making. Time and ids come from outside.
pub(super) struct Draft<'i> {
    pub(super) now: u64,
    ids: &'i mut dyn FnMut() -> Uuid,
    pub(super) changes: Vec<Change>,
    pub(super) actions: Vec<Action>,
    pub(super) successor: Option<Box<Session>>,
    pub(super) ended: Option<Ending>,
}

impl<'i> Draft<'i> {
    pub(super) fn new(now: u64, ids: &'i mut dyn FnMut() -> Uuid) -> Self {
        Self { now, ids, changes: Vec::new(), actions: Vec::new(), successor: None, ended: None }
    }

    /// An id that nothing has yet.
    pub(super) fn id<T: From<Uuid>>(&mut self) -> T {
        (self.ids)().into()
    }

    /// One of each, for a run's decision.
    pub(super) fn fresh(&mut self) -> Fresh {
        Fresh { attempt: self.id(), run: self.id(), session: self.id() }
    }

    /// Something happened in a session beside its runs.
    pub(super) fn happened(&mut self, session: SessionId, entry: impl Into<Entry<SessionEvent>>) {
        let entry = entry.into();
        match self.changes.last_mut() {
            Some(Change::Session { session: last, entries, .. }) if *last == session => entries.push(entry),
            Some(_) | None => {
                self.changes.push(Change::Session { session, at: self.now, entries: vec![entry] });
            }
        }
    }

    /// Something happened in a run.
    pub(super) fn happened_in_run(&mut self, run: RunId, after: u64, entries: Vec<Entry<Event>>) {
        if !entries.is_empty() {
            self.changes.push(Change::Run { run, after, at: self.now, entries });
        }
    }

    /// A message of the agent, or of the engine in its place.
    pub(super) fn assistant(&mut self, session: SessionId, text: String) -> NewMessage {
        let (id, at) = (self.id(), self.now);
        NewMessage { session, id, role: Role::Assistant, text, at, attempt: None, run: None }
    }

    /// A prompt that a client sent. The message has the prompt's id, so that clients find it in the conversation.
    pub(super) fn user(&mut self, session: SessionId, prompt: PromptId, text: String) -> NewMessage {
        let (id, at) = (prompt.uuid(), self.now);
        NewMessage { session, id, role: Role::User, text, at, attempt: None, run: None }
    }

    /// The decision. The commit is held to what the session knows of the store.
    pub(super) fn finish(self, session: SessionId, commits: u64) -> Decision {
        let Self { mut changes, actions, successor, ended, .. } = self;
        // A session that begins with this commit has said so already.
        let begins = matches!(&changes[..], [_, Change::Expects { session: it, .. }, ..] if *it == session);
        if !changes.is_empty() && !begins {
            changes.insert(0, Change::Expects { session, commits });
        }
        Decision { commit: Commit { changes }, actions, successor, ended }
    }
}
