//! Turning one input into one decision.

use uuid::Uuid;

use super::commit::Change;
use super::decision::{Draft, SessionDecision};
use super::input::{SessionInput, SessionRefusal};
use super::records::NewMessage;
use super::state::{Session, Work};
use crate::run;

impl Session {
    /// Decides what follows from an input. `now` is the time in milliseconds since 1970, `ids`
    /// generates new ids.
    ///
    /// # Errors
    /// The session refuses a client's request, and is unchanged.
    pub fn handle(
        &mut self,
        input: SessionInput,
        now: u64,
        ids: &mut dyn FnMut() -> Uuid,
    ) -> Result<SessionDecision, SessionRefusal> {
        let mut draft = Draft::new(now, ids);
        match input {
            SessionInput::Start { recipe, spec, begins } => {
                self.start(&mut draft, recipe, *spec, begins)?;
            }
            SessionInput::Resume { ended, resume } => self.resume(&mut draft, ended, resume)?,
            SessionInput::Adopt => self.adopt(&mut draft),
            SessionInput::Stop { exit, took } => self.stop(&mut draft, &exit, took),
            SessionInput::Kill { took } => self.kill(&mut draft, took),
            SessionInput::Panicked { exit } => self.panicked(&mut draft, &exit),
            SessionInput::Prompt { prompt, text, begins } => {
                self.prompt(&mut draft, prompt, text, begins)?;
            }
            SessionInput::Switch { enabled, took } => self.switch(&mut draft, enabled, took),
            SessionInput::Spawned { attempt, process } => {
                draft.changes.push(Change::Spawned { attempt, process });
            }
            SessionInput::Passage { attempt, text } => {
                let run = self.run_of(attempt);
                let passage =
                    NewMessage { attempt: Some(attempt), run, ..draft.assistant(self.id, text) };
                draft.changes.push(Change::message(passage));
            }
            SessionInput::TurnEnded { attempt, .. } if self.in_flight != Some(attempt) => {}
            SessionInput::TurnEnded { attempt, end, facts } => {
                self.in_flight = None;
                if self.chats.front().is_some_and(|chat| chat.attempt == attempt) {
                    self.chat_ended(&mut draft, end);
                } else {
                    self.run_turn_ended(&mut draft, attempt, end, facts);
                }
            }
            SessionInput::TreeSeen { attempt, tree } => {
                self.notify_run(&mut draft, run::Input::TreeSeen { attempt, tree });
            }
            SessionInput::TurnSeen { attempt, facts } => {
                self.notify_run(&mut draft, run::Input::TurnSeen { attempt, facts });
            }
            SessionInput::CheckEnded { check, .. } if self.in_flight != Some(check) => {}
            SessionInput::CheckEnded { check, results, violations, took } => {
                self.in_flight = None;
                self.notify_run(
                    &mut draft,
                    run::Input::Checked { check, results, violations, took },
                );
            }
            SessionInput::WorktreeEnded { run, end } => {
                self.worktree_ended(&mut draft, *run, end)?;
            }
            SessionInput::Elapsed { took } => {
                self.notify_run(&mut draft, run::Input::Elapsed { took });
            }
            SessionInput::ResumeDue { obstacle } => self.resume_due(&mut draft, obstacle),
        }
        self.begin_next_turn(&mut draft);
        Ok(draft.finish(self.id, self.commits))
    }

    /// The run that an attempt in flight belongs to.
    fn run_of(&self, attempt: run::AttemptId) -> Option<run::RunId> {
        let is_chat = self.chats.iter().any(|chat| chat.attempt == attempt);
        match &self.work {
            Work::Running(active) if !is_chat => Some(active.run.spec().run),
            _ => None,
        }
    }

    /// Begins the next turn, unless one is in flight. Open chat comes first, then the run; without
    /// a run, queued prompts are delivered as chat.
    fn begin_next_turn(&mut self, draft: &mut Draft<'_>) {
        if self.in_flight.is_some() || !self.adopted {
            return;
        }
        match &self.work {
            _ if !self.chats.is_empty() => self.ask_chat(draft),
            Work::Running(_) => self.ask_run(draft),
            Work::None => self.begin_chat(draft),
            // A paused or undriven run delivers the queued prompts when it is driven again.
            Work::Paused(_) | Work::Orphaned(_) | Work::Unreplayable(_) => {}
        }
    }
}
