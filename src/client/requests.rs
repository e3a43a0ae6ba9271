//! The requests that a client can make.

use std::path::PathBuf;
use std::time::Duration;

use super::connection::Client;
use super::error::ClientError;
use crate::ExitReason;
use crate::run::{RunId, SessionId, WorktreeEnd};
use crate::wire::{
    Ack, ClientMessage, DirectoryTrust, DiscardRun, ErrorMessage, ExitRecipe, GetDirectoryTrust,
    KillSession, MergeRun, Prompt, PruneRuns, PruneSessions, ResumeRun, ServerMessage,
    SessionsPruned, SetOrchestration, StartRecipe, Subscribe, TrustDirectory, Unsubscribe,
    UntrustDirectory,
};

/// A run that the server has started or resumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StartedRun {
    /// The run.
    pub run: RunId,
    /// Its session.
    pub session: SessionId,
}

impl Client {
    /// Starts a run, and subscribes to its session.
    ///
    /// # Errors
    /// [`NotStarted`](ClientError::NotStarted) if the run failed before it began,
    /// [`Refused`](ClientError::Refused) if there is no such recipe or the session is busy, or the
    /// connection has ended.
    pub async fn start_recipe(&mut self, start: StartRecipe) -> Result<StartedRun, ClientError> {
        match self.request(ClientMessage::StartRecipe(start)).await {
            Ok(ack) => started(&ack),
            Err(ClientError::Refused(error)) => Err(self.not_started(error)),
            Err(error) => Err(error),
        }
    }

    /// Resumes a run that has ended.
    ///
    /// # Errors
    /// It cannot be resumed, or the connection has ended.
    pub async fn resume_run(&mut self, resume: ResumeRun) -> Result<StartedRun, ClientError> {
        started(&self.request(ClientMessage::ResumeRun(resume)).await?)
    }

    /// Ends the run of a session, if it has one. The reason is one that a person can give:
    /// [`ExitReason::UserRequested`] or [`ExitReason::UserStopped`].
    ///
    /// # Errors
    /// The server refused it, or the connection has ended.
    pub async fn exit_recipe(
        &mut self,
        session_id: SessionId,
        reason: ExitReason,
    ) -> Result<(), ClientError> {
        self.ask(ClientMessage::ExitRecipe(ExitRecipe { session_id, reason })).await
    }

    /// Ends everything that is running in a session.
    ///
    /// # Errors
    /// The server refused it, or the connection has ended.
    pub async fn kill_session(&mut self, session_id: SessionId) -> Result<(), ClientError> {
        self.ask(ClientMessage::KillSession(KillSession { session_id })).await
    }

    /// Prompts a session's agent, and subscribes to the session.
    ///
    /// # Errors
    /// There is no such session and it cannot be created, or the connection has ended.
    pub async fn prompt(&mut self, prompt: Prompt) -> Result<(), ClientError> {
        self.ask(ClientMessage::Prompt(prompt)).await
    }

    /// Subscribes to a session's conversation from the given offset on. It arrives as
    /// `session_history`, among the messages to come.
    ///
    /// # Errors
    /// The server refused it, or the connection has ended.
    pub async fn subscribe(&mut self, subscribe: Subscribe) -> Result<(), ClientError> {
        self.ask(ClientMessage::Subscribe(subscribe)).await
    }

    /// Unsubscribes from a session's conversation.
    ///
    /// # Errors
    /// The connection has ended.
    pub async fn unsubscribe(&mut self, session: SessionId) -> Result<(), ClientError> {
        self.ask(ClientMessage::Unsubscribe(Unsubscribe { session_id: Some(session) })).await
    }

    /// Switches recipes on or off, everywhere or in one session.
    ///
    /// # Errors
    /// The server failed, or the connection has ended.
    pub async fn set_orchestration(
        &mut self,
        enabled: bool,
        session_id: Option<SessionId>,
    ) -> Result<(), ClientError> {
        self.ask(ClientMessage::SetOrchestration(SetOrchestration { enabled, session_id })).await
    }

    /// Deletes the runs that ended longer ago than this, and returns how many there were.
    ///
    /// # Errors
    /// The server failed, or the connection has ended.
    pub async fn prune_runs(&mut self, older_than: Duration) -> Result<u64, ClientError> {
        self.request(ClientMessage::PruneRuns(PruneRuns { older_than })).await?;
        self.take_last(|message| match message {
            ServerMessage::RunsPruned(pruned) => Some(pruned.count),
            _ => None,
        })
    }

    /// Deletes the sessions in which nothing has happened for this long, with their runs and
    /// conversations.
    ///
    /// # Errors
    /// The server failed, or the connection has ended.
    pub async fn prune_sessions(
        &mut self,
        older_than: Duration,
    ) -> Result<SessionsPruned, ClientError> {
        self.request(ClientMessage::PruneSessions(PruneSessions { older_than })).await?;
        self.take_last(|message| match message {
            ServerMessage::SessionsPruned(pruned) => Some(pruned.clone()),
            _ => None,
        })
    }

