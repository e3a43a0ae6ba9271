//! Being a guest of the server that holds the data directory: a client like any other.

use std::time::Duration;

use super::books::Books;
use super::stir::Stir;
use super::trouble::{Trouble, asked, wrong};
use super::wish::{GoOn, Wish};
use crate::ExitReason;
use crate::cli::usage::complaint::Complaint;
use crate::client::{Client, ClientError, Endpoint};
use crate::engine::{Untrusted, WorktreeChoice};
use crate::run::{Permits, RunId, SessionId, WorktreeEnd};
use crate::wire::{
    ClientMessage, Connect, ErrorCode, ErrorMessage, ExitRecipe, IfUntrusted, ResumeRun, RunOutput,
    ServerMessage, SessionsPruned, StartIn, StartRecipe, Subscribe, WantedLimits,
};

/// What stands before every reason for not starting.
const NOT_STARTED: &str = "the recipe was not started";

/// A connection to the server.
pub(in crate::cli) struct Guest {
    client: Client,
}

impl Guest {
    /// Connects, and shows the key.
    pub(in crate::cli) async fn enter(server: Endpoint) -> Result<Self, Trouble> {
        // With the view comes what commands print while they run.
        let announced = Connect { spacing: false, view: true, ..Connect::default() };
        match Client::connect_as(server.clone(), announced).await {
            Ok(client) => Ok(Self { client }),
            Err(error) => Err(asked(&server, "the server does not let us in", error)),
        }
    }

    pub(in crate::cli) fn books(&self) -> Books {
        Books::Theirs(self.client.endpoint().clone())
    }

    /// Has a run started, and says which one it is.
    pub(in crate::cli) async fn start(&mut self, wish: &Wish) -> Result<RunId, Trouble> {
        let start = StartRecipe {
            session: StartIn::from(wish.session),
            recipe_id: wish.recipe.clone(),
            working_directory: Some(wish.directory.clone()),
            provider: None,
            agent: wish.agent.map(str::to_owned),
            model: wish.model.clone(),
            prompt: wish.about.clone(),
            allow_tools: wish.allow_tools.clone(),
            allow_dirty: wish.permits.allow_dirty,
            allow_deps: wish.permits.allow_deps,
            force_parallel: wish.permits.force_parallel,
            trust: wish.trust,
            untrusted: match wish.untrusted {
                Untrusted::Refuse => None,
                Untrusted::Skip => Some(IfUntrusted::Skip),
            },
            isolate: wish.isolate,
            limits: WantedLimits {
                time: wish.limits.time,
                max_ticks: wish.limits.max_ticks,
                budget_usd: wish.limits.budget_usd,
                auto_resumes: Some(wish.limits.auto_resumes),
            },
        };
        let started = self.client.start_recipe(start).await;
        self.client.clear_backlog();
        match started {
            Ok(started) => Ok(started.run),
            // We have it, or would not have asked.
            Err(ClientError::Refused(error)) if error.code == Some(ErrorCode::RecipeNotFound) => {
                Err(other_recipes(wish).into())
            }
            // The end as which it was told decides the exit status.
            Err(ClientError::NotStarted { error, exited }) => {
                Err(wrong(NOT_STARTED, &error).status(exited.exit_code).into())
            }
            Err(error) => Err(asked(self.client.endpoint(), NOT_STARTED, error)),
        }
    }

    /// Has a run resumed. One that is running already is as good.
    pub(in crate::cli) async fn resume(&mut self, run: RunId, go_on: GoOn) -> Result<(), Trouble> {
        let GoOn { limits, allow_visits, allow_steps, allow_tools, permits, .. } = go_on;
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
            Err(error) => Err(asked(self.client.endpoint(), "the run cannot go on", error)),
        }
    }

    /// Whether a run was not resumed because it is running.
    async fn is_running(&self, run: RunId, refused: &ErrorMessage) -> Result<bool, Trouble> {
        Ok(refused.code == Some(ErrorCode::CannotResume)
            && self.books().run(run).await?.is_some_and(|run| run.ending.is_none()))
    }

    /// Wants to hear what is said in a run's session.
    pub(in crate::cli) async fn subscribe_to(&mut self, run: RunId) -> Result<(), Trouble> {
        let Some(run) = self.books().run(run).await? else { return Ok(()) };
        let subscribe = Subscribe { session_id: run.session_id, from: None, file_signature_seen: None };
        let subscribed = self.client.subscribe(subscribe).await;
        subscribed.map_err(|error| asked(self.client.endpoint(), "the conversation cannot be read", error))
    }

    /// Asks the server to end the run of a session. That takes its time, and what becomes of it is heard of like everything
    /// else.
    pub(in crate::cli) async fn stop(&mut self, session_id: SessionId) -> Result<(), Trouble> {
        let exit = ExitRecipe { session_id, reason: ExitReason::UserStopped };
        self.client.send(ClientMessage::ExitRecipe(exit)).await.map(|_| ()).map_err(|_| Trouble::Lost)
    }

    /// Has the runs deleted that ended longer ago than this.
    pub(in crate::cli) async fn prune(&mut self, age: Duration) -> Result<u64, Trouble> {
        let pruned = self.client.prune_runs(age).await;
        pruned.map_err(|error| asked(self.client.endpoint(), "the runs cannot be forgotten", error))
    }

    /// Has the sessions deleted in which nothing happened for this long.
    pub(in crate::cli) async fn prune_sessions(&mut self, age: Duration) -> Result<SessionsPruned, Trouble> {
        let pruned = self.client.prune_sessions(age).await;
        pruned.map_err(|error| asked(self.client.endpoint(), "the sessions cannot be deleted", error))
    }

    /// Has the worktree of a run merged or thrown away.
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

    /// Waits until something happens.
    pub(in crate::cli) async fn stirred(&mut self) -> Result<Stir, Trouble> {
        loop {
            let of = match self.client.next().await.map_err(|_| Trouble::Lost)? {
                ServerMessage::SessionHistory(history) => return Ok(Stir::Said(history)),
                ServerMessage::RecipeExited(exited) => match exited.of {
                    Some(of) => return Ok(Stir::Ended(of.run_id, Box::new(exited.ending()))),
                    None => continue,
                },
                ServerMessage::RecipeStarted(message) => message.of,
                ServerMessage::RecipeStepStarted(message) => message.of,
                ServerMessage::RecipeStepTransition(message) => message.of,
                ServerMessage::OrchestrationRetry(message) => message.of,
                ServerMessage::RunOutput(RunOutput { run_id, line, .. }) => {
                    return Ok(Stir::Printed(run_id, line));
                }
                ServerMessage::TurnComplete(_) => return Ok(Stir::Any),
                _ => continue,
            };
            return Ok(Stir::Run(of.run_id));
        }
    }
}

/// The server has none of our recipes.
fn other_recipes(wish: &Wish) -> Complaint {
    Complaint::usage(
        NOT_STARTED,
        format!("the server that holds the data directory has other recipes, and no `{}`", wish.recipe),
        "stop that server, or name another directory with --data",
    )
}
