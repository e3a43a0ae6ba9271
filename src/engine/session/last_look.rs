//! A last look at a turn that is about to be cut short: what it has changed so far, and what it was refused.

use std::sync::Arc;

use super::driver::Driver;
use crate::engine::turn::job::Job;
use crate::engine::turn::work_tree::{self, SeenAfter};
use crate::run::{Todo, TurnFacts};
use crate::session::{Input, TurnRequest};

impl Driver {
    /// Persists what is known about the run's turn in flight. Where that fails, less is known; the stop does not depend on it.
    pub(in crate::engine) async fn see_turn(&mut self) {
        let Some(turn) = self.turn.as_mut().filter(|turn| turn.discarded.is_none()) else { return };
        let Job::Turn(request) = &turn.job else { return };
        // What the turn is compared with was seen after it had been asked for.
        let todo = self.session.as_ref().and_then(|session| Some(session.run()?.todo()));
        let Some(Todo::Ask(ask)) = todo else { return };
        let attempt = request.attempt;
        let request = TurnRequest { baseline: Some(ask.baseline), ..(**request).clone() };
        let refused = std::mem::take(&mut turn.refused);
        let SeenAfter { tree, violations } = work_tree::so_far(&Arc::clone(&self.shared), &request).await;
        if tree.is_some() || !refused.is_empty() {
            let facts = TurnFacts { refused, tree, violations, ..TurnFacts::default() };
            // `decide` reports its own errors.
            let _ = self.decide(Input::TurnSeen { attempt, facts }).await;
        }
    }
}
