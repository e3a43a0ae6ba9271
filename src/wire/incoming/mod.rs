//! What clients say. A message is one struct, and one handler of the server's.

mod connect;
mod exit_recipe;
mod limits;
mod orchestration;
mod prompt;
mod prune_runs;
mod prune_sessions;
mod resume_run;
mod sessions;
mod start_recipe;
mod subscribe;

use serde_json::Value;
use strum::{EnumString, IntoStaticStr, VariantNames};

pub use connect::Connect;
pub use exit_recipe::ExitRecipe;
pub use limits::WantedLimits;
pub use orchestration::SetOrchestration;
pub use prompt::{Prompt, PromptTo};
pub use prune_runs::PruneRuns;
pub use prune_sessions::PruneSessions;
pub use resume_run::ResumeRun;
pub use sessions::{KillSession, NotOurs, RefreshSessions, SetMaxMessageSize, Unsubscribe};
pub use start_recipe::{StartIn, StartRecipe};
pub use subscribe::Subscribe;

use super::fields::{Fields, Refusal, Refused};
use crate::run::SessionId;

/// Something a client said.
///
/// ```
/// use surefire::wire::ClientMessage;
///
/// assert_eq!(ClientMessage::read(r#"{"type": "ping", "mood": "fine"}"#), Ok(ClientMessage::Ping));
///
/// let refused = ClientMessage::read(r#"{"type": "start_recipe"}"#).unwrap_err();
/// assert_eq!(refused.why.to_string(), "session_id required in start_recipe message");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum ClientMessage {
    /// Who they are.
    Connect(Connect),
    /// Whether anybody is there.
    Ping,
    /// Which recipes there are.
    GetAvailableRecipes,
    /// To start a recipe.
    StartRecipe(StartRecipe),
    /// To go on with a run that has ended.
    ResumeRun(ResumeRun),
    /// To end the run of a session.
    ExitRecipe(ExitRecipe),
    /// To forget runs that are long over.
    PruneRuns(PruneRuns),
    /// To delete old sessions.
    PruneSessions(PruneSessions),
    /// To switch recipes on or off.
    SetOrchestration(SetOrchestration),
    /// To say something to a session's agent.
    Prompt(Prompt),
    /// To hear what is said in a session.
    Subscribe(Subscribe),
    /// To hear it no longer.
    Unsubscribe(Unsubscribe),
    /// That they have deleted a session on their side.
    SessionDeleted(Unsubscribe),
    /// That something reached them.
    MessageAck,
    /// How large a message may be.
    SetMaxMessageSize(SetMaxMessageSize),
    /// Which sessions there are.
    RefreshSessions(RefreshSessions),
    /// To end whatever goes on in a session.
    KillSession(KillSession),
    /// Something that other servers do, and this one does not.
    NotOurs(NotOurs),
}

/// The types of messages, by the names they have on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
enum Kind {
    Connect,
    Ping,
    GetAvailableRecipes,
    StartRecipe,
    ResumeRun,
    ExitRecipe,
    StopRecipe,
    PruneRuns,
    PruneSessions,
    SetOrchestration,
    Prompt,
    Subscribe,
    Unsubscribe,
    SessionDeleted,
    MessageAck,
    SetMaxMessageSize,
    RefreshSessions,
    KillSession,
    CompactSession,
    InferSessionName,
    ExecuteCommand,
    GetCommandHistory,
    GetCommandOutput,
    CreateWorktreeSession,
    UploadFile,
    ListResources,
    DeleteResource,
    SetDirectory,
    GetGitBranch,
}

impl ClientMessage {
    /// The types of messages that clients send, by the names they have on the wire.
    ///
    /// ```
    /// use surefire::wire::ClientMessage;
    ///
    /// assert!(ClientMessage::TYPES.contains(&"start_recipe"));
    /// ```
    pub const TYPES: &[&str] = Kind::VARIANTS;

