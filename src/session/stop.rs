//! Stopping a run, everything in a session, or runs because recipes are switched off. Queued
//! prompts are withdrawn.

use std::time::Duration;

use super::commit::Entry;
use super::decision::{Draft, SessionAction};
use super::entries::closing;
use super::event::SessionEvent;
use super::messages;
use super::runs::queued;
use super::state::{QueuedPrompt, Session, Unreplayable, Work};
use crate::run::{self, Event, Input, PromptId};
use crate::{Exit, ExitReason};

impl Session {
    /// Stops the run, if one is open or paused.
    pub(super) fn stop(&mut self, draft: &mut Draft<'_>, exit: &Exit, took: Duration) {
        if let Some(active) = self.active() {
            let of_run = queued(&active.run);
            self.withdraw(draft, &of_run);
            self.notify_run(draft, Input::Stopped { exit: exit.clone(), took });
        } else {
            self.abandon(draft, exit, true);
        }
    }

    /// Stops the run and the chat, and withdraws all queued prompts.
    pub(super) fn kill(&mut self, draft: &mut Draft<'_>, took: Duration) {
        if self.in_flight.is_some() && !self.chats.is_empty() {
            self.in_flight = None;
            draft.actions.push(SessionAction::StopTurn);
        }
        for chat in std::mem::take(&mut self.chats) {
            self.end_chat(
                draft,
                &chat,
                Some(messages::unanswered("the turn was stopped")),
                false,
                false,
            );
        }
        self.stop(draft, &Exit::because(ExitReason::UserRequested), took);
        self.withdraw(draft, &[]);
    }

    /// Switches recipes on or off in this session.
    pub(super) fn switch(&mut self, draft: &mut Draft<'_>, enabled: bool, took: Duration) {
        draft.record(self.id, SessionEvent::OrchestrationSet { enabled });
        if !enabled {
            self.stop(draft, &Exit::because(ExitReason::UserRequested), took);
        }
    }

    /// Withdraws the queued prompts, and marks them as not delivered. The event that ends the run
    /// withdraws the run's own.
    fn withdraw(&mut self, draft: &mut Draft<'_>, of_run: &[PromptId]) {
        let (of_run, queue): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.queue).into_iter().partition(|it| of_run.contains(&it.prompt));
        let prompts: Vec<_> = queue.iter().map(|queued| queued.prompt).collect();
        if !prompts.is_empty() {
            draft.record(self.id, SessionEvent::PromptsWithdrawn { prompts });
        }
        for QueuedPrompt { text, .. } in queue.into_iter().chain(of_run) {
            let message = draft.assistant(self.id, messages::not_delivered(&text));
            draft.record(self.id, Entry { event: None, message: Some(message) });
        }
    }

    /// Ends the delivery of a prompt together with its run. The prompt is not queued again: it is
    /// unknown whether the agent got it, so the conversation says that it was not answered.
    pub(super) fn cut_short(&mut self, draft: &mut Draft<'_>) {
        if let Some(QueuedPrompt { text, .. }) = self.delivering.take() {
            let message = draft.assistant(self.id, messages::cut_short(&text));
            draft.record(self.id, Entry { event: None, message: Some(message) });
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
        // A prompt that was being delivered is queued again, unless a client stopped the run: that
        // client sees that its prompt was not answered.
        let ended =
            Event::Ended { ending, took, cost_usd, redeliver: !stopped, withdrawn, exceeded };
        self.apply_to_queue(&ended);
        draft.record_in_run(run, seq, vec![Entry { event: Some(ended), message: Some(message) }]);
        self.work = Work::None;
        self.held = false;
    }

    /// Ends the run after the driver panicked. A prompt that was being delivered stays unanswered.
    pub(super) fn panicked(&mut self, draft: &mut Draft<'_>, exit: &Exit) {
        self.in_flight = None;
        let why = exit.description().unwrap_or("the server had an internal error").to_owned();
        for chat in std::mem::take(&mut self.chats) {
            self.end_chat(draft, &chat, Some(messages::unanswered(&why)), false, false);
        }
        (self.adopted, self.held) = (true, false);
        match &self.work {
            // The panic may have happened while the run was replayed.
            Work::Unreplayable(run) if run.resumes && run.pause().is_none() => {
                self.abandon(draft, exit, false);
            }
            Work::Running(active) | Work::Paused(active) | Work::Orphaned(active)
                if active.resumes =>
            {
                self.notify_run(
                    draft,
                    Input::Cancelled { exit: exit.clone(), took: Duration::ZERO },
                );
            }
            Work::Unreplayable(_)
            | Work::Running(_)
            | Work::Paused(_)
            | Work::Orphaned(_)
            | Work::None => {}
        }
    }
}
