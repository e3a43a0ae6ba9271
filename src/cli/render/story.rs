//! What happened in a run, as people are told it: one visit of a step after the other.

use std::time::Duration;

use super::format::took;
use crate::Catalog;
use crate::run::{Ending, Event, Limits, Purpose, Read, ResumedBy};
use crate::wire::{JournalEvent, RunLine, Stamp};

/// A run so far. It follows from the run's events, which are told in order.
#[derive(Debug, Clone)]
pub(in crate::cli) struct Story {
    /// The run, as it was when its story began.
    pub(in crate::cli) run: RunLine,
    /// No run of its recipe takes more steps than this; `None` where nobody knows.
    pub(in crate::cli) max_steps: Option<u32>,
    /// Whether its recipe is on offer here.
    pub(in crate::cli) on_offer: bool,
    /// Its visits of steps, in order.
    pub(in crate::cli) visits: Vec<Visit>,
    /// What the agent has cost so far: an estimate.
    pub(in crate::cli) cost_usd: f64,
    /// How many turns the agent was given.
    pub(in crate::cli) turns: u32,
    /// What it may use up.
    pub(in crate::cli) limits: Limits,
    /// When anything last happened.
    pub(in crate::cli) last: Stamp,
    /// The last event's number.
    pub(in crate::cli) seq: u64,
    /// How it ended, if it has.
    pub(in crate::cli) ending: Option<Ending>,
}

/// One visit of a step.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::cli) struct Visit {
    /// The how-manieth step of the run that is.
    pub(in crate::cli) number: u32,
    pub(in crate::cli) step: String,
    pub(in crate::cli) began: Stamp,
    /// When it was left, or the run ended in it.
    pub(in crate::cli) ended: Option<Stamp>,
    /// How long the run was over before it went on in it, in milliseconds.
    rested: u64,
    /// The outcome that it was left with.
    pub(in crate::cli) outcome: Option<String>,
    /// What else happened in it, in order.
    pub(in crate::cli) remarks: Vec<String>,
}

impl Visit {
    /// How long it took, or has so far. What lies between an end of the run and its going on does not count.
    pub(in crate::cli) fn took(&self, now: Stamp) -> Duration {
        let until = self.ended.unwrap_or(now);
        Duration::from_millis(until.0.saturating_sub(self.began.0).saturating_sub(self.rested))
    }
}

impl Story {
    /// The story of a run of which nothing was told yet.
    pub(in crate::cli) fn of(run: RunLine, catalog: Catalog) -> Self {
        let recipe = catalog.get(&run.recipe_id);
        Self {
            max_steps: recipe.map(|recipe| recipe.outline().max_steps),
            on_offer: recipe.is_some(),
            visits: Vec::new(),
            cost_usd: 0.0,
            turns: 0,
            limits: Limits::default(),
            last: run.started_at,
            seq: 0,
            ending: None,
            run,
        }
    }

    /// Whether nothing more will happen in it by itself.
    pub(in crate::cli) fn is_over(&self) -> bool {
        self.ending.as_ref().is_some_and(|ending| ending.resume_at.is_none())
    }

    /// Whether it has stopped, and goes on by itself later.
    pub(in crate::cli) fn waits(&self) -> bool {
        self.ending.as_ref().is_some_and(|ending| ending.resume_at.is_some())
    }

    /// The visit that goes on, or the last one.
    pub(in crate::cli) fn present(&self) -> Option<&Visit> {
        self.visits.last()
    }

    /// How long all of it took, from its beginning to the last thing that happened.
    pub(in crate::cli) fn took(&self) -> Duration {
        Duration::from_millis(self.last.0.saturating_sub(self.run.started_at.0))
    }

