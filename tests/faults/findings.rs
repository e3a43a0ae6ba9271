//! What a place contains after a server was killed and another one has finished its work.

use std::collections::{BTreeMap, BTreeSet};

use surefire::run::{Event, Purpose};
use surefire::store::{EventRecord, Message, Role, RunFilter, Sqlite, Store};

use crate::server::Place;

/// The transitions of an undisturbed run with the fake CLI, which always reports the first outcome.
const TRANSITIONS: [&str; 2] = ["implement complete code-review", "code-review no-issues commit"];

/// What the fake says in each turn before it answers, as the plans of these tests have it.
pub(crate) const PASSAGE: &str = "Let me see.";

/// Counted over all runs of a place.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Findings {
    pub(crate) runs: usize,
    pub(crate) transitions: usize,
    pub(crate) lost: usize,
    pub(crate) doubled: usize,
    /// Passages and replies of answered turns that the conversation does not have.
    pub(crate) missing_messages: usize,
    /// Passages and replies that it has twice.
    pub(crate) duplicate_messages: usize,
    /// Prompts that an agent really got.
    pub(crate) calls: usize,
    /// Turns that were interrupted and then resumed, according to their run.
    pub(crate) interrupted: usize,
    /// Calls that no turn of a run accounts for.
    pub(crate) unexplained: usize,
    pub(crate) orphans: usize,
}

impl Findings {
    /// Checks what holds wherever a server was killed.
    pub(crate) fn assert_nothing_wrong(&self) {
        let wrong = [
            self.lost,
            self.doubled,
            self.missing_messages,
            self.duplicate_messages,
            self.unexplained,
            self.orphans,
        ];
        assert_eq!(wrong, [0; 6], "{self:?}");
    }
}

/// Inspects a place where all runs have ended.
pub(crate) fn look(place: &Place) -> Findings {
    let store = Sqlite::open(&place.data()).expect("the store can be opened").store;
    let mut calls = BTreeMap::<String, usize>::new();
    for call in fake_claude::calls(&place.calls()).iter().filter(|call| call["phase"] == "began") {
        let attempt =
            call["attempt"].as_str().expect("every call belongs to an attempt").to_owned();
        *calls.entry(attempt).or_default() += 1;
    }
    let mut findings = Findings { calls: calls.values().sum(), ..Findings::default() };
    let mut known = BTreeSet::new();
    for run in store.runs(&RunFilter::default()).expect("the store works") {
        let events = store.events(run.id, 0, usize::MAX).expect("the store works");
        assert_eq!(run.ending.expect("all runs have ended").reason, "task-committed");
        findings.add(&events, &calls, &mut known);
        findings.compare_conversation(
            &store.messages(run.session, 0, usize::MAX).expect("the store works"),
            &events,
        );
    }
    // A prompt that an agent got in an attempt that no run knows, or twice in one attempt.
    findings.unexplained += calls.keys().filter(|attempt| !known.contains(*attempt)).count();
    findings.unexplained += calls.values().map(|times| times - 1).sum::<usize>();
    findings.orphans = place.agents().len();
    findings
}

impl Findings {
    /// Compares the conversation of a run with what the fake CLI prints in each turn: a passage and
    /// its reply.
    fn compare_conversation(&mut self, messages: &[Message], events: &[EventRecord]) {
        let said = |attempt| {
            messages.iter().filter(move |it| it.role == Role::Assistant && it.attempt == attempt)
        };
        for attempt in messages.iter().map(|message| message.attempt).collect::<BTreeSet<_>>() {
            let texts: Vec<_> = said(attempt).map(|message| &message.text).collect();
            let different = texts.iter().collect::<BTreeSet<_>>().len();
            self.duplicate_messages += if attempt.is_some() { texts.len() - different } else { 0 };
        }
        for recorded in events {
            if let Event::Replied { attempt, .. } = recorded.event {
                let has_passage = said(Some(attempt)).any(|message| message.text == PASSAGE);
                let has_reply =
                    said(Some(attempt)).any(|message| message.text.starts_with("Done."));
                self.missing_messages += usize::from(!has_passage) + usize::from(!has_reply);
            }
        }
    }

    fn add(
        &mut self,
        events: &[EventRecord],
        calls: &BTreeMap<String, usize>,
        known: &mut BTreeSet<String>,
    ) {
        self.runs += 1;
        let gaps = events.iter().zip(1..).filter(|(recorded, seq)| recorded.seq != *seq).count();
        assert_eq!(gaps, 0, "events are numbered without gaps");
        let mut moves = Vec::new();
        let mut open: Option<String> = None;
        for recorded in events {
            match &recorded.event {
                Event::Moved { from, outcome, to, .. } => {
                    moves.push(format!("{from} {outcome} {to}"));
                }
                Event::TurnBegan { attempt, purpose, .. } => {
                    assert!(!matches!(purpose, Purpose::Remind { .. }), "the fake replies well");
                    known.insert(attempt.to_string());
                    open = Some(attempt.to_string());
                }
                Event::Replied { .. } | Event::LimitReached { .. } => open = None,
                Event::Ended { ending, .. } => {
                    if let Some(attempt) = open.take() {
                        assert_eq!(ending.reason, "interrupted");
                        self.interrupted += usize::from(calls.contains_key(&attempt));
                    }
                }
                _ => {}
            }
        }
        self.transitions += moves.len();
        let times = |transition: &str| moves.iter().filter(|it| *it == transition).count();
        self.lost += TRANSITIONS.iter().filter(|transition| times(transition) == 0).count();
        self.doubled +=
            TRANSITIONS.iter().map(|transition| times(transition).saturating_sub(1)).sum::<usize>();
        assert!(moves.iter().all(|it| TRANSITIONS.contains(&it.as_str())), "{moves:?}");
    }
}
