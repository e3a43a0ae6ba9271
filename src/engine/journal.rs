//! From what was decided to what is written down: events, the conversation, and log lines.

use uuid::Uuid;

use super::words;
use crate::run::{Ask, Decision, Event, Order, Purpose, Read, Run, Todo};
use crate::store::{Change, Entry, NewMessage, NewSession, Role, SessionEvent};
use crate::{Category, Outline};

/// Where and when something happens: what all changes of one decision have in common.
#[derive(Clone, Copy)]
pub(super) struct Page<'a> {
    pub(super) order: &'a Order,
    pub(super) recipe: &'static Outline,
    /// The number of the last event that is written down.
    pub(super) after: u64,
    pub(super) now: u64,
}

/// What the agent replied.
#[derive(Clone, Copy)]
pub(super) struct Spoken<'a> {
    pub(super) text: &'a str,
    /// Whether it is the first reply in its conversation.
    pub(super) first: bool,
    /// Whether it stands in the conversation already, as the last passage that the agent said.
    pub(super) told: bool,
}

impl Page<'_> {
    /// The changes that write a decision down. `reply` is what the agent said, if that is what was decided about.
    pub(super) fn changes(&self, decision: &Decision, reply: Option<Spoken<'_>>) -> Vec<Change> {
        let ask = match &decision.todo {
            Todo::Ask(ask) => Some(ask),
            Todo::Wait | Todo::End | Todo::Restart(_) => None,
        };
        let events = &decision.events;
        // What was said while the run waited to go on stands in the conversation since then.
        let resumes = events.iter().any(|event| matches!(event, Event::Resumed { .. }));
        let is_new = |event: &Event| !(resumes && matches!(event, Event::PromptQueued { .. }));
        let entry = |event: &Event| Entry {
            event: Some(event.clone()),
            message: if is_new(event) { self.said(event, ask, reply) } else { None },
        };
        let entries = events.iter().map(entry).collect();
        let Order { run, session, .. } = *self.order;
        let mut changes = vec![Change::Run { run, after: self.after, at: self.now, entries }];
        let replied = events.iter().any(|event| matches!(event, Event::Replied { .. }));
        if replied && reply.is_some_and(|reply| reply.first) {
            changes.push(Change::session(session, self.now, SessionEvent::Opened));
        }
        changes
    }

    /// What an event adds to the conversation.
    fn said(&self, event: &Event, ask: Option<&Ask>, reply: Option<Spoken<'_>>) -> Option<NewMessage> {
        let (role, text, attempt) = match event {
            // What people said stands in the conversation since they said it.
            Event::TurnBegan { purpose: Purpose::Pass { .. }, .. } => return None,
            Event::TurnBegan { attempt, .. } => (Role::User, ask?.prompt.clone(), Some(*attempt)),
            Event::Replied { .. } if reply?.told => return None,
            Event::Replied { attempt, .. } => (Role::Assistant, reply?.text.to_owned(), Some(*attempt)),
            Event::PromptQueued { text, .. } => (Role::User, text.clone(), None),
            Event::Ended { ending, .. } => (Role::Assistant, words::closing(self.recipe.label, ending), None),
            Event::Started { .. } | Event::Reasked { .. } | Event::Moved { .. } | Event::Resumed { .. } => {
                return None;
            }
        };
        // Whoever reads the run's journal knows by it which words still wait.
        let id = if let Event::PromptQueued { prompt, .. } = event { prompt.uuid() } else { Uuid::new_v4() };
        Some(NewMessage {
            session: self.order.session,
            id,
            role,
            text,
            at: self.now,
            attempt,
            run: Some(self.order.run),
        })
    }

    /// Lines for the log, for what is written down by now.
    pub(super) fn log(&self, decision: &Decision, reply: Option<Spoken<'_>>) {
        for event in &decision.events {
            self.log_event(event, reply.map(|said| said.text));
        }
    }

    /// Prompts and replies are not logged, except for the end of a reply that could not be read.
    fn log_event(&self, event: &Event, reply: Option<&str>) {
        let Order { session, rehearsal, .. } = self.order;
        let recipe = self.recipe.id;
        match event {
            Event::Started { step, .. } => {
                tracing::info!(%session, recipe, step, rehearsal, "Recipe started");
            }
            Event::TurnBegan { attempt, step, .. } => tracing::debug!(%attempt, step, "Turn began"),
            Event::Replied { read, took, .. } => match read {
                Read::Outcome { outcome, repaired, .. } => {
                    tracing::info!(
                        outcome,
                        ?repaired,
                        took_ms = took.as_millis(),
                        "Step reported an outcome"
                    );
                }
                Read::Unread { unread, problem } => {
                    let reply = reply.map(short_end);
                    tracing::warn!(%session, recipe, unread, problem, reply, "Reply could not be read");
                }
                Read::NotAsked => tracing::debug!("Prompt was passed on"),
            },
            Event::Reasked { step, number, of, problem } => {
                tracing::info!(%session, recipe, step, number, of, problem, "Agent is asked again");
            }
            Event::Moved { from, outcome, to, number, .. } => {
                tracing::info!(%session, recipe, from, outcome, to, number, "Recipe moved to the next step");
            }
            Event::PromptQueued { prompt, .. } => tracing::info!(%session, %prompt, "Prompt queued"),
            Event::Ended { ending, .. } => {
                let (step, reason, category) = (&ending.step, &ending.reason, ending.category);
                let details = ending.description.as_deref().map(short);
                let prefix = category.log_prefix();
                match category {
                    Category::Completed => {
                        tracing::info!(%session, recipe, step, reason, %category, details, "{prefix}");
                    }
                    Category::Guardrail => {
                        tracing::warn!(%session, recipe, step, reason, %category, details, "{prefix}");
                    }
                    Category::Error => {
                        tracing::error!(%session, recipe, step, reason, %category, details, "{prefix}");
                    }
                }
            }
            Event::Resumed { by, .. } => tracing::info!(%session, recipe, %by, "Recipe resumed"),
        }
    }
}

/// A session to be, for a run that begins one.
fn session_of(order: &Order, recipe: &'static Outline, system_prompt: Option<String>, now: u64) -> Change {
    let new = NewSession {
        id: order.session,
        name: recipe.label.to_owned(),
        directory: order.directory.clone(),
        agent: order.agent.clone(),
        system_prompt,
        at: now,
    };
    Change::session(order.session, now, SessionEvent::Began(new))
}

/// What is decided for a run that was just begun, with the session it needs.
pub(super) fn beginning(
    run: &Run,
    decision: &Decision,
    system_prompt: Option<String>,
    now: u64,
) -> Vec<Change> {
    let page = Page { order: run.order(), recipe: run.recipe().outline(), after: 0, now };
    let mut changes = vec![session_of(page.order, page.recipe, system_prompt, now)];
    changes.extend(page.changes(decision, None));
    changes
}

/// Log lines for it, once it is written down.
pub(super) fn log_beginning(run: &Run, decision: &Decision) {
    Page { order: run.order(), recipe: run.recipe().outline(), after: 0, now: 0 }.log(decision, None);
}

/// How many characters of somebody else's text a log line holds.
const MOST: usize = 200;

/// The beginning of a text, with control characters escaped, so that it cannot pretend to be another log line.
fn short(text: &str) -> String {
    text.escape_debug().take(MOST).collect()
}

/// The end of a text, where an outcome would stand, in the same way.
fn short_end(text: &str) -> String {
    let from = text.char_indices().rev().nth(MOST - 1).map_or(0, |(index, _)| index);
    short(&text[from..])
}