    /// Reads a frame's text.
    ///
    /// # Errors
    /// It is no message, or one of its fields is missing or wrong.
    pub fn read(text: &str) -> Result<Self, Refused> {
        if is_bare_ping(text) {
            return Ok(Self::Ping);
        }
        let refuse = |why| Refused { why, session: None };
        // Nesting is limited by the parser; the protocol needs two levels.
        let value =
            serde_json::from_str(text).map_err(|error| refuse(Refusal::NotJson(error.to_string())))?;
        let Value::Object(values) = value else { return Err(refuse(Refusal::NotAnObject)) };
        let session = session_of(&values);
        let refuse = |why| Refused { why, session };
        let Some(Value::String(name)) = values.get("type") else { return Err(refuse(Refusal::NoType)) };
        let Ok(kind) = name.parse::<Kind>() else {
            return Err(refuse(Refusal::UnknownType(name.clone())));
        };
        Self::from_fields(kind, &mut Fields::new(kind.into(), values)).map_err(refuse)
    }

    fn from_fields(kind: Kind, fields: &mut Fields) -> Result<Self, Refusal> {
        Ok(match kind {
            Kind::Connect => Self::Connect(Connect::read(fields)),
            Kind::Ping => Self::Ping,
            Kind::GetAvailableRecipes => Self::GetAvailableRecipes,
            Kind::StartRecipe => Self::StartRecipe(StartRecipe::read(fields)?),
            Kind::ResumeRun => Self::ResumeRun(ResumeRun::read(fields)?),
            // One client calls it so.
            Kind::ExitRecipe | Kind::StopRecipe => Self::ExitRecipe(ExitRecipe::read(fields)?),
            Kind::PruneRuns => Self::PruneRuns(PruneRuns::read(fields)?),
            Kind::PruneSessions => Self::PruneSessions(PruneSessions::read(fields)?),
            Kind::SetOrchestration => Self::SetOrchestration(SetOrchestration::read(fields)?),
            Kind::Prompt => Self::Prompt(Prompt::read(fields)?),
            Kind::Subscribe => Self::Subscribe(Subscribe::read(fields)?),
            Kind::Unsubscribe => Self::Unsubscribe(Unsubscribe::read(fields)),
            Kind::SessionDeleted => Self::SessionDeleted(Unsubscribe::read(fields)),
            Kind::MessageAck => Self::MessageAck,
            Kind::SetMaxMessageSize => Self::SetMaxMessageSize(SetMaxMessageSize::read(fields)?),
            Kind::RefreshSessions => Self::RefreshSessions(RefreshSessions::read(fields)),
            Kind::KillSession => Self::KillSession(KillSession::read(fields)?),
            Kind::CompactSession => {
                Self::NotOurs(NotOurs::CompactSession { session: fields.text_or_nothing("session_id") })
            }
            Kind::InferSessionName => {
                Self::NotOurs(NotOurs::InferSessionName { session: fields.text_or_nothing("session_id") })
            }
            Kind::ExecuteCommand => {
                Self::NotOurs(NotOurs::ExecuteCommand { command: fields.text_or_nothing("command_id") })
            }
            Kind::GetCommandHistory => Self::NotOurs(NotOurs::GetCommandHistory),
            Kind::GetCommandOutput => Self::NotOurs(NotOurs::GetCommandOutput),
            Kind::CreateWorktreeSession => Self::NotOurs(NotOurs::CreateWorktreeSession),
            Kind::UploadFile => Self::NotOurs(NotOurs::UploadFile),
            Kind::ListResources => Self::NotOurs(NotOurs::ListResources),
            Kind::DeleteResource => Self::NotOurs(NotOurs::DeleteResource),
            Kind::SetDirectory => {
                Self::NotOurs(NotOurs::SetDirectory { directory: fields.text_or_nothing("path") })
            }
            Kind::GetGitBranch => Self::NotOurs(NotOurs::GetGitBranch {
                directory: fields.text_or_nothing("working_directory"),
            }),
        })
    }
}

/// The session that a message is about, so that also a refusal can say so.
fn session_of(values: &serde_json::Map<String, Value>) -> Option<SessionId> {
    let names = ["session_id", "resume_session_id", "new_session_id"];
    names.iter().find_map(|name| values.get(*name)?.as_str()?.parse().ok())
}

/// How long a message is that is worth a first look.
const BARE: usize = 64;

/// Whether it is a ping and nothing else. Clients send more of these than of everything else, and nothing has to be taken
/// out of them.
fn is_bare_ping(text: &str) -> bool {
    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Bare<'m> {
        #[serde(rename = "type")]
        name: &'m str,
    }
    text.len() <= BARE
        && serde_json::from_str::<Bare<'_>>(text).is_ok_and(|bare| bare.name.parse() == Ok(Kind::Ping))
}
