//! What is written at once.

use std::path::PathBuf;

use uuid::Uuid;

use super::records::{Message, Process, Recorded, Role, Session};
use crate::run::{AttemptId, Event, PromptId, RunId, SessionId};

/// Changes that belong together: all of them are written, or none.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Commit {
    /// The changes, in order.
    pub changes: Vec<Change>,
}

/// One change.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// A session is there from now on. One that is there already stays as it is.
    Session(NewSession),
    /// Something happened in a run. A run begins with [`Event::Started`], and holds its session until
    /// [`Event::Ended`]; [`Event::Resumed`] takes it again.
    ///
    /// The events also say what becomes of attempts and prompts: a turn that began is an open attempt until its reply
    /// or the run's end, and what it passes on no longer waits, unless the end cut it short.
    Events {
        /// The run.
        run: RunId,
        /// The number of the last event that the writer knows of; if there is a later one, nothing is written.
        after: u64,
        /// What happened.
        events: Vec<Event>,
        /// When, in milliseconds since 1970.
        at: u64,
    },
    /// Something was said.
    Message(NewMessage),
    /// An attempt has a process now.
    Spawned {
        /// The attempt.
        attempt: AttemptId,
        /// Its process.
        process: Process,
    },
    /// Somebody has something to say to the agent outside of a run, and it waits. A run that queues the same prompt
    /// later takes it over, in its place.
    Queued {
        /// Names it.
        prompt: PromptId,
        /// In which session.
        session: SessionId,
        /// The words.
        text: String,
        /// When, in milliseconds since 1970.
        at: u64,
    },
    /// The agent is about to be given a prompt that waited, outside of a run.
    ChatBegan {
        /// This attempt.
        attempt: AttemptId,
        /// In which session.
        session: SessionId,
        /// What it passes on.
        prompt: PromptId,
        /// When, in milliseconds since 1970.
        at: u64,
    },
    /// An attempt outside of a run ended.
    ChatEnded {
        /// The attempt.
        attempt: AttemptId,
        /// Whether the agent has not heard what it was told, so that it waits again.
        unheard: bool,
    },
    /// What people said is no longer to be passed on.
    Withdrawn {
        /// What they said.
        prompts: Vec<PromptId>,
    },
    /// The agent has answered in this session, so its conversation exists.
    Opened {
        /// The session.
        session: SessionId,
    },
    /// Recipes are switched on or off: everywhere, or for one session.
    Orchestration {
        /// Only for this session.
        session: Option<SessionId>,
        /// On or off.
        enabled: bool,
    },
    /// A session and all that belongs to it is to be forgotten. It must not have a run that is going on.
    Forgotten {
        /// The session.
        session: SessionId,
    },
}

/// A session to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSession {
    /// Its id.
    pub id: SessionId,
    /// What people call it.
    pub name: String,
    /// Where its agent works.
    pub directory: PathBuf,
    /// Its agent, by name.
    pub agent: String,
    /// What its agent is told beside every prompt.
    pub system_prompt: Option<String>,
    /// When it began, in milliseconds since 1970.
    pub at: u64,
}

/// Something said, before it has its place in the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMessage {
    /// The conversation.
    pub session: SessionId,
    /// Names the message, everywhere.
    pub id: Uuid,
    /// Who said it.
    pub role: Role,
    /// The words.
    pub text: String,
    /// When, in milliseconds since 1970. A message is never older than the one before it: the store sees to that.
    pub at: u64,
    /// The attempt it belongs to.
    pub attempt: Option<AttemptId>,
    /// The run it belongs to.
    pub run: Option<RunId>,
}

/// What a commit became: the sessions it began, and its events and messages with the numbers they were given.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Committed {
    /// The sessions that were not there before, as they are after the whole commit.
    pub sessions: Vec<Session>,
    /// The events.
    pub events: Vec<Recorded>,
    /// The messages.
    pub messages: Vec<Message>,
}
