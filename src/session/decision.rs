//! What a session decides: one commit, and what to do once it is persisted.

use std::path::PathBuf;
use std::time::Duration;

use uuid::Uuid;

use super::commit::{Change, Commit, Entry};
use super::event::SessionEvent;
use super::records::{NewMessage, Role};
use super::state::{Session, TurnOrigin};
use crate::run::{
    AttemptId, Baseline, Check, Ending, Event, NewIds, PromptId, RunId, SessionId, TreeClaim,
};
use crate::{FileRules, Tool};

/// What follows from an input.
#[derive(Debug, Default)]
#[must_use = "its commit must be persisted before its actions are carried out"]
#[non_exhaustive]
pub struct SessionDecision {
    /// What happened. Empty if nothing did.
    pub commit: Commit,
    /// The actions to carry out once the commit is persisted, in order.
    pub actions: Vec<SessionAction>,
    /// The session in which the run is continued, if it restarts. It must be driven as well.
    pub successor: Option<Box<Session>>,
    /// How the run ended, if it did.
    pub ended: Option<Ending>,
}

/// An action for the driver.
#[derive(Debug)]
pub enum SessionAction {
    /// Give the agent this prompt, once no other turn of the session is in flight.
    Ask(Box<AgentTurn>),
    /// Look for evidence or run commands, once no turn of the session is in flight.
    Check(Box<CheckRequest>),
    /// Stop the turn or the check in flight. Its end is no longer an input.
    StopTurn,
}

/// A check to carry out.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CheckRequest {
    /// The evidence to look for, and the commands to run.
    pub check: Check,
    /// The run it belongs to.
    pub run: RunId,
    /// Its session.
    pub session: SessionId,
    /// How many restarts led to this run.
    pub restarts: u32,
    /// The run's agent, by name.
    pub agent: String,
    /// Where the agent works, and commands run.
    pub directory: PathBuf,
    /// The run's claim to its work tree.
    pub claim: Option<TreeClaim>,
    /// Whether another driver may have begun it.
    pub origin: TurnOrigin,
}

/// A turn to run.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AgentTurn {
    /// The id of the attempt.
    pub attempt: AttemptId,
    /// The run it belongs to; `None` for chat.
    pub run: Option<RunId>,
    /// The step the run is at.
    pub step: Option<&'static str>,
    /// The number of that step in the run, from 1.
    pub number: Option<u32>,
    /// The tools that the agent may use; `None` if the operator's settings decide that alone.
    pub tools: Option<&'static [Tool]>,
    /// The tools that the operator allows in addition.
    pub allow_tools: Vec<Tool>,
    /// The state that the run's work tree is compared with after the turn; `None` for chat.
    pub baseline: Option<Baseline>,
    /// The rules for the files that it may change; `None` for chat.
    pub rules: Option<FileRules>,
    /// The run's claim to its work tree; `None` for chat.
    pub claim: Option<TreeClaim>,
    /// Whether the repository is trusted; `None` for chat, where the driver finds out.
    pub trusted: Option<bool>,
    /// The prompt.
    pub prompt: String,
    /// The system prompt.
    pub system_prompt: Option<String>,
    /// Whether the agent has answered in this session before.
    pub opened: bool,
    /// How many restarts led to this run; 0 for chat.
    pub restarts: u32,
    /// The agent, by name.
    pub agent: String,
    /// Where the agent works.
    pub directory: PathBuf,
    /// The model to use.
    pub model: Option<String>,
    /// How much of the run's time limit is left.
    pub time_left: Option<Duration>,
    /// How much of the run's budget is left, in US dollars.
    pub budget_left: Option<f64>,
    /// Whether another driver may have begun it.
    pub origin: TurnOrigin,
}

/// A decision that is being built. Time and ids are arguments.
pub(super) struct Draft<'i> {
    pub(super) now: u64,
    ids: &'i mut dyn FnMut() -> Uuid,
    pub(super) changes: Vec<Change>,
    pub(super) actions: Vec<SessionAction>,
    pub(super) successor: Option<Box<Session>>,
    pub(super) ended: Option<Ending>,
}

impl<'i> Draft<'i> {
    pub(super) fn new(now: u64, ids: &'i mut dyn FnMut() -> Uuid) -> Self {
        Self { now, ids, changes: Vec::new(), actions: Vec::new(), successor: None, ended: None }
    }

    /// A new id.
    pub(super) fn id<T: From<Uuid>>(&mut self) -> T {
        (self.ids)().into()
    }

    /// New ids for a run's decision.
    pub(super) fn new_ids(&mut self) -> NewIds {
        NewIds { attempt: self.id(), run: self.id(), session: self.id() }
    }

    /// Records something that happened in a session outside of its runs.
    pub(super) fn record(&mut self, session: SessionId, entry: impl Into<Entry<SessionEvent>>) {
        let entry = entry.into();
        match self.changes.last_mut() {
            Some(Change::Session { session: last, entries, .. }) if *last == session => {
                entries.push(entry);
            }
            Some(_) | None => {
                self.changes.push(Change::Session { session, at: self.now, entries: vec![entry] });
            }
        }
    }

    /// Records what happened in a run.
    pub(super) fn record_in_run(&mut self, run: RunId, after: u64, entries: Vec<Entry<Event>>) {
        if !entries.is_empty() {
            self.changes.push(Change::Run { run, after, at: self.now, entries });
        }
    }

    /// A message of the agent, or of the engine on its behalf.
    pub(super) fn assistant(&mut self, session: SessionId, text: String) -> NewMessage {
        let (id, at) = (self.id(), self.now);
        NewMessage { session, id, role: Role::Assistant, text, at, attempt: None, run: None }
    }

    /// A prompt that a client sent. The message has the prompt's id, so that clients find it in the
    /// conversation.
    pub(super) fn user(
        &mut self,
        session: SessionId,
        prompt: PromptId,
        text: String,
    ) -> NewMessage {
        let (id, at) = (prompt.uuid(), self.now);
        NewMessage { session, id, role: Role::User, text, at, attempt: None, run: None }
    }

    /// Completes the decision. Its commit expects the store to be in the state that the session
    /// knows.
    pub(super) fn finish(self, session: SessionId, commits: u64) -> SessionDecision {
        let Self { mut changes, actions, successor, ended, .. } = self;
        // A session that begins with this commit has its `Expects` already.
        let begins =
            matches!(&changes[..], [_, Change::Expects { session: it, .. }, ..] if *it == session);
        if !changes.is_empty() && !begins {
            changes.insert(0, Change::Expects { session, commits });
        }
        SessionDecision { commit: Commit { changes }, actions, successor, ended }
    }
}
