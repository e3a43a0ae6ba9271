//! Being a guest of the server that holds the data directory: a client like any other.

use std::collections::HashMap;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{WebSocketStream, client_async};

use super::books::Books;
use super::dial::Stream;
use super::http::Api;
use super::stir::Stir;
use super::trouble::{Trouble, wrong_key};
use super::wish::{GoOn, Wish};
use crate::cli::usage::complaint::Complaint;
use crate::run::{RunId, SessionId};
use crate::wire::{
    ErrorCode, ErrorMessage, ProtocolVersion, RecipeExited, ServerMessage, SessionsPruned, WantedLimits,
};
use crate::{ExitReason, Registry};

/// How long getting in may take. A server that is there answers at once.
const PATIENCE: Duration = Duration::from_secs(10);

/// A connection to the server.
pub(in crate::cli) struct Guest {
    api: Api,
    socket: WebSocketStream<Box<dyn Stream>>,
}

impl Guest {
    /// Connects, and shows the key.
    pub(in crate::cli) async fn enter(api: Api) -> Result<Self, Trouble> {
        let entering = tokio::time::timeout(PATIENCE, Self::dial(api)).await;
        entering.unwrap_or(Err(Trouble::Lost))
    }

    async fn dial(api: Api) -> Result<Self, Trouble> {
        let lost = |_| Trouble::Lost;
        let stream = api.connect().await.map_err(lost)?;
        let url = format!("ws://{}/ws", api.address);
        let (socket, _) = client_async(url, stream).await.map_err(|_| Trouble::Lost)?;
        let mut guest = Self { api, socket };
        let version = ProtocolVersion::NEWEST.to_string();
        let key = guest.api.key.clone();
        guest
            .say(&json!({ "type": "connect", "api_key": key.reveal(), "protocol_version": version }))
            .await?;
        // What it is told about sessions and other runs when it comes in is not for this guest.
        guest.say(&json!({ "type": "ping" })).await?;
        loop {
            match guest.hear().await? {
                ServerMessage::Pong => return Ok(guest),
                ServerMessage::AuthError(_) => return Err(wrong_key(guest.api.address).into()),
                ServerMessage::Error(error) => {
                    return Err(wrong("the server does not let us in", &error).into());
                }
                _ => {}
            }
        }
    }

    pub(in crate::cli) fn books(&self) -> Books {
        Books::Theirs(self.api.clone())
    }

    /// Has a run started, and says which one it is.
    pub(in crate::cli) async fn start(&mut self, wish: &Wish) -> Result<RunId, Trouble> {
        let mut message = json!({
            "type": "start_recipe",
            "session_id": wish.session,
            "recipe_id": wish.recipe,
            "working_directory": wish.directory,
            "agent": wish.agent,
            "prompt": wish.about,
            "model": wish.model,
        });
        let limits = WantedLimits {
            time: wish.limits.time,
            max_ticks: wish.limits.max_ticks,
            budget_usd: wish.limits.budget_usd,
            auto_resumes: Some(wish.limits.auto_resumes),
        };
        message["limits"] = limits_of(limits);
        self.say(&message).await?;
        let mut runs = HashMap::new();
        let mut never_began = HashMap::new();
        loop {
            match self.hear().await? {
                ServerMessage::RecipeStarted(started) => {
                    runs.insert(started.session_id, started.of.run_id);
                }
                // A run of which nothing is written down.
                ServerMessage::RecipeExited(exited) if exited.step_count == 0 => {
                    never_began.insert(exited.session_id, exited);
                }
                ServerMessage::Ack(ack) => {
                    if let Some(run) = ack.session_id.and_then(|session| runs.get(&session)) {
                        return Ok(*run);
                    }
                }
                ServerMessage::Error(error) => {
                    let exited = error.session_id.and_then(|session| never_began.get(&session));
                    return Err(not_started(wish, &error, exited).into());
                }
                _ => {}
            }
        }
    }

    /// Has a run gone on with. One that goes on already is as good.
    pub(in crate::cli) async fn resume(&mut self, run: RunId, go_on: GoOn) -> Result<(), Trouble> {
        let mut limits = limits_of(go_on.limits);
        if go_on.allow_visits > 0 {
            limits["allow_visits"] = go_on.allow_visits.into();
        }
        if go_on.allow_steps > 0 {
            limits["allow_steps"] = go_on.allow_steps.into();
        }
        self.say(&json!({ "type": "resume_run", "run_id": run, "limits": limits })).await?;
        loop {
            match self.hear().await? {
                ServerMessage::Ack(_) => return Ok(()),
                ServerMessage::Error(error) => {
                    let goes_on = self.books().run(run).await?.is_some_and(|run| run.ending.is_none());
                    if error.code == Some(ErrorCode::CannotResume) && goes_on {
                        return self.subscribe_to(run).await;
                    }
                    return Err(wrong("the run cannot go on", &error).into());
                }
                _ => {}
            }
        }
    }

