//! In which order listeners are told of what a commit became.

use std::sync::Arc;

use super::feed::Notice;
use crate::store::{Committed, Role, Written, WrittenEvent};

/// The notices of a commit: its new sessions, then its entries. A reply comes before what was read in it, and the closing
/// words before the end; a prompt comes after the event that it belongs to.
pub(super) fn notices(committed: &Committed) -> Vec<Notice> {
    let begun = committed.sessions.iter().map(|session| Notice::SessionBegan(Arc::new(session.clone())));
    begun.chain(committed.entries.iter().flat_map(of_entry)).collect()
}

fn of_entry(written: &Written) -> impl Iterator<Item = Notice> {
    let happened = match &written.event {
        Some(WrittenEvent::Run(recorded)) => Some(Notice::Happened(Arc::new(recorded.clone()))),
        Some(WrittenEvent::Session { .. }) | None => None,
    };
    let said = written.message.as_ref().map(|message| Notice::Said(Arc::new(message.clone())));
    let in_order = match written.message.as_ref().map(|message| message.role) {
        Some(Role::Assistant) => [said, happened],
        Some(Role::User) | None => [happened, said],
    };
    in_order.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use uuid::Uuid;

    use super::*;
    use crate::run::{AttemptId, Event, Purpose, Read, SessionId};
    use crate::store::{Message, Recorded, Session, SessionEvent};

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

    fn entry(event: Option<Event>, message: Option<Message>) -> Written {
        Written { event: event.map(|event| WrittenEvent::Run(recorded(SESSION, event))), message }
    }

    fn order(entries: impl Into<Vec<Written>>) -> String {
        told(&Committed { sessions: Vec::new(), entries: entries.into() })
    }

    #[test]
    fn words_stand_beside_their_event() {
        let alone = |event| entry(Some(event), None);
        let with = |event, message| entry(Some(event), Some(message));
        let reply = || with(replied(1), agent(Some(1), "reply"));
        for (told, expected) in [
            (order([with(began(1), user(Some(1), "prompt"))]), "turn_began 'prompt'"),
            (
                order([reply(), alone(moved()), with(began(2), user(Some(2), "next"))]),
                "'reply' replied moved turn_began 'next'",
            ),
            (order([reply(), with(ended(), agent(None, "closing"))]), "'reply' replied 'closing' ended"),
            (
                order([with(queued(), user(None, "a")), with(queued(), user(None, "b"))]),
                "prompt_queued 'a' prompt_queued 'b'",
            ),
            // Its words stand in the conversation since they were said.
            (order([reply(), alone(passes(2))]), "'reply' replied turn_began"),
            // And this reply's since it was said as a passage.
            (order([alone(replied(1)), with(began(2), user(Some(2), "next"))]), "replied turn_began 'next'"),
            (order([alone(replied(1)), with(ended(), agent(None, "closing"))]), "replied 'closing' ended"),
        ] {
            assert_eq!(told, expected);
        }
    }

    #[test]
    fn what_belongs_to_no_event_is_told_once_in_its_own_order() {
        let said = |message| entry(None, Some(message));
        let passage = || said(agent(Some(1), "passage"));
        for (told, expected) in [
            (order([passage()]), "'passage'"),
            (order([entry(Some(moved()), None), passage()]), "moved 'passage'"),
            (
                order([
                    said(user(None, "a")),
                    entry(Some(replied(1)), Some(agent(Some(1), "reply"))),
                    said(user(None, "b")),
                ]),
                "'a' 'reply' replied 'b'",
            ),
            (order([]), ""),
        ] {
            assert_eq!(told, expected);
        }
    }

    #[test]
    fn of_what_happens_beside_runs_only_the_words_are_told() {
        let event = Some(WrittenEvent::Session { session: session(SESSION), event: SessionEvent::Opened });
        assert_eq!(order([Written { event, message: Some(agent(None, "hello")) }]), "'hello'");
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
            commits: 0,
            opened: false,
            run: None,
        };
        let entries = [
            (1, replied(1), agent(Some(1), "reply")),
            (1, ended(), agent(None, "closing")),
            (2, queued(), message(2, Role::User, None, "left over")),
            (2, began(2), message(2, Role::User, Some(2), "prompt")),
        ];
        let entry = |(session, event, message)| Written {
            event: Some(WrittenEvent::Run(recorded(session, event))),
            message: Some(message),
        };
        let entries = entries.into_iter().map(entry).collect();
        assert_eq!(
            told(&Committed { sessions: vec![begun], entries }),
            "session-next 'reply' replied 'closing' ended prompt_queued 'left over' turn_began 'prompt'"
        );
    }
}
