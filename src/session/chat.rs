//! Prompts: queued in a run, or delivered outside of one, each as a turn of its own.

use super::commit::Entry;
use super::decision::{Action, Draft, TurnRequest};
use super::event::SessionEvent;
use super::input::{Refusal, TurnEnd};
use super::records::{NewMessage, NewSession};
use super::state::{ChatTurn, QueuedPrompt, Session, TurnOrigin, Work};
use super::words;
use crate::run::{self, AttemptId, PromptId, heard_before};

impl QueuedPrompt {
    /// The words as the agent gets them.
    pub(super) fn words(&self) -> String {
        if self.again { heard_before(&self.text) } else { self.text.clone() }
    }
}

impl Session {
    /// Takes a client's prompt. An open run passes it on before its next step; otherwise it is queued, and delivered as soon
    /// as nothing else is in flight.
    pub(super) fn prompt(
        &mut self,
        draft: &mut Draft<'_>,
        prompt: PromptId,
        text: String,
        begins: Option<NewSession>,
    ) -> Result<(), Refusal> {
        if self.profile.is_none() && begins.is_none() {
            return Err(Refusal::NoSession(self.id));
        }
        self.adopted = true;
        self.begin(draft, begins);
        if matches!(self.work, Work::Running(_)) {
            self.hand_over(draft);
            self.tell_run(draft, run::Input::Prompted { prompt, text });
            return Ok(());
        }
        let message = draft.user(self.id, prompt, text.clone());
        let event = SessionEvent::PromptQueued { prompt, text: text.clone() };
        draft.happened(self.id, Entry { event: Some(event), message: Some(message) });
        self.enqueue(prompt, text);
        self.held = false;
        Ok(())
    }

    /// Gives the agent the next prompt that is queued, unless it is kept until a client sends another one.
    pub(super) fn begin_chat(&mut self, draft: &mut Draft<'_>) {
        if self.held {
            return;
        }
        let Some(prompt) = self.queue.pop_front() else { return };
        let attempt: AttemptId = draft.id();
        draft.happened(self.id, SessionEvent::ChatBegan { attempt, prompt: prompt.prompt });
        self.chats.push_back(ChatTurn { attempt, prompt, origin: TurnOrigin::New });
        // Until a client sends another prompt: see `chat_ended`.
        self.held = true;
        self.ask_chat(draft);
    }

    pub(super) fn ask_chat(&mut self, draft: &mut Draft<'_>) {
        let (Some(chat), Some(profile)) = (self.chats.front(), &self.profile) else { return };
        self.in_flight = Some(chat.attempt);
        draft.actions.push(Action::Ask(Box::new(TurnRequest {
            attempt: chat.attempt,
            run: None,
            step: None,
            tools: None,
            allow_tools: Vec::new(),
            baseline: None,
            rules: None,
            claim: None,
            trusted: None,
            prompt: chat.prompt.words(),
            system_prompt: profile.system_prompt.clone(),
            opened: self.opened,
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
            TurnEnd::Replied { text, already_said } => {
                let reply = (!already_said).then_some(text);
                self.end_chat(draft, &chat, reply, true, false);
                if !self.opened {
                    self.opened = true;
                    draft.happened(self.id, SessionEvent::Opened);
                }
                self.held = false;
            }
            TurnEnd::Failed { exit, undelivered, .. } => {
                let why = exit.description().unwrap_or_default();
                let text = if undelivered { words::kept(why) } else { words::unanswered(why) };
                self.end_chat(draft, &chat, Some(text), false, undelivered);
                if undelivered {
                    // Tried once more if a client has sent another prompt meanwhile, and otherwise with the next one.
                    self.requeue(chat.prompt);
                } else {
                    self.held = false;
                }
            }
            // Words that cannot be read any more cannot be repeated.
            TurnEnd::Unknown { .. } if chat.origin != TurnOrigin::New && !chat.prompt.text.is_empty() => {
                // The agent is asked again, and told so: also by the next driver, should this one be killed before that.
                (chat.origin, chat.prompt.again) = (TurnOrigin::New, true);
                draft.happened(self.id, SessionEvent::ChatRepeated { attempt: chat.attempt });
                self.chats.push_front(chat);
            }
            TurnEnd::Unknown { .. } => {
                let text = words::unanswered("its result is not known");
                self.end_chat(draft, &chat, Some(text), false, false);
                self.held = false;
            }
        }
    }

    /// Ends a turn outside of a run, with what stands in the conversation as its answer.
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
        draft.happened(self.id, Entry { event: Some(event), message });
    }
}
