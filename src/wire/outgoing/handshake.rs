//! The handshake, and short answers.

use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, IntoStaticStr, VariantArray, VariantNames};

use crate::run::{RunId, SessionId};
use crate::wire::{ProtocolVersion, RequestId};
use crate::{Advise, UnknownName};

/// The first message of the server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// A greeting.
    pub message: String,
    /// The newest version of the protocol that the server speaks: exactly three numbers.
    pub version: String,
    /// The version of the authentication scheme.
    pub auth_version: u32,
    /// What the client should send next.
    pub instructions: String,
}

impl Default for Hello {
    fn default() -> Self {
        Self {
            message: "Welcome to Surefire".to_owned(),
            version: ProtocolVersion::NEWEST.to_string(),
            auth_version: 1,
            instructions: "Send connect message with api_key".to_owned(),
        }
    }
}

/// The client is authenticated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Connected {
    /// A text for people.
    pub message: String,
    /// The id from the client's `connect`; some clients fail without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The version of the protocol that both speak.
    pub negotiated_protocol_version: String,
    /// Whether the server lets this client widen runs and trust repositories.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub may_widen: bool,
}

/// The client's key is wrong, and the socket closes. The app does not reconnect by itself after
/// this.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AuthError {
    /// A text for people.
    pub message: String,
}

impl Default for AuthError {
    fn default() -> Self {
        Self { message: "Authentication failed".to_owned() }
    }
}

/// A request was carried out, or will be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
pub struct Ack {
    /// A text for people.
    pub message: String,
    /// The session it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// The run that was started or resumed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
    /// The id that the client gave its request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<RequestId>,
}

/// A request was refused. The socket stays open, unless the code says otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
pub struct ErrorMessage {
    /// What is wrong, and after a semicolon what to do about it, if there is a remedy.
    pub message: String,
    /// The part of the message that says what to do, for clients that show it separately.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
    /// What kind of error it is, for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<ErrorCode>,
    /// The session it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// The run whose end was published to all clients because of this failure, if one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
    /// The id that the client gave its request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<RequestId>,
    /// The files that both sides changed, if a worktree was not merged because of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<String>,
    /// The version that a client needs at least.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required: Option<String>,
    /// The version that it announced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received: Option<String>,
}

impl ErrorMessage {
    /// What is wrong, and what to do about it if there is a remedy.
    ///
    /// ```
    /// use surefire::store::StoreError;
    /// use surefire::wire::ErrorMessage;
    ///
    /// let error = ErrorMessage::about(&StoreError::Full);
    /// assert_eq!(error.problem(), "there is no room left for the store");
    /// let remedy = error.remedy.as_deref().unwrap();
    /// assert_eq!(error.message, format!("{}; {remedy}", error.problem()));
    /// ```
    #[must_use]
    pub fn about(error: &impl Advise) -> Self {
        let remedy = error.remedy().map(|remedy| remedy.to_string());
        Self { message: error.to_string(), remedy, ..Self::default() }
    }

    /// The message without the remedy.
    #[must_use]
    pub fn problem(&self) -> &str {
        let end = self.remedy.as_ref().map(|words| format!("; {words}"));
        // A message that was cut to fit the client's limit may have lost its end.
        end.and_then(|end| self.message.strip_suffix(&end)).unwrap_or(&self.message)
    }
}

/// The kinds of errors, for programs.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    VariantArray,
    Serialize,
    Deserialize,
    Display,
    EnumString,
    IntoStaticStr,
    VariantNames,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", parse_err_ty = UnknownName, parse_err_fn = unknown_error_code)]
#[non_exhaustive]
pub enum ErrorCode {
    /// The client speaks only versions that the server does not; the socket closes.
    UnsupportedProtocolVersion,
    /// The frame is not a message, or one of its fields is wrong.
    InvalidMessage,
    /// The message type is unknown.
    UnknownMessageType,
    /// The client exceeded the rate limit; the socket closes.
    RateLimited,
    /// There is no such recipe.
    RecipeNotFound,
    /// There is no such session.
    SessionNotFound,
    /// There is no such run.
    RunNotFound,
    /// A run is running in the session.
    SessionBusy,
    /// Recipes are switched off.
    OrchestrationDisabled,
    /// The run was not started, for the reason that its `recipe_exited` names.
    StartFailed,
    /// The run cannot be resumed.
    CannotResume,
    /// The worktree of the run was neither merged nor discarded.
    CannotEndWorktree,
    /// The repository of the directory can be neither read nor trusted.
    CannotTrust,
    /// The server does not support the request.
    NotSupported,
    /// The server is about to stop.
    ShuttingDown,
    /// The server failed.
    Internal,
}

impl ErrorCode {
    /// Every error code, in the order of declaration.
    pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;
}

fn unknown_error_code(name: &str) -> UnknownName {
    UnknownName::among(<ErrorCode as strum::VariantNames>::VARIANTS, "error code", name)
}
