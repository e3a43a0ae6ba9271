//! What the turn in flight brings about.

use tracing::Instrument;

use super::driver::Driver;
use crate::agent::{Failure, Reply, Sign};
use crate::engine::crash;
use crate::engine::turn::in_flight::{InFlight, Kept, NoReply, TurnEvent, TurnResult};
use crate::engine::turn::{failure, scratch};
use crate::session::{Input, Process, TurnEnd};
use crate::store::StoreError;
use crate::{Exit, ExitReason};

impl Driver {
    pub(in crate::engine) async fn turn_event(&mut self, event: TurnEvent) {
        let Some(turn) = &self.turn else { return };
        let (span, discarded) = (turn.span.clone(), turn.discarded);
        match (event, discarded) {
            (TurnEvent::Ended(_), Some(kept)) => self.discarded_turn_ended(kept).instrument(span).await,
            // Nothing that a discarded turn still says matters.
            (_, Some(_)) => {}
            (TurnEvent::Sign(sign), None) => self.sign(sign).instrument(span).await,
            (TurnEvent::TimeIsUp, None) => {
                let took = self.took();
                // `decide` reports its own errors.
                let _ = self.decide(Input::Elapsed { took }).instrument(span).await;
            }
            (TurnEvent::Ended(result), None) => self.turn_ended(result).instrument(span).await,
        }
    }

    async fn discarded_turn_ended(&mut self, kept: Kept) {
        if let (Some(turn), Kept::No) = (&self.turn, kept) {
            scratch::remove(&self.shared.options.data, turn.request.attempt).await;
        }
        self.turn_gone();
    }

    async fn sign(&mut self, sign: Sign) {
        let Some(turn) = &mut self.turn else { return };
        let attempt = turn.request.attempt;
        match sign {
            Sign::Spawned { process, go } => {
                crash::point("after-spawn");
                let process = Process { pid: process.pid, started: process.started };
                // Without the record the agent must not begin; dropping `go` ends its process.
                if self.decide(Input::Spawned { attempt, process }).await.is_ok() {
                    crash::point("after-record");
                    let _ = go.send(());
                }
            }
            Sign::Said(text) => {
                if let Err(error) = self.said(text).await {
                    tracing::warn!(%error, "failed to persist a passage");
                }
                crash::point("during-turn");
            }
            Sign::Spent { cost_usd } => turn.cost_usd = Some(cost_usd),
            Sign::Used { tool } => tracing::debug!(tool, "agent uses a tool"),
            Sign::Retrying { why } => tracing::info!(why, "agent's service asks for patience"),
        }
    }

    async fn said(&mut self, text: String) -> Result<(), StoreError> {
        let Some(turn) = &mut self.turn else { return Ok(()) };
        let attempt = turn.request.attempt;
        if turn.streamed.is_new(&self.shared, &text).await? {
            self.decide_passage(Input::Passage { attempt, text: text.clone() }).await?;
            if let Some(turn) = &mut self.turn {
                turn.streamed.persisted(text);
            }
        }
        Ok(())
    }

    async fn turn_ended(&mut self, result: TurnResult) {
        // What the agent said last counts, too.
        while let Some(sign) = self.turn.as_mut().and_then(InFlight::last_sign) {
            self.sign(sign).await;
        }
        // A sign that could not be persisted has thrown the session away.
        let Some(turn) = self.turn.take() else { return };
        if turn.discarded.is_some() {
            return self.turn_gone();
        }
        crash::point("after-reply");
        let is_chat = turn.request.run.is_none();
        let end = match result {
            Err(NoReply::Failure(Failure::Left)) => {
                self.detached = true;
                return;
            }
            // The engine ends, and the agent was given nothing: the next engine takes the turn as if for the first time.
            Err(NoReply::Failure(Failure::StoppedBeforePrompt)) if self.shared.closing.is_cancelled() => {
                self.detached = true;
                return;
            }
            // A prompt that was cut short by the end of the engine is delivered again by the next one.
            Err(NoReply::Failure(Failure::Stopped)) if is_chat && self.shared.closing.is_cancelled() => {
                self.detached = true;
                return;
            }
            Ok(reply) => match turn.streamed.ends_with(&self.shared, &reply.text).await {
                Ok(already_said) => replied(reply, already_said),
                Err(error) => {
                    let at_stake = self.at_stake();
                    return self.not_persisted(&error, at_stake);
                }
            },
            Err(why) => self.failed(why, turn.cost_usd),
        };
        let (attempt, took) = (turn.request.attempt, turn.took());
        drop(turn);
        let decided = self.decide(Input::TurnEnded { attempt, end, took }).await;
        let is_asked_again = self.turn.as_ref().is_some_and(|turn| turn.request.attempt == attempt);
        if decided.is_ok() && !is_asked_again {
            scratch::remove(&self.shared.options.data, attempt).await;
        }
    }

    fn failed(&self, why: NoReply, cost_usd: Option<f64>) -> TurnEnd {
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
            NoReply::Panicked(panic) => {
                (Exit::because(ExitReason::InternalError).describe(panic), None, false)
            }
        };
        let resume_at = failure::resume_at(failure.as_ref(), &exit, now);
        TurnEnd::Failed { exit, resume_at, cost_usd, undelivered }
    }
}

fn replied(reply: Reply, already_said: bool) -> TurnEnd {
    let Reply { text, cost_usd, version, denied, .. } = reply;
    TurnEnd::Replied { text, denied, cost_usd, version, already_said }
}
