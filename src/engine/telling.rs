//! In which order listeners are told of what a commit became.
//!
//! A commit gives back its events and its messages apart from each other. Listeners hear them as they happened: a reply
//! before what was read in it, a prompt after the turn it begins, the closing words before the end.

use std::collections::VecDeque;
use std::sync::Arc;

use super::feed::Notice;
use crate::run::{AttemptId, Event, Purpose};
use crate::store::{Committed, Message, Recorded, Role};

/// The notices of a commit: its new sessions, then its events with the messages that belong to them.
///
/// Messages keep their own order, whatever they belong to; each is told once.
pub(super) fn notices(committed: &Committed) -> Vec<Notice> {
    let begun = committed.sessions.iter().map(|session| Notice::SessionBegan(Arc::new(session.clone())));
    let mut told: Vec<_> = begun.collect();
    let mut left: VecDeque<&Message> = committed.messages.iter().collect();
    for recorded in &committed.events {
        let words = words_of(&recorded.event);
        let found = words.as_ref().and_then(|words| left.iter().position(|it| words.are(it, recorded)));
        // Whatever was said before the words of this event is told before them as well.
        let said = left.drain(..found.map_or(0, |index| index + 1));
        let said = said.map(|message| Notice::Said(Arc::new(message.clone())));
        let happened = Notice::Happened(Arc::new(recorded.clone()));
        match words.map_or(Side::After, |words| words.side) {
            Side::Before => told.extend(said.chain([happened])),
            Side::After => told.extend([happened].into_iter().chain(said)),
        }
    }
    told.extend(left.into_iter().map(|message| Notice::Said(Arc::new(message.clone()))));
    told
}

/// The message that an event brings along.
struct Words {
    role: Role,
    attempt: Option<AttemptId>,
    side: Side,
}

/// Where it is told.
enum Side {
    Before,
    After,
}

impl Words {
    fn are(&self, message: &Message, recorded: &Recorded) -> bool {
        (message.session, message.role, message.attempt) == (recorded.session, self.role, self.attempt)
    }
}

