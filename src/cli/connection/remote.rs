//! A connection to the server that holds the data directory, as an ordinary client.

use std::time::Duration;

use super::connection_error::{ConnectionError, client_error, server_error};
use super::connection_event::ConnectionEvent;
use super::requests::{ResumeRequest, StartRequest};
use super::run_history::RunHistory;
use crate::ExitReason;
use crate::cli::usage::cli_error::CliError;
use crate::client::{Client, ClientError, Endpoint};
use crate::engine::{Untrusted, WorktreeChoice};
use crate::run::{Permits, RunId, SessionId, WorktreeEnd};
use crate::wire::{
    ClientMessage, Connect, ErrorCode, ErrorMessage, ExitRecipe, IfUntrusted, ResumeRun, RunOutput,
    ServerMessage, SessionsPruned, StartIn, StartRecipe, Subscribe, WantedLimits,
};

/// The first part of every error about starting.
const NOT_STARTED: &str = "the recipe was not started";

/// A connection to the server.
pub(in crate::cli) struct Remote {
    client: Client,
}

impl Remote {
    /// Connects and authenticates.
    pub(in crate::cli) async fn enter(server: Endpoint) -> Result<Self, ConnectionError> {
        // The view includes the output of the run's commands.
        let announced = Connect { spacing: false, view: true, ..Connect::default() };
        match Client::connect_as(server.clone(), announced).await {
            Ok(client) => Ok(Self { client }),
            Err(error) => Err(client_error(&server, "the server rejects the connection", error)),
        }
    }

    pub(in crate::cli) fn history(&self) -> RunHistory {
        RunHistory::Remote(self.client.endpoint().clone())
    }

    /// Starts a run and returns its id.
    pub(in crate::cli) async fn start(
        &mut self,
        request: &StartRequest,
    ) -> Result<RunId, ConnectionError> {
        let start = StartRecipe {
            session: StartIn::from(request.session),
            recipe_id: request.recipe.clone(),
            working_directory: Some(request.directory.clone()),
            provider: None,
            agent: request.agent.map(str::to_owned),
            model: request.model.clone(),
            prompt: request.task.clone(),
            allow_tools: request.allow_tools.clone(),
            allow_dirty: request.permits.allow_dirty,
            allow_deps: request.permits.allow_deps,
            force_parallel: request.permits.force_parallel,
            trust: request.trust,
            untrusted: match request.untrusted {
                Untrusted::Refuse => None,
                Untrusted::Skip => Some(IfUntrusted::Skip),
            },
            isolate: request.isolate,
            limits: WantedLimits {
                time: request.limits.time,
                max_ticks: request.limits.max_ticks,
                budget_usd: request.limits.budget_usd,
                auto_resumes: Some(request.limits.auto_resumes),
            },
        };
        let started = self.client.start_recipe(start).await;
        self.client.clear_backlog();
        match started {
            Ok(started) => Ok(started.run),
            // This command has the recipe; the server has a different catalog.
            Err(ClientError::Refused(error)) if error.code == Some(ErrorCode::RecipeNotFound) => {
                Err(other_recipes(request).into())
            }
            // The exit reason determines the exit status.
            Err(ClientError::NotStarted { error, exited }) => {
                Err(server_error(NOT_STARTED, &error).status(exited.exit_code).into())
            }
            Err(error) => Err(client_error(self.client.endpoint(), NOT_STARTED, error)),
        }
    }

    /// Resumes a run. Succeeds if it is already running.
    pub(in crate::cli) async fn resume(
        &mut self,
        run: RunId,
        request: ResumeRequest,
    ) -> Result<(), ConnectionError> {
        let ResumeRequest { limits, allow_visits, allow_steps, allow_tools, permits, .. } = request;
        let Permits { allow_deps, force_parallel, .. } = permits;
        let resume = ResumeRun {
            run_id: run,
            limits,
            allow_visits,
            allow_steps,
            allow_tools,
            allow_deps,
            force_parallel,
        };
        let resumed = self.client.resume_run(resume).await;
        self.client.clear_backlog();
        match resumed {
            Ok(_) => Ok(()),
            Err(ClientError::Refused(error)) if self.is_running(run, &error).await? => {
                self.subscribe_to(run).await
            }
            Err(error) => {
                Err(client_error(self.client.endpoint(), "the run cannot be resumed", error))
            }
        }
    }

