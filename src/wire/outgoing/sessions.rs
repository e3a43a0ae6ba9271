//! Sessions: lists of them, and what happens to one.

use serde::{Deserialize, Serialize};

use crate::Category;
use crate::run::{RunId, SessionId};
use crate::wire::Stamp;

/// The sessions that were last changed, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionList {
    /// The sessions.
    pub sessions: Vec<SessionEntry>,
    /// How many sessions the store has.
    pub total_count: u64,
}

/// One session of a list. Every field that is not documented as left out is always present: the app
/// drops the whole list if one entry lacks one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionEntry {
    /// The session.
    pub session_id: SessionId,
    /// Its name.
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
    /// The session's open run; left out if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_recipe: Option<ActiveRecipe>,
    /// The last run that ended in it; left out if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_recipe: Option<LastRecipe>,
}

/// A session's open run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActiveRecipe {
    /// The run.
    pub run_id: RunId,
    /// Its recipe's id.
    pub recipe_id: String,
    /// The recipe's label.
    pub recipe_label: String,
    /// The step it is at.
    pub step: String,
    /// How many steps it has taken.
    pub step_count: u32,
    /// No run of the recipe takes more steps; `null` if the server no longer offers the recipe.
    pub max_steps: Option<u32>,
}

/// The last run that ended in a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastRecipe {
    /// The run.
    pub run_id: RunId,
    /// Its recipe's id.
    pub recipe_id: String,
    /// The recipe's label.
    pub recipe_label: String,
    /// The code of the reason it ended for.
    pub reason: String,
    /// Whether it completed, hit a limit or failed.
    pub category: Category,
    /// The reason in a few words.
    pub title: String,
    /// When it ended.
    pub ended_at: Stamp,
}

/// The few sessions that were last changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecentSessions {
    /// The sessions, newest first.
    pub sessions: Vec<RecentSession>,
    /// How many the client asked for at most.
    pub limit: u32,
}

/// A recent session. Its time is a text here and a number in [`SessionEntry`], because that is how
/// the app reads them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecentSession {
    /// The session.
    pub session_id: SessionId,
    /// Its name.
    pub name: String,
    /// Where its agent works.
    pub working_directory: String,
    /// When anything last happened in it.
    pub last_modified: Stamp,
    /// Its agent, by a name that all clients know.
    pub provider: String,
}

/// A session was created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionCreated {
    /// The session.
    #[serde(flatten)]
    pub session: SessionEntry,
    /// The beginning of its first message.
    pub preview: String,
}

/// A session that the client created can be subscribed to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionReady {
    /// The session.
    pub session_id: SessionId,
    /// A text for people.
    pub message: String,
}

/// Everything that was running in a session has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionKilled {
    /// The session.
    pub session_id: SessionId,
    /// A text for people.
    pub message: String,
}

/// The agent has finished its turn, so the session accepts prompts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnComplete {
    /// The session.
    pub session_id: SessionId,
    /// Whether the turn was cut short; left out if it was not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub aborted: bool,
}

/// What agents work on may have changed in a session, and no other message to all clients implies
/// it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkChanged {
    /// The session.
    pub session_id: SessionId,
}
