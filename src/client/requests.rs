//! What can be asked of a server.

use std::path::PathBuf;
use std::time::Duration;

use super::connection::Client;
use super::error::ClientError;
use crate::ExitReason;
use crate::run::{RunId, SessionId, WorktreeEnd};
use crate::wire::{
    Ack, ClientMessage, DirectoryTrust, DiscardRun, ErrorMessage, ExitRecipe, GetDirectoryTrust, KillSession,
    MergeRun, Prompt, PruneRuns, PruneSessions, ResumeRun, ServerMessage, SessionsPruned, SetOrchestration,
    StartRecipe, Subscribe, TrustDirectory, Unsubscribe, UntrustDirectory,
};

/// A run that the server has started or resumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Started {
    /// The run.
    pub run: RunId,
    /// Its session.
    pub session: SessionId,
}

impl Client {
    /// Starts a run. The client hears what is said in its session from now on.
    ///
    /// # Errors
    /// [`NotStarted`](ClientError::NotStarted) where the run failed before it began, [`Refused`](ClientError::Refused) where
    /// there is no such recipe or the session is busy, or the connection has ended.
    pub async fn start_recipe(&mut self, start: StartRecipe) -> Result<Started, ClientError> {
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
    pub async fn resume_run(&mut self, resume: ResumeRun) -> Result<Started, ClientError> {
        started(&self.request(ClientMessage::ResumeRun(resume)).await?)
    }

    /// Ends the run of a session, if it has one. The reason is one that a person can give: [`ExitReason::UserRequested`] or
    /// [`ExitReason::UserStopped`].
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

    /// Says something to a session's agent. The client hears what is said there from now on.
    ///
    /// # Errors
    /// There is no such session and it cannot be begun, or the connection has ended.
    pub async fn prompt(&mut self, prompt: Prompt) -> Result<(), ClientError> {
        self.ask(ClientMessage::Prompt(prompt)).await
    }

    /// Hears what is said in a session, from the offset that is named on: as `session_history`, among the messages to come.
    ///
    /// # Errors
    /// The server refused it, or the connection has ended.
    pub async fn subscribe(&mut self, subscribe: Subscribe) -> Result<(), ClientError> {
        self.ask(ClientMessage::Subscribe(subscribe)).await
    }

    /// Hears it no longer.
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

    /// Deletes the runs that ended longer ago than this, and says how many they were.
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

    /// Deletes the sessions in which nothing has happened for this long, with all that is in them.
    ///
    /// # Errors
    /// The server failed, or the connection has ended.
    pub async fn prune_sessions(&mut self, older_than: Duration) -> Result<SessionsPruned, ClientError> {
        self.request(ClientMessage::PruneSessions(PruneSessions { older_than })).await?;
        self.take_last(|message| match message {
            ServerMessage::SessionsPruned(pruned) => Some(pruned.clone()),
            _ => None,
        })
    }

    /// Merges the worktree of a run into the branch that is checked out where the run was started.
    ///
    /// # Errors
    /// [`Refused`](ClientError::Refused) where nothing has changed, or the connection has ended.
    pub async fn merge_run(&mut self, run_id: RunId) -> Result<WorktreeEnd, ClientError> {
        self.end_worktree(ClientMessage::MergeRun(MergeRun { run_id })).await
    }

    /// Throws the worktree of a run away, with what is not committed in it.
    ///
    /// # Errors
    /// [`Refused`](ClientError::Refused) where it is still there, or the connection has ended.
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
    /// It cannot be looked at, or the connection has ended.
    pub async fn directory_trust(
        &mut self,
        directory: impl Into<PathBuf>,
    ) -> Result<DirectoryTrust, ClientError> {
        let working_directory = directory.into();
        self.ask_trust(ClientMessage::GetDirectoryTrust(GetDirectoryTrust { working_directory })).await
    }

    /// Records that the repository of a directory is trusted. Only a client that [may widen](crate::wire::Connected::may_widen) runs may.
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

    /// Deletes that record. Only a client that [may widen](crate::wire::Connected::may_widen) runs may.
    ///
    /// # Errors
    /// The server refused it, or the connection has ended.
    pub async fn untrust_directory(
        &mut self,
        directory: impl Into<PathBuf>,
    ) -> Result<DirectoryTrust, ClientError> {
        let working_directory = directory.into();
        self.ask_trust(ClientMessage::UntrustDirectory(UntrustDirectory { working_directory })).await
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

    /// Takes what a request was answered with besides its `ack`. The server answers in order, so it is the last of its kind
    /// before that.
    fn take_last<T>(&mut self, is: impl Fn(&ServerMessage) -> Option<T>) -> Result<T, ClientError> {
        let found = self.backlog.iter().enumerate().rev().find_map(|(at, message)| Some((at, is(message)?)));
        let Some((at, answer)) = found else {
            return Err(ClientError::Unexpected("a request was acknowledged without its answer".to_owned()));
        };
        self.backlog.remove(at);
        Ok(answer)
    }

    /// Why a run was not started: with the end as which the server told it, where the error names that.
    fn not_started(&self, error: Box<ErrorMessage>) -> ClientError {
        let is_told = |message: &ServerMessage| match message {
            ServerMessage::RecipeExited(exited) if exited.of.map(|of| of.run_id) == error.run_id => {
                Some(Box::new(exited.clone()))
            }
            _ => None,
        };
        match error.run_id.and_then(|_| self.backlog.iter().rev().find_map(is_told)) {
            Some(exited) => ClientError::NotStarted { error, exited },
            None => ClientError::Refused(error),
        }
    }
}

fn started(ack: &Ack) -> Result<Started, ClientError> {
    match (ack.run_id, ack.session_id) {
        (Some(run), Some(session)) => Ok(Started { run, session }),
        _ => Err(ClientError::Unexpected("a run was started, and the answer does not name it".to_owned())),
    }
}
