//! Handling the events of the turn in flight.

use tracing::Instrument;

use super::driver::Driver;
use crate::agent::{self, AgentEvent, Failure};
use crate::engine::crash;
use crate::engine::turn::in_flight::{InFlight, JobEvent, ScratchFiles};
use crate::engine::turn::result::{Checks, JobEnd, NoReply, TurnResult};
use crate::engine::turn::{failure, scratch};
use crate::run::{AttemptId, ToolRefusal, TreeState, TurnFacts};
use crate::session::{ProcessRecord, SessionInput, TurnEnd};
use crate::store::StoreError;
use crate::{Exit, ExitReason};

impl Driver {
    pub(in crate::engine) async fn turn_event(&mut self, event: JobEvent) {
        let Some(turn) = &self.turn else { return };
        let (span, discarded) = (turn.span.clone(), turn.discarded);
        match (event, discarded) {
            (JobEvent::Ended(_), Some(kept)) => {
                self.discarded_turn_ended(kept).instrument(span).await;
            }
            // Other events of a discarded turn are ignored.
            (_, Some(_)) => {}
            (JobEvent::Agent(event), None) => self.agent_event(event).instrument(span).await,
            (JobEvent::Seen(tree), None) => self.seen(tree).instrument(span).await,
            (JobEvent::TimeIsUp, None) => {
                self.persist_partial_turn().instrument(span.clone()).await;
                let took = self.took();
                // `decide` reports its own errors.
                let _ = self.decide(SessionInput::Elapsed { took }).instrument(span).await;
            }
            (JobEvent::Ended(end), None) => self.job_ended(end).instrument(span).await,
        }
    }

    async fn discarded_turn_ended(&mut self, kept: ScratchFiles) {
        if let (Some(turn), ScratchFiles::Remove) = (&self.turn, kept) {
            scratch::remove(&self.shared.options.data, turn.job.attempt()).await;
        }
        self.turn_gone();
    }

    async fn agent_event(&mut self, event: AgentEvent) {
        let Some(turn) = &mut self.turn else { return };
        let attempt = turn.job.attempt();
        match event {
            AgentEvent::Spawned { process, go } => {
                crash::point("after-spawn");
                let process = ProcessRecord { pid: process.pid, started: process.started };
                // Without the record the agent must not begin: dropping `go` ends its process.
                if self.decide(SessionInput::Spawned { attempt, process }).await.is_ok() {
                    crash::point("after-record");
                    let _ = go.send(());
                }
            }
            AgentEvent::Passage(text) => {
                if let Err(error) = self.passage(text).await {
                    tracing::warn!(%error, "failed to persist a passage");
                }
                crash::point("during-turn");
            }
            AgentEvent::Spent { cost_usd } => turn.cost_usd = Some(cost_usd),
            AgentEvent::Used { tool } => tracing::debug!(tool, "agent uses a tool"),
            AgentEvent::Refused(it) => turn.refused.push(refused(it)),
            AgentEvent::Wrote(file) => {
                tracing::debug!(file = %file.display(), "agent wrote a file");
            }
            AgentEvent::Retrying { why } => {
                tracing::info!(why, "agent retries: its service is overloaded");
            }
        }
    }

    async fn passage(&mut self, text: String) -> Result<(), StoreError> {
        let Some(turn) = &mut self.turn else { return Ok(()) };
        let attempt = turn.job.attempt();
        if turn.streamed.is_new(&self.shared, &text).await? {
            self.decide_passage(SessionInput::Passage { attempt, text: text.clone() }).await?;
            if let Some(turn) = &mut self.turn {
                turn.streamed.persisted(text);
            }
        }
        Ok(())
    }

    /// Begins the job once the work tree's state before it is persisted. If that fails, `decide`
    /// drops the session's state and the job.
    async fn seen(&mut self, tree: TreeState) {
        let Some(attempt) = self.turn.as_ref().map(|turn| turn.job.attempt()) else { return };
        if self.decide(SessionInput::TreeSeen { attempt, tree }).await.is_ok()
            && let Some(turn) = &mut self.turn
        {
            turn.begin();
        }
    }