/// What an event adds to the conversation, if it adds anything: see `journal.rs`, which does it.
fn words_of(event: &Event) -> Option<Words> {
    let (role, attempt, side) = match event {
        Event::Replied { attempt, .. } => (Role::Assistant, Some(*attempt), Side::Before),
        Event::TurnBegan { purpose: Purpose::Pass { .. }, .. } => return None,
        Event::TurnBegan { attempt, .. } => (Role::User, Some(*attempt), Side::After),
        Event::PromptQueued { .. } => (Role::User, None, Side::After),
        Event::Ended { .. } => (Role::Assistant, None, Side::Before),
        Event::Started { .. } | Event::Reasked { .. } | Event::Moved { .. } | Event::Resumed { .. } => {
            return None;
        }
    };
    Some(Words { role, attempt, side })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use uuid::Uuid;

    use super::*;
    use crate::run::{Read, SessionId};
    use crate::store::Session;

    const SESSION: u128 = 1;

    fn session(n: u128) -> SessionId {
        Uuid::from_u128(n).into()
    }

    fn attempt(n: u128) -> AttemptId {
        Uuid::from_u128(n).into()
    }

    fn message(session_n: u128, role: Role, of: Option<u128>, text: &str) -> Message {
        let (session, id, text, attempt) =
            (session(session_n), Uuid::nil(), text.to_owned(), of.map(attempt));
        Message { session, offset: 0, id, role, text, at: 1, attempt, run: None }
    }

    fn user(of: Option<u128>, text: &str) -> Message {
        message(SESSION, Role::User, of, text)
    }

    fn agent(of: Option<u128>, text: &str) -> Message {
        message(SESSION, Role::Assistant, of, text)
    }

    fn began(n: u128) -> Event {
        Event::TurnBegan { attempt: attempt(n), step: "fix".to_owned(), purpose: Purpose::Step }
    }

    fn passes(n: u128) -> Event {
        let purpose = Purpose::Pass { prompt: Uuid::nil().into() };
        Event::TurnBegan { attempt: attempt(n), step: "fix".to_owned(), purpose }
    }

    fn replied(n: u128) -> Event {
        let (attempt, read, took) = (attempt(n), Read::NotAsked, Duration::ZERO);
        Event::Replied { attempt, read, took, cost_usd: None, version: None }
    }

    fn queued() -> Event {
        Event::PromptQueued { prompt: Uuid::nil().into(), text: String::new() }
    }

    fn moved() -> Event {
        let (from, outcome, to) = ("fix".to_owned(), "complete".to_owned(), "review".to_owned());
        Event::Moved { from, outcome, to, number: 2, visit: 1 }
    }

    fn ended() -> Event {
        let ending = crate::run::Ending {
            reason: String::new(),
            category: crate::Category::Completed,
            message: String::new(),
            title: String::new(),
            diagnosis: String::new(),
            exit_code: 0,
            goal_met: true,
            auto_resumable: false,
            description: None,
            step: String::new(),
            steps: 1,
            outcome: None,
            rehearsal: false,
            resume_at: None,
            continued_by: None,
        };
        Event::ended(ending)
    }

    fn recorded(session_n: u128, event: Event) -> Recorded {
        let (run, session) = (Uuid::from_u128(session_n).into(), session(session_n));
        Recorded { place: 1, run, session, seq: 1, at: 1, event }
    }

    /// The notices in words: an event by its name, a message by its text in quotes.
    fn told(committed: &Committed) -> String {
        let words = notices(committed).into_iter().map(|notice| match notice {
            Notice::SessionBegan(session) => format!("session-{}", session.name),
            Notice::Happened(recorded) => recorded.event.name().to_owned(),
            Notice::Said(message) => format!("'{}'", message.text),
            other => panic!("{other:?}"),
        });
        words.collect::<Vec<_>>().join(" ")
    }

    fn order(events: impl IntoIterator<Item = Event>, messages: impl Into<Vec<Message>>) -> String {
        let events = events.into_iter().map(|event| recorded(SESSION, event)).collect();
        told(&Committed { sessions: Vec::new(), events, messages: messages.into() })
    }

    #[test]
    fn words_stand_beside_their_event() {
        let step = [agent(Some(1), "reply"), user(Some(2), "next")];
        let last = [agent(Some(1), "reply"), agent(None, "closing")];
        for (told, expected) in [
            (order([began(1)], [user(Some(1), "prompt")]), "turn_began 'prompt'"),
            (order([replied(1), moved(), began(2)], step), "'reply' replied moved turn_began 'next'"),
            (order([replied(1), ended()], last), "'reply' replied 'closing' ended"),
            (
                order([queued(), queued()], [user(None, "a"), user(None, "b")]),
                "prompt_queued 'a' prompt_queued 'b'",
            ),
            // Its words stand in the conversation since they were said.
            (order([replied(1), passes(2)], [agent(Some(1), "reply")]), "'reply' replied turn_began"),
            // And this reply's since it was said as a passage.
            (order([replied(1), began(2)], [user(Some(2), "next")]), "replied turn_began 'next'"),
            (order([replied(1), ended()], [agent(None, "closing")]), "replied 'closing' ended"),
        ] {
            assert_eq!(told, expected);
        }
    }

    #[test]
    fn what_belongs_to_no_event_is_told_once_in_its_own_order() {
        for (told, expected) in [
            (order([], [agent(Some(1), "passage")]), "'passage'"),
            (order([moved()], [agent(Some(1), "passage")]), "moved 'passage'"),
            (
                order([replied(1)], [user(None, "a"), agent(Some(1), "reply"), user(None, "b")]),
                "'a' 'reply' replied 'b'",
            ),
            (
                order([began(1)], [user(Some(7), "other"), agent(Some(1), "not the prompt")]),
                "turn_began 'other' 'not the prompt'",
            ),
            (order([replied(1), replied(1)], [agent(Some(1), "once")]), "'once' replied replied"),
            (order([], []), ""),
        ] {
            assert_eq!(told, expected);
        }
    }

    #[test]
    fn a_restart_tells_of_its_session_first_and_keeps_both_conversations_apart() {
        let begun = Session {
            id: session(2),
            name: "next".to_owned(),
            directory: "/".into(),
            agent: String::new(),
            system_prompt: None,
            created_at: 1,
            changed_at: 1,
            messages: 1,
            opened: false,
            run: None,
        };
        let events = [(1, replied(1)), (1, ended()), (2, queued()), (2, began(2))];
        let messages = vec![
            agent(Some(1), "reply"),
            agent(None, "closing"),
            message(2, Role::User, None, "left over"),
            message(2, Role::User, Some(2), "prompt"),
        ];
        let events = events.into_iter().map(|(session, event)| recorded(session, event)).collect();
        assert_eq!(
            told(&Committed { sessions: vec![begun], events, messages }),
            "session-next 'reply' replied 'closing' ended prompt_queued 'left over' turn_began 'prompt'"
        );
    }
}
