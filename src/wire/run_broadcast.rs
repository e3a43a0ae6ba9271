//! Converts the events of a run to messages for clients, in order.

use super::Stamp;
use super::outgoing::{
    OfRun, OrchestrationRetry, RecipeError, RecipeExited, RecipeStarted, RecipeStepStarted,
    RecipeStepTransition, ServerMessage, TurnComplete,
};
use crate::run::{CheckSubject, Ending, Event, Purpose, RunId, SessionId};
use crate::{Category, ExitReason};

/// What clients know about a run so far, which decides the next messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunBroadcast {
    /// The run.
    pub run: RunId,
    /// Its session.
    pub session: SessionId,
    /// The recipe's id.
    pub recipe_id: String,
    /// The recipe's label.
    pub recipe_label: String,
    /// The step it is at.
    pub step: String,
    /// 1-based index of the step in the run.
    pub step_count: u32,
    /// Whether the run is a rehearsal.
    pub rehearsal: bool,
    /// Whether a turn of the agent is in flight.
    pub in_turn: bool,
}

impl RunBroadcast {
    /// The messages about an event, in order.
    ///
    /// ```
    /// use surefire::run::Event;
    /// use surefire::wire::RunBroadcast;
    /// use uuid::Uuid;
    ///
    /// let mut broadcast = RunBroadcast {
    ///     run: Uuid::from_u128(1).into(),
    ///     session: Uuid::from_u128(2).into(),
    ///     recipe_id: "implement-and-review".into(),
    ///     recipe_label: "Implement & Review".into(),
    ///     step: "implement".into(),
    ///     step_count: 1,
    ///     rehearsal: false,
    ///     in_turn: false,
    /// };
    /// let (from, outcome, to) = ("implement".into(), "complete".into(), "code-review".into());
    /// let messages = broadcast.apply(
    ///     4,
    ///     1_750_000_000_000,
    ///     &Event::Moved { from, outcome, to, number: 2, visit: 1, instead_of: None },
    /// );
    /// let kinds: Vec<_> = messages.iter().map(|message| message.kind()).collect();
    /// assert_eq!(kinds, ["recipe_step_transition", "recipe_started"]);
    /// ```
    pub fn apply(&mut self, seq: u64, at: u64, event: &Event) -> Vec<ServerMessage> {
        let of = OfRun { run_id: self.run, seq, at: Stamp(at) };
        let session_id = self.session;
        match event {
            Event::Started { step, .. } => {
                (self.step, self.step_count) = (step.clone(), 1);
                vec![ServerMessage::RecipeStarted(self.state(of))]
            }
            Event::Resumed { .. } => vec![ServerMessage::RecipeStarted(self.state(of))],
            Event::TurnBegan { step, purpose, .. } => {
                self.in_turn = true;
                match purpose {
                    Purpose::Step | Purpose::Continue => {
                        let (step, step_count) = (step.clone(), self.step_count);
                        vec![ServerMessage::RecipeStepStarted(RecipeStepStarted {
                            session_id,
                            step,
                            step_count,
                            of,
                        })]
                    }
                    // Clients already have the retry, and a client's prompt is in the
                    // conversation.
                    Purpose::Remind { .. }
                    | Purpose::Evidence { .. }
                    | Purpose::Verify { .. }
                    | Purpose::Deliver { .. } => Vec::new(),
                }
            }
            Event::Replied { .. } => {
                self.in_turn = false;
                vec![ServerMessage::TurnComplete(TurnComplete { session_id, aborted: false })]
            }
            Event::CheckBegan { step, subject: CheckSubject::Command, .. } => {
                let (step, step_count) = (step.clone(), self.step_count);
                vec![ServerMessage::RecipeStepStarted(RecipeStepStarted {
                    session_id,
                    step,
                    step_count,
                    of,
                })]
            }
            Event::Retried { step, number, of: most, problem, cause: _ } => {
                vec![ServerMessage::OrchestrationRetry(OrchestrationRetry {
                    session_id,
                    step: step.clone(),
                    error: problem.clone(),
                    attempt: *number,
                    max_attempts: *most,
                    of,
                })]
            }
            // The turn in flight is cut short; a move or the end follows.
            Event::LimitReached { .. } => {
                let in_turn = std::mem::take(&mut self.in_turn);
                let ended = TurnComplete { session_id, aborted: true };
                in_turn.then_some(ServerMessage::TurnComplete(ended)).into_iter().collect()
            }
            Event::Moved { from, outcome, to, number, .. } => {
                (self.step, self.step_count) = (to.clone(), *number);
                let moved = RecipeStepTransition {
                    session_id,
                    from_step: from.clone(),
                    to_step: to.clone(),
                    outcome: outcome.clone(),
                    of,
                };
                vec![
                    ServerMessage::RecipeStepTransition(moved),
                    ServerMessage::RecipeStarted(self.state(of)),
                ]
            }
            // Clients that announced `view` get checks in the run's view; a queued prompt is
            // already in the conversation.
            Event::CheckBegan { .. }
            | Event::Checked { .. }
            | Event::TreeSeen { .. }
            | Event::RulesBroken { .. }
            | Event::WorktreeEnded { .. }
            | Event::ToolsRefused { .. }
            | Event::PromptQueued { .. } => Vec::new(),
            Event::Ended { ending, .. } => {
                let aborted = std::mem::take(&mut self.in_turn);
                self.ended(of, ending, aborted)
            }
        }
    }