    async fn job_ended(&mut self, end: JobEnd) {
        // Handle the events that were queued before the end.
        while let Some(event) = self.turn.as_mut().and_then(InFlight::queued_event) {
            self.agent_event(event).await;
        }
        // An event that could not be persisted has dropped the session and its turn.
        let Some(mut turn) = self.turn.take() else { return };
        if turn.discarded.is_some() {
            return self.turn_gone();
        }
        crash::point("after-reply");
        let (attempt, took, is_chat) = (turn.job.attempt(), turn.took(), turn.job.run().is_none());
        let (result, tree, violations) = match end {
            JobEnd::Turn(TurnResult { reply, tree, violations }) => (reply, tree, violations),
            JobEnd::Check(Ok(Checks { results, violations })) => {
                drop(turn);
                let ended = SessionInput::CheckEnded { check: attempt, results, violations, took };
                return self.end_job(attempt, ended).await;
            }
            JobEnd::Check(Err(why)) => (Err(why), None, Vec::new()),
        };
        let (cost_usd, refused) = (turn.cost_usd, std::mem::take(&mut turn.refused));
        let mut facts = TurnFacts { took, cost_usd, refused, tree, version: None, violations };
        let end = match result {
            Err(NoReply::Failure(Failure::Detached)) => {
                self.detached = true;
                return;
            }
            // The engine shuts down before the agent got its prompt: the next engine begins the
            // turn anew.
            Err(NoReply::Failure(Failure::StoppedBeforePrompt))
                if self.shared.closing.is_cancelled() =>
            {
                self.detached = true;
                return;
            }
            // A chat turn that the shutdown interrupted is delivered again by the next engine.
            Err(NoReply::Failure(Failure::Stopped))
                if is_chat && self.shared.closing.is_cancelled() =>
            {
                self.detached = true;
                return;
            }
            Ok(reply) => {
                facts.cost_usd = reply.cost_usd;
                facts.version = reply.version;
                facts.refused = reply.refused.into_iter().map(self::refused).collect();
                match turn.streamed.ends_with(&self.shared, &reply.text).await {
                    Ok(already_streamed) => TurnEnd::Replied { text: reply.text, already_streamed },
                    Err(error) => {
                        let at_stake = self.at_stake();
                        return self.not_persisted(&error, at_stake);
                    }
                }
            }
            Err(why) => self.failed(why),
        };
        drop(turn);
        self.end_job(attempt, SessionInput::TurnEnded { attempt, end, facts }).await;
    }

    /// Feeds the end of a job to the session. The job's scratch files are removed once that is
    /// persisted.
    async fn end_job(&mut self, attempt: AttemptId, input: SessionInput) {
        let decided = self.decide(input).await;
        let is_asked_again = self.turn.as_ref().is_some_and(|turn| turn.job.attempt() == attempt);
        if decided.is_ok() && !is_asked_again {
            scratch::remove(&self.shared.options.data, attempt).await;
        }
    }

    fn failed(&self, why: NoReply) -> TurnEnd {
        let now = self.shared.now();
        let (exit, failure, undelivered) = match why {
            NoReply::Unknown => return TurnEnd::Unknown { resume_at: now },
            NoReply::Failure(failure) => {
                let (exit, undelivered) = failure::meaning(&failure);
                (exit, Some(failure), undelivered)
            }
            NoReply::Locked => {
                let words = format!("another process works in session {}", self.id);
                (Exit::because(ExitReason::SessionLocked).describe(words), None, true)
            }
            NoReply::Directory(error) => {
                (Exit::because(ExitReason::Error).describe(error.to_string()), None, true)
            }
            NoReply::Collision(collision) => (
                Exit::because(ExitReason::FileCollision).describe(collision.to_string()),
                None,
                true,
            ),
            NoReply::Panicked(panic) => {
                (Exit::because(ExitReason::InternalError).describe(panic), None, false)
            }
        };
        let resume_at = failure::resume_at(failure.as_ref(), &exit, now);
        TurnEnd::Failed { exit, resume_at, undelivered }
    }
}

fn refused(it: agent::RefusedTool) -> ToolRefusal {
    let allow = it.allowed_by().iter().map(ToString::to_string).collect();
    ToolRefusal { tool: it.tool, input: it.input, allow }
}
