//! Recording a turn that is about to be interrupted: what it has changed so far, and which tools it
//! was refused.

use std::sync::Arc;

use super::driver::Driver;
use crate::engine::turn::job::Job;
use crate::engine::turn::work_tree::{self, SeenAfter};
use crate::run::{Action, TurnFacts};
use crate::session::{AgentTurn, SessionInput};

impl Driver {
    /// Persists what is known about the run's turn in flight. The stop proceeds even if this fails.
    pub(in crate::engine) async fn persist_partial_turn(&mut self) {
        let Some(turn) = self.turn.as_mut().filter(|turn| turn.discarded.is_none()) else { return };
        let Job::Turn(request) = &turn.job else { return };
        // The baseline was recorded after the turn had been requested, so only the run has it.
        let action = self.session.as_ref().and_then(|session| Some(session.run()?.action()));
        let Some(Action::Ask(ask)) = action else { return };
        let attempt = request.attempt;
        let request = AgentTurn { baseline: Some(ask.baseline), ..(**request).clone() };
        let refused = std::mem::take(&mut turn.refused);
        let SeenAfter { tree, violations } =
            work_tree::so_far(&Arc::clone(&self.shared), &request).await;
        if tree.is_some() || !refused.is_empty() {
            let facts = TurnFacts { refused, tree, violations, ..TurnFacts::default() };
            // `decide` reports its own errors.
            let _ = self.decide(SessionInput::TurnSeen { attempt, facts }).await;
        }
    }
}