    /// Whether the server refused to resume a run because it is already running.
    async fn is_running(
        &self,
        run: RunId,
        refused: &ErrorMessage,
    ) -> Result<bool, ConnectionError> {
        Ok(refused.code == Some(ErrorCode::CannotResume)
            && self.history().run(run).await?.is_some_and(|run| run.ending.is_none()))
    }

    /// Subscribes to the messages of a run's session.
    pub(in crate::cli) async fn subscribe_to(&mut self, run: RunId) -> Result<(), ConnectionError> {
        let Some(run) = self.history().run(run).await? else { return Ok(()) };
        let subscribe =
            Subscribe { session_id: run.session_id, from: None, file_signature_seen: None };
        let subscribed = self.client.subscribe(subscribe).await;
        subscribed.map_err(|error| {
            client_error(self.client.endpoint(), "the conversation cannot be read", error)
        })
    }

    /// Asks the server to end the run of a session. Does not wait: the end arrives as an event.
    pub(in crate::cli) async fn stop(
        &mut self,
        session_id: SessionId,
    ) -> Result<(), ConnectionError> {
        let exit = ExitRecipe { session_id, reason: ExitReason::UserStopped };
        self.client
            .send(ClientMessage::ExitRecipe(exit))
            .await
            .map(|_| ())
            .map_err(|_| ConnectionError::Lost)
    }

    /// Deletes the runs that ended longer ago than this.
    pub(in crate::cli) async fn prune(&mut self, age: Duration) -> Result<u64, ConnectionError> {
        let pruned = self.client.prune_runs(age).await;
        pruned.map_err(|error| {
            client_error(self.client.endpoint(), "the runs cannot be deleted", error)
        })
    }

    /// Deletes the sessions without activity for this long.
    pub(in crate::cli) async fn prune_sessions(
        &mut self,
        age: Duration,
    ) -> Result<SessionsPruned, ConnectionError> {
        let pruned = self.client.prune_sessions(age).await;
        pruned.map_err(|error| {
            client_error(self.client.endpoint(), "the sessions cannot be deleted", error)
        })
    }

    /// Merges or discards the worktree of a run.
    pub(in crate::cli) async fn end_worktree(
        &mut self,
        run: RunId,
        choice: WorktreeChoice,
    ) -> Result<WorktreeEnd, ClientError> {
        match choice {
            WorktreeChoice::Merge => self.client.merge_run(run).await,
            WorktreeChoice::Discard => self.client.discard_run(run).await,
        }
    }

    /// Waits for the next change.
    pub(in crate::cli) async fn next_event(&mut self) -> Result<ConnectionEvent, ConnectionError> {
        loop {
            let of = match self.client.next().await.map_err(|_| ConnectionError::Lost)? {
                ServerMessage::SessionHistory(history) => {
                    return Ok(ConnectionEvent::Messages(history));
                }
                ServerMessage::RecipeExited(exited) => match exited.of {
                    Some(of) => {
                        return Ok(ConnectionEvent::Ended(of.run_id, Box::new(exited.ending())));
                    }
                    None => continue,
                },
                ServerMessage::RecipeStarted(message) => message.of,
                ServerMessage::RecipeStepStarted(message) => message.of,
                ServerMessage::RecipeStepTransition(message) => message.of,
                ServerMessage::OrchestrationRetry(message) => message.of,
                ServerMessage::RunOutput(RunOutput { run_id, line, .. }) => {
                    return Ok(ConnectionEvent::Printed(run_id, line));
                }
                ServerMessage::TurnComplete(_) => return Ok(ConnectionEvent::Any),
                _ => continue,
            };
            return Ok(ConnectionEvent::Run(of.run_id));
        }
    }
}

/// The error for a server whose catalog lacks the recipe.
fn other_recipes(request: &StartRequest) -> CliError {
    CliError::usage(
        NOT_STARTED,
        format!("the server that holds the data directory does not offer `{}`", request.recipe),
        "stop that server, or choose another directory with --data",
    )
}
