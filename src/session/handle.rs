//! One input, one decision.

use uuid::Uuid;

use super::commit::Change;
use super::decision::{Decision, Draft};
use super::input::{Input, Refusal};
use super::records::NewMessage;
use super::state::{Session, Work};
use crate::run;

impl Session {
    /// Decides what follows from an input. `now` is the time of day in milliseconds since 1970, `ids` makes ids that nothing
    /// has yet.
    ///
    /// # Errors
    /// The session does not do what a client asks for. It is unchanged then.
    pub fn handle(
        &mut self,
        input: Input,
        now: u64,
        ids: &mut dyn FnMut() -> Uuid,
    ) -> Result<Decision, Refusal> {
        let mut draft = Draft::new(now, ids);
        match input {
            Input::Start { recipe, order, begins } => self.start(&mut draft, recipe, *order, begins)?,
            Input::Resume { ended, resume } => self.resume(&mut draft, ended, resume)?,
            Input::Adopt => self.adopt(&mut draft),
            Input::Stop { exit, took } => self.stop(&mut draft, &exit, took),
            Input::Kill { took } => self.kill(&mut draft, took),
            Input::Broken { exit } => self.broken(&mut draft, &exit),
            Input::Prompt { prompt, text, begins } => self.prompt(&mut draft, prompt, text, begins)?,
            Input::Switch { enabled, took } => self.switch(&mut draft, enabled, took),
            Input::Spawned { attempt, process } => {
                draft.changes.push(Change::Spawned { attempt, process });
            }
            Input::Passage { attempt, text } => {
                let run = self.run_of(attempt);
                let passage = NewMessage { attempt: Some(attempt), run, ..draft.assistant(self.id, text) };
                draft.changes.push(Change::message(passage));
            }
            Input::TurnEnded { attempt, .. } if self.in_flight != Some(attempt) => {}
            Input::TurnEnded { attempt, end, facts } => {
                self.in_flight = None;
                if self.chats.front().is_some_and(|chat| chat.attempt == attempt) {
                    self.chat_ended(&mut draft, end);
                } else {
                    self.run_turn_ended(&mut draft, attempt, end, facts);
                }
            }
            Input::TreeSeen { attempt, tree } => {
                self.tell_run(&mut draft, run::Input::TreeSeen { attempt, tree });
            }
            Input::TurnSeen { attempt, facts } => {
                self.tell_run(&mut draft, run::Input::TurnSeen { attempt, facts });
            }
            Input::CheckEnded { check, .. } if self.in_flight != Some(check) => {}
            Input::CheckEnded { check, results, violations, took } => {
                self.in_flight = None;
                self.tell_run(&mut draft, run::Input::Checked { check, results, violations, took });
            }
            Input::WorktreeEnded { run, end } => self.worktree_ended(&mut draft, *run, end)?,
            Input::Elapsed { took } => self.tell_run(&mut draft, run::Input::Elapsed { took }),
            Input::ResumeDue { obstacle } => self.resume_due(&mut draft, obstacle),
        }
        self.begin_next_turn(&mut draft);
        Ok(draft.finish(self.id, self.commits))
    }

    /// The run that an attempt in flight belongs to.
    fn run_of(&self, attempt: run::AttemptId) -> Option<run::RunId> {
        let is_chat = self.chats.iter().any(|chat| chat.attempt == attempt);
        match &self.work {
            Work::Running(active) if !is_chat => Some(active.run.order().run),
            _ => None,
        }
    }

    /// At most one turn is in flight. Chat that is open comes first, then the run, and what is queued where there is none.
    fn begin_next_turn(&mut self, draft: &mut Draft<'_>) {
        if self.in_flight.is_some() || !self.adopted {
            return;
        }
        match &self.work {
            _ if !self.chats.is_empty() => self.ask_chat(draft),
            Work::Running(_) => self.ask_run(draft),
            Work::None => self.begin_chat(draft),
            // A run that is paused or left passes on what is queued when it is driven again.
            Work::Waiting(_) | Work::Left(_) | Work::Unreplayable(_) => {}
        }
    }
}
