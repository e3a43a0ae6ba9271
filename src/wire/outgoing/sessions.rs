//! Sessions: lists of them, and what becomes of one.

use serde::{Deserialize, Serialize};

use crate::Category;
use crate::run::{RunId, SessionId};
use crate::wire::Stamp;

/// The sessions that were last changed, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionList {
    /// The sessions.
    pub sessions: Vec<SessionEntry>,
    /// How many there are in all.
    pub total_count: u64,
}

/// One session of a list. Every field is always there: one entry without loses the app the whole list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionEntry {
    /// The session.
    pub session_id: SessionId,
    /// What people call it.
    pub name: String,
    /// Where its agent works.
    pub working_directory: String,
    /// When anything last happened in it, in milliseconds since 1970.
    pub last_modified: u64,
    /// How many messages its conversation has.
    pub message_count: u64,
    /// Its agent, by a name that all clients know.
    pub provider: String,
    /// Its agent, by its own name.
    pub agent: String,
    /// The run that holds it; left out where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_recipe: Option<ActiveRecipe>,
    /// The run that ended in it before; left out where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_recipe: Option<LastRecipe>,
}

/// The run that holds a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActiveRecipe {
    /// The run.
    pub run_id: RunId,
    /// Its recipe's id.
    pub recipe_id: String,
    /// What people call that recipe.
    pub recipe_label: String,
    /// The step it is at.
    pub step: String,
    /// How many steps it has taken.
    pub step_count: u32,
    /// No run of the recipe takes more steps; `null` where the server does not offer it any more.
    pub max_steps: Option<u32>,
}

/// The run that ended in a session before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastRecipe {
    /// The run.
    pub run_id: RunId,
    /// Its recipe's id.
    pub recipe_id: String,
    /// What people call that recipe.
    pub recipe_label: String,
    /// Why it ended, by its code.
    pub reason: String,
    /// Whether it completed, hit a limit or failed.
    pub category: Category,
    /// The same in a few words.
    pub title: String,
    /// When it ended.
    pub ended_at: Stamp,
}

/// The few sessions that were last changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecentSessions {
    /// The sessions, newest first.
    pub sessions: Vec<RecentSession>,
    /// How many were wanted at most.
    pub limit: u32,
}

/// One of the few. Its time is a text here, and a number in the other list; that is how the app reads them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecentSession {
    /// The session.
    pub session_id: SessionId,
    /// What people call it.
    pub name: String,
    /// Where its agent works.
    pub working_directory: String,
    /// When anything last happened in it.
    pub last_modified: Stamp,
    /// Its agent, by a name that all clients know.
    pub provider: String,
}

/// A session is new.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionCreated {
    /// The session.
    #[serde(flatten)]
    pub session: SessionEntry,
    /// The beginning of what was first said in it.
    pub preview: String,
}

/// A session that the client has begun can be subscribed to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionReady {
    /// The session.
    pub session_id: SessionId,
    /// Words.
    pub message: String,
}

/// Whatever went on in a session has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionKilled {
    /// The session.
    pub session_id: SessionId,
    /// Words.
    pub message: String,
}

/// The agent has finished its turn, so the session can be talked to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnComplete {
    /// The session.
    pub session_id: SessionId,
    /// Whether the turn was cut short; there only if it was.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub aborted: bool,
}

/// What agents work on may have changed in a session, and nothing else that all clients are told says so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkChanged {
    /// The session.
    pub session_id: SessionId,
}