    /// Wants to hear what is said in a run's session.
    pub(in crate::cli) async fn subscribe_to(&mut self, run: RunId) -> Result<(), Trouble> {
        let Some(run) = self.books().run(run).await? else { return Ok(()) };
        self.say(&json!({ "type": "subscribe", "session_id": run.session_id })).await
    }

    /// Asks the server to end the run of a session.
    pub(in crate::cli) async fn stop(&mut self, session: SessionId) -> Result<(), Trouble> {
        let reason = ExitReason::UserStopped.definition().code;
        self.say(&json!({ "type": "exit_recipe", "session_id": session, "reason": reason })).await
    }

    /// Has the runs forgotten that ended longer ago than this.
    pub(in crate::cli) async fn prune(&mut self, age: Duration) -> Result<u64, Trouble> {
        self.say(&json!({ "type": "prune_runs", "older_than_s": age.as_secs_f64() })).await?;
        loop {
            match self.hear().await? {
                ServerMessage::RunsPruned(pruned) => return Ok(pruned.count),
                ServerMessage::Error(error) => {
                    return Err(wrong("the runs cannot be forgotten", &error).into());
                }
                _ => {}
            }
        }
    }

    /// Has the sessions deleted in which nothing happened for this long.
    pub(in crate::cli) async fn prune_sessions(&mut self, age: Duration) -> Result<SessionsPruned, Trouble> {
        self.say(&json!({ "type": "prune_sessions", "older_than_s": age.as_secs_f64() })).await?;
        loop {
            match self.hear().await? {
                ServerMessage::SessionsPruned(pruned) => return Ok(pruned),
                ServerMessage::Error(error) => {
                    return Err(wrong("the sessions cannot be deleted", &error).into());
                }
                _ => {}
            }
        }
    }

    /// Waits until something happens.
    pub(in crate::cli) async fn stirred(&mut self) -> Result<Stir, Trouble> {
        loop {
            let of = match self.hear().await? {
                ServerMessage::SessionHistory(history) => return Ok(Stir::Said(history)),
                ServerMessage::RecipeExited(exited) => match exited.of {
                    Some(of) => return Ok(Stir::Ended(of.run_id, Box::new(exited.ending()))),
                    None => continue,
                },
                ServerMessage::RecipeStarted(message) => message.of,
                ServerMessage::RecipeStepStarted(message) => message.of,
                ServerMessage::RecipeStepTransition(message) => message.of,
                ServerMessage::OrchestrationRetry(message) => message.of,
                ServerMessage::TurnComplete(_) => return Ok(Stir::Any),
                _ => continue,
            };
            return Ok(Stir::Run(of.run_id));
        }
    }

    async fn say(&mut self, message: &Value) -> Result<(), Trouble> {
        self.socket.send(Message::text(message.to_string())).await.map_err(|_| Trouble::Lost)
    }

    async fn hear(&mut self) -> Result<ServerMessage, Trouble> {
        loop {
            match self.socket.next().await {
                Some(Ok(Message::Text(text))) => {
                    // A later server may say what we do not know.
                    if let Ok(message) = serde_json::from_str(&text) {
                        return Ok(message);
                    }
                }
                Some(Ok(Message::Close(_)) | Err(_)) | None => return Err(Trouble::Lost),
                Some(Ok(_)) => {}
            }
        }
    }
}

/// The limits that are named, as the wire has them.
fn limits_of(limits: WantedLimits) -> Value {
    let mut named = json!({});
    if let Some(time) = limits.time {
        named["time_s"] = time.as_secs_f64().into();
    }
    if let Some(ticks) = limits.max_ticks {
        named["max_ticks"] = ticks.into();
    }
    if let Some(budget) = limits.budget_usd {
        named["budget_usd"] = budget.into();
    }
    if let Some(resumes) = limits.auto_resumes {
        named["auto_resumes"] = resumes.into();
    }
    named
}

/// Why a run was not started. Where it is told as the end of one, that decides the exit status.
fn not_started(wish: &Wish, error: &ErrorMessage, exited: Option<&RecipeExited>) -> Complaint {
    const WHAT: &str = "the recipe was not started";
    match (error.code, exited) {
        // We have it, or would not have asked.
        (Some(ErrorCode::RecipeNotFound), _) => Complaint::usage(
            WHAT,
            format!("the server that holds the data directory has other recipes, and no `{}`", wish.recipe),
            "stop that server, or name another directory with --data",
        ),
        (_, Some(exited)) => wrong(WHAT, error).status(exited.exit_code),
        (_, None) => wrong(WHAT, error),
    }
}

fn wrong(what: &str, error: &ErrorMessage) -> Complaint {
    Complaint::advised(what, error.problem(), error.remedy.clone())
}
