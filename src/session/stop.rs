//! Stopping: a run, a session, or everything because recipes are switched off. What is queued is withdrawn with it.

use std::time::Duration;

use super::commit::Entry;
use super::decision::{Action, Draft};
use super::entries::closing;
use super::event::SessionEvent;
use super::runs::queued;
use super::state::{QueuedPrompt, Session, Unreplayable, Work};
use super::words;
use crate::run::{self, Event, Input, PromptId};
use crate::{Exit, ExitReason};

impl Session {
    /// Stops the run, if one is open or paused.
    pub(super) fn stop(&mut self, draft: &mut Draft<'_>, exit: &Exit, took: Duration) {
        if let Some(active) = self.active() {
            let of_run = queued(&active.run);
            self.withdraw(draft, &of_run);
            self.tell_run(draft, Input::Stopped { exit: exit.clone(), took });
        } else {
            self.abandon(draft, exit, true);
        }
    }

    /// Stops the run and the chat, and leaves nothing queued.
    pub(super) fn kill(&mut self, draft: &mut Draft<'_>, took: Duration) {
        if self.in_flight.is_some() && !self.chats.is_empty() {
            self.in_flight = None;
            draft.actions.push(Action::StopTurn);
        }
        for chat in std::mem::take(&mut self.chats) {
            self.end_chat(draft, &chat, Some(words::unanswered("the turn was stopped")), false, false);
        }
        self.stop(draft, &Exit::because(ExitReason::UserRequested), took);
        self.withdraw(draft, &[]);
    }

    /// Switches recipes on or off in this session.
    pub(super) fn switch(&mut self, draft: &mut Draft<'_>, enabled: bool, took: Duration) {
        draft.happened(self.id, SessionEvent::OrchestrationSet { enabled });
        if !enabled {
            self.stop(draft, &Exit::because(ExitReason::UserRequested), took);
        }
    }

    /// Withdraws what is queued, and marks it as not delivered. What the run has queued goes with its end.
    fn withdraw(&mut self, draft: &mut Draft<'_>, of_run: &[PromptId]) {
        let (of_run, queue): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.queue).into_iter().partition(|it| of_run.contains(&it.prompt));
        let prompts: Vec<_> = queue.iter().map(|queued| queued.prompt).collect();
        if !prompts.is_empty() {
            draft.happened(self.id, SessionEvent::PromptsWithdrawn { prompts });
        }
        for QueuedPrompt { text, .. } in queue.into_iter().chain(of_run) {
            let message = draft.assistant(self.id, words::not_delivered(&text));
            draft.happened(self.id, Entry { event: None, message: Some(message) });
        }
    }

    /// The turn that passes a prompt on ends with its run, and the prompt is not queued again. Whether the agent got it is
    /// not known, so the conversation says that it has no answer.
    pub(super) fn cut_short(&mut self, draft: &mut Draft<'_>) {
        if let Some(QueuedPrompt { text, .. }) = self.passing.take() {
            let message = draft.assistant(self.id, words::cut_short(&text));
            draft.happened(self.id, Entry { event: None, message: Some(message) });
        }
    }

    /// Ends a run that cannot be replayed.
    pub(super) fn abandon(&mut self, draft: &mut Draft<'_>, exit: &Exit, stopped: bool) {
        let recipe = self.recipe().unwrap_or_default().to_owned();
        let Work::Unreplayable(Unreplayable { run, seq, events, .. }) = &self.work else { return };
        let (run, seq) = (*run, *seq);
        let Some(Event::Ended { ending, took, cost_usd, withdrawn, exceeded, .. }) =
            run::abandon(events, exit)
        else {
            return;
        };
        if stopped {
            self.cut_short(draft);
            self.withdraw(draft, &[]);
        }
        draft.ended = Some(ending.clone());
        let message = closing(draft, self.id, run, &recipe, &ending);
        // What was being delivered is queued again, unless a client stopped it: that client knows what the run was at.
        let ended = Event::Ended { ending, took, cost_usd, unheard: !stopped, withdrawn, exceeded };
        self.queue_follows(&ended);
        draft.happened_in_run(run, seq, vec![Entry { event: Some(ended), message: Some(message) }]);
        self.work = Work::None;
        self.held = false;
    }

    /// The driver broke: the run ends, and a prompt that was being delivered is not answered.
    pub(super) fn broken(&mut self, draft: &mut Draft<'_>, exit: &Exit) {
        self.in_flight = None;
        let why = exit.description().unwrap_or("the server broke").to_owned();
        for chat in std::mem::take(&mut self.chats) {
            self.end_chat(draft, &chat, Some(words::unanswered(&why)), false, false);
        }
        (self.adopted, self.held) = (true, false);
        match &self.work {
            // What broke may be the very thing that is needed to replay it.
            Work::Unreplayable(run) if run.resumes && run.pause().is_none() => {
                self.abandon(draft, exit, false);
            }
            Work::Running(active) | Work::Waiting(active) | Work::Left(active) if active.resumes => {
                self.tell_run(draft, Input::Cancelled { exit: exit.clone(), took: Duration::ZERO });
            }
            Work::Unreplayable(_) | Work::Running(_) | Work::Waiting(_) | Work::Left(_) | Work::None => {}
        }
    }
}
