//! Prompts: queued in a run, or delivered outside of one, each as a turn of its own.

use super::commit::Entry;
use super::decision::{AgentTurn, Draft, SessionAction};
use super::event::SessionEvent;
use super::input::{SessionRefusal, TurnEnd};
use super::messages;
use super::records::{NewMessage, NewSession};
use super::state::{ChatTurn, QueuedPrompt, Session, TurnOrigin, Work};
use crate::run::{self, AttemptId, PromptId, repeated};

impl QueuedPrompt {
    /// The text that the agent gets.
    pub(super) fn delivered_text(&self) -> String {
        if self.may_repeat { repeated(&self.text) } else { self.text.clone() }
    }
}

impl Session {
    /// Accepts a client's prompt. An open run delivers it before its next step; otherwise it is
    /// queued, and delivered as soon as nothing else is in flight.
    pub(super) fn prompt(
        &mut self,
        draft: &mut Draft<'_>,
        prompt: PromptId,
        text: String,
        begins: Option<NewSession>,
    ) -> Result<(), SessionRefusal> {
        if self.profile.is_none() && begins.is_none() {
            return Err(SessionRefusal::NoSession(self.id));
        }
        self.adopted = true;
        self.begin(draft, begins);
        if matches!(self.work, Work::Running(_)) {
            self.hand_over(draft);
            self.notify_run(draft, run::Input::Prompted { prompt, text });
            return Ok(());
        }
        let message = draft.user(self.id, prompt, text.clone());
        let event = SessionEvent::PromptQueued { prompt, text: text.clone() };
        draft.record(self.id, Entry { event: Some(event), message: Some(message) });
        self.enqueue(prompt, text);
        self.held = false;
        Ok(())
    }

    /// Delivers the next queued prompt, unless the queue is held until a client sends another one.
    pub(super) fn begin_chat(&mut self, draft: &mut Draft<'_>) {
        if self.held {
            return;
        }
        let Some(prompt) = self.queue.pop_front() else { return };
        let attempt: AttemptId = draft.id();
        draft.record(self.id, SessionEvent::ChatBegan { attempt, prompt: prompt.prompt });
        self.chats.push_back(ChatTurn { attempt, prompt, origin: TurnOrigin::New });
        // The queue is held until `chat_ended` or another prompt releases it.
        self.held = true;
        self.ask_chat(draft);
    }

    pub(super) fn ask_chat(&mut self, draft: &mut Draft<'_>) {
        let (Some(chat), Some(profile)) = (self.chats.front(), &self.profile) else { return };
        self.in_flight = Some(chat.attempt);
        draft.actions.push(SessionAction::Ask(Box::new(AgentTurn {
            attempt: chat.attempt,
            run: None,
            step: None,
            number: None,
            tools: None,
            allow_tools: Vec::new(),
            baseline: None,
            rules: None,
            claim: None,
            trusted: None,
            prompt: chat.prompt.delivered_text(),
            system_prompt: profile.system_prompt.clone(),
            opened: self.opened,
            restarts: 0,
            agent: profile.agent.clone(),
            directory: profile.directory.clone(),
            model: None,
            time_left: None,
            budget_left: None,
            origin: chat.origin.clone(),
        })));
    }

    pub(super) fn chat_ended(&mut self, draft: &mut Draft<'_>, end: TurnEnd) {
        let Some(mut chat) = self.chats.pop_front() else { return };
        match end {
            TurnEnd::Replied { text, already_streamed } => {
                let reply = (!already_streamed).then_some(text);
                self.end_chat(draft, &chat, reply, true, false);
                if !self.opened {
                    self.opened = true;
                    draft.record(self.id, SessionEvent::Opened);
                }
                self.held = false;
            }
            TurnEnd::Failed { exit, undelivered, .. } => {
                let why = exit.description().unwrap_or_default();
                let text = if undelivered {
                    messages::still_queued(why)
                } else {
                    messages::unanswered(why)
                };
                self.end_chat(draft, &chat, Some(text), false, undelivered);
                if undelivered {
                    // Retried now if a client has sent another prompt meanwhile, and otherwise
                    // with the next prompt.
                    self.requeue(chat.prompt);
                } else {
                    self.held = false;
                }
            }
            // A prompt whose text is lost cannot be repeated.
            TurnEnd::Unknown { .. }
                if chat.origin != TurnOrigin::New && !chat.prompt.text.is_empty() =>
            {
                // The prompt is delivered again, with a note. The event makes sure that the next
                // driver adds the note too if this one is killed before.
                (chat.origin, chat.prompt.may_repeat) = (TurnOrigin::New, true);
                draft.record(self.id, SessionEvent::ChatRepeated { attempt: chat.attempt });
                self.chats.push_front(chat);
            }
            TurnEnd::Unknown { .. } => {
                let text = messages::unanswered("the result is unknown");
                self.end_chat(draft, &chat, Some(text), false, false);
                self.held = false;
            }
        }
    }

    /// Ends a turn outside of a run, and adds its answer to the conversation.
    pub(super) fn end_chat(
        &self,
        draft: &mut Draft<'_>,
        chat: &ChatTurn,
        answer: Option<String>,
        answered: bool,
        requeued: bool,
    ) {
        let attempt = chat.attempt;
        let message = answer.map(|text| {
            let message = draft.assistant(self.id, text);
            NewMessage { attempt: Some(attempt), ..message }
        });
        let event = SessionEvent::ChatEnded { attempt, answered, requeued };
        draft.record(self.id, Entry { event: Some(event), message });
    }
}