    /// Takes in the next event.
    pub(in crate::cli) fn learn(&mut self, told: &JournalEvent) {
        (self.seq, self.last) = (told.seq, told.at);
        match &told.event {
            Event::Started { step, order, .. } => {
                self.limits = order.limits;
                self.enter(1, step, told.at);
            }
            Event::TurnBegan { purpose, .. } => {
                self.turns += 1;
                match purpose {
                    Purpose::Pass { .. } => self.remark("the agent is told what somebody said"),
                    Purpose::Step | Purpose::Continue | Purpose::Remind { .. } => {}
                }
            }
            Event::Replied { read, cost_usd, .. } => {
                self.spend(*cost_usd);
                match read {
                    Read::Outcome { repaired, .. } if !repaired.is_empty() => {
                        self.remark(format!("its reply was repaired ({})", repaired.join(", ")));
                    }
                    Read::Outcome { .. } | Read::Unread { .. } | Read::NotAsked => {}
                }
            }
            Event::Reasked { number, of, problem, .. } => {
                self.remark(format!("asked again ({number} of {of}): {problem}"));
            }
            Event::Moved { outcome, to, number, .. } => {
                self.leave(Some(outcome), told.at);
                self.enter(*number, to, told.at);
            }
            Event::PromptQueued { .. } => self.remark("somebody has something to say; it waits for its turn"),
            Event::Ended { ending, cost_usd, .. } => {
                self.spend(*cost_usd);
                self.leave(ending.outcome.as_deref(), told.at);
                if let Some(at) = ending.resume_at {
                    let wait = took(Duration::from_millis(at.saturating_sub(told.at.0)));
                    self.remark(format!("stopped ({}); goes on by itself in {wait}", ending.reason));
                }
                self.ending = Some(ending.clone());
            }
            Event::Resumed { by, limits, extra_visits, extra_steps, .. } => {
                // What the recipe allows is no longer what the run may do.
                if *extra_visits > 0 || *extra_steps > 0 {
                    self.max_steps = None;
                }
                self.limits = *limits;
                let who = match by {
                    ResumedBy::User => "somebody",
                    ResumedBy::Auto => "itself",
                };
                let words = match self.ending.take() {
                    Some(ending) if ending.resume_at.is_none() => {
                        format!("stopped ({}), and resumed by {who}", ending.reason)
                    }
                    // That it had stopped was said when it did.
                    Some(_) | None => format!("resumed by {who}"),
                };
                if let Some(visit) = self.visits.last_mut() {
                    let stopped = visit.ended.take().unwrap_or(told.at);
                    visit.rested += told.at.0.saturating_sub(stopped.0);
                    visit.outcome = None;
                }
                self.remark(words);
            }
        }
    }

    fn enter(&mut self, number: u32, step: &str, at: Stamp) {
        self.visits.push(Visit {
            number,
            step: step.to_owned(),
            began: at,
            ended: None,
            rested: 0,
            outcome: None,
            remarks: Vec::new(),
        });
    }

    fn leave(&mut self, outcome: Option<&str>, at: Stamp) {
        if let Some(visit) = self.visits.last_mut() {
            // One that had stopped to go on by itself may be ended for good later.
            visit.ended.get_or_insert(at);
            visit.outcome = outcome.map(str::to_owned);
        }
    }

    fn remark(&mut self, words: impl Into<String>) {
        if let Some(visit) = self.visits.last_mut() {
            visit.remarks.push(words.into());
        }
    }

    fn spend(&mut self, cost_usd: Option<f64>) {
        self.cost_usd += cost_usd.filter(|cost| cost.is_finite() && *cost > 0.0).unwrap_or(0.0);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use uuid::Uuid;

    use super::*;
    use crate::recipes::BUNDLED;

    #[test]
    fn a_visit_takes_no_longer_because_its_run_was_over_for_a_while() {
        let (run, session) = (Uuid::from_u128(7), Uuid::from_u128(8));
        let line = json!({
            "run_id": run, "session_id": session, "recipe_id": "rebase", "recipe_label": "Rebase",
            "working_directory": "/project", "agent": "claude", "rehearsal": false,
            "started_at": "1970-01-01T00:00:00.000Z", "changed_at": "1970-01-01T00:00:00.000Z",
            "step": "fix", "step_count": 2, "last_seq": 4, "cost_usd": 0.0,
        });
        let mut story = Story::of(serde_json::from_value(line).unwrap(), BUNDLED);
        let limits = Limits::default();
        let exit = crate::Exit::because(crate::ExitReason::UserStopped);
        let ending = crate::wire::RecipeExited::of_nothing(session.into(), &exit).ending();
        let moved = |to: &str, number| Event::Moved {
            from: "implement".into(),
            outcome: "complete".into(),
            to: to.into(),
            visit: 1,
            number,
        };
        let resumed =
            Event::Resumed { by: ResumedBy::User, limits, extra_visits: 0, extra_steps: 0, told: Vec::new() };
        let ended = Event::ended(ending);
        let events = [
            (1, moved("fix", 2)),
            (3, ended.clone()),
            (3600, resumed.clone()),
            (3601, ended.clone()),
            (3700, ended),
            (7200, resumed),
            (7204, moved("commit", 3)),
        ];
        for (seq, (second, event)) in (1..).zip(events) {
            story.learn(&JournalEvent { seq, at: Stamp(second * 1000), event });
        }
        assert_eq!(story.visits[0].took(story.last), Duration::from_secs(2 + 1 + 4));
        assert_eq!(story.visits[1].took(Stamp(7_205_000)), Duration::from_secs(1));
    }
}