    /// Where the run is, for clients that connect.
    #[must_use]
    pub fn state(&self, of: OfRun) -> RecipeStarted {
        RecipeStarted {
            session_id: self.session,
            recipe_id: self.recipe_id.clone(),
            recipe_label: self.recipe_label.clone(),
            current_step: self.step.clone(),
            step: self.step.clone(),
            step_count: self.step_count,
            rehearsal: self.rehearsal,
            of,
        }
    }

    /// How the run ended, for clients that connect.
    #[must_use]
    pub fn exited(&self, of: OfRun, ending: &Ending) -> RecipeExited {
        let failed = ending.category == Category::Error;
        let error =
            failed.then(|| ending.description.clone().unwrap_or_else(|| ending.message.clone()));
        RecipeExited {
            session_id: self.session,
            reason: ending.reason.clone(),
            category: ending.category,
            message: ending.message.clone(),
            error,
            goal_met: ending.goal_met,
            title: ending.title.clone(),
            diagnosis: ending.diagnosis.clone(),
            auto_resumable: ending.auto_resumable,
            exit_code: ending.exit_code,
            description: ending.description.clone(),
            step: Some(ending.step.clone()),
            step_count: ending.steps,
            recipe_id: Some(self.recipe_id.clone()),
            rehearsal: ending.rehearsal,
            resume_at: ending.resume_at.map(Stamp),
            continued_by: ending.continued_by,
            of: Some(of),
        }
    }

    fn ended(&self, of: OfRun, ending: &Ending, aborted: bool) -> Vec<ServerMessage> {
        let exited = self.exited(of, ending);
        let error = exited.error.is_some().then(|| {
            let error = in_few_words(ending);
            ServerMessage::RecipeError(RecipeError {
                session_id: Some(self.session),
                error,
                of: Some(of),
            })
        });
        let turn = TurnComplete { session_id: self.session, aborted };
        let rest = [ServerMessage::RecipeExited(exited), ServerMessage::TurnComplete(turn)];
        error.into_iter().chain(rest).collect()
    }
}

/// What went wrong, in the wording that older clients expect if they do.
fn in_few_words(ending: &Ending) -> String {
    match ExitReason::lookup(&ending.reason) {
        Some(ExitReason::OrchestrationError) => "Max retries exceeded".to_owned(),
        Some(_) | None => ending.message.clone(),
    }
}