    /// Merges the worktree of a run into the branch that is checked out where the run was started.
    ///
    /// # Errors
    /// [`Refused`](ClientError::Refused), which leaves everything unchanged, or the connection has
    /// ended.
    pub async fn merge_run(&mut self, run_id: RunId) -> Result<WorktreeEnd, ClientError> {
        self.end_worktree(ClientMessage::MergeRun(MergeRun { run_id })).await
    }

    /// Discards the worktree of a run, with its uncommitted changes.
    ///
    /// # Errors
    /// [`Refused`](ClientError::Refused), which leaves the worktree in place, or the connection has
    /// ended.
    pub async fn discard_run(&mut self, run_id: RunId) -> Result<WorktreeEnd, ClientError> {
        self.end_worktree(ClientMessage::DiscardRun(DiscardRun { run_id })).await
    }

    async fn end_worktree(&mut self, message: ClientMessage) -> Result<WorktreeEnd, ClientError> {
        self.request(message).await?;
        self.take_last(|message| match message {
            ServerMessage::WorktreeEnded(ended) => Some(ended.end.clone()),
            _ => None,
        })
    }

    /// Whether the repository of a directory is trusted.
    ///
    /// # Errors
    /// The repository cannot be read, or the connection has ended.
    pub async fn directory_trust(
        &mut self,
        directory: impl Into<PathBuf>,
    ) -> Result<DirectoryTrust, ClientError> {
        let working_directory = directory.into();
        self.ask_trust(ClientMessage::GetDirectoryTrust(GetDirectoryTrust { working_directory }))
            .await
    }

    /// Records that the repository of a directory is trusted. Only a client that [may
    /// widen](crate::wire::Connected::may_widen) runs may.
    ///
    /// # Errors
    /// The server refused it, or the connection has ended.
    pub async fn trust_directory(
        &mut self,
        directory: impl Into<PathBuf>,
    ) -> Result<DirectoryTrust, ClientError> {
        let working_directory = directory.into();
        self.ask_trust(ClientMessage::TrustDirectory(TrustDirectory { working_directory })).await
    }

    /// Deletes that record. Only a client that [may widen](crate::wire::Connected::may_widen) runs
    /// may.
    ///
    /// # Errors
    /// The server refused it, or the connection has ended.
    pub async fn untrust_directory(
        &mut self,
        directory: impl Into<PathBuf>,
    ) -> Result<DirectoryTrust, ClientError> {
        let working_directory = directory.into();
        self.ask_trust(ClientMessage::UntrustDirectory(UntrustDirectory { working_directory }))
            .await
    }

    async fn ask_trust(&mut self, message: ClientMessage) -> Result<DirectoryTrust, ClientError> {
        self.request(message).await?;
        self.take_last(|message| match message {
            ServerMessage::DirectoryTrust(trust) => Some(trust.clone()),
            _ => None,
        })
    }

    async fn ask(&mut self, message: ClientMessage) -> Result<(), ClientError> {
        self.request(message).await.map(|_| ())
    }

    /// Takes the message that answered a request besides its `ack`. The server answers in order, so
    /// it is the last of its kind before the `ack`.
    fn take_last<T>(&mut self, is: impl Fn(&ServerMessage) -> Option<T>) -> Result<T, ClientError> {
        let found = self
            .backlog
            .iter()
            .enumerate()
            .rev()
            .find_map(|(at, message)| Some((at, is(message)?)));
        let Some((at, answer)) = found else {
            return Err(ClientError::Unexpected(
                "a request was acknowledged without its answer".to_owned(),
            ));
        };
        self.backlog.remove(at);
        Ok(answer)
    }

    /// Why a run was not started, with the `recipe_exited` that the server published for it if the
    /// error names a run.
    fn not_started(&self, error: Box<ErrorMessage>) -> ClientError {
        let published_end = |message: &ServerMessage| match message {
            ServerMessage::RecipeExited(exited)
                if exited.of.map(|of| of.run_id) == error.run_id =>
            {
                Some(Box::new(exited.clone()))
            }
            _ => None,
        };
        match error.run_id.and_then(|_| self.backlog.iter().rev().find_map(published_end)) {
            Some(exited) => ClientError::NotStarted { error, exited },
            None => ClientError::Refused(error),
        }
    }
}

fn started(ack: &Ack) -> Result<StartedRun, ClientError> {
    match (ack.run_id, ack.session_id) {
        (Some(run), Some(session)) => Ok(StartedRun { run, session }),
        _ => Err(ClientError::Unexpected(
            "a run was started, and the answer does not name it".to_owned(),
        )),
    }
}
