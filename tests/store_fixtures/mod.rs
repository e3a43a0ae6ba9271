//! Sessions, runs and events to remember, made from small numbers.

// Each test file is a crate of its own, and none of them needs all of this.
#![allow(dead_code)]

use std::fmt::Write;
use std::time::Duration;

use surefire::Category;
use surefire::run::{
    AttemptId, Ending, Event, Limits, Order, PromptId, Purpose, Read, ResumedBy, RunId, SessionId, Spent,
};
use surefire::store::{
    Change, Commit, Committed, Entry, Message, NewMessage, NewSession, Recorded, Role, RunFilter,
    SessionEvent, Store, StoreError,
};
use uuid::Uuid;

pub(crate) fn session(n: u128) -> SessionId {
    Uuid::from_u128(0x5e55_0000 + n).into()
}

pub(crate) fn run(n: u128) -> RunId {
    Uuid::from_u128(0x0a11_0000 + n).into()
}

pub(crate) fn attempt(n: u128) -> AttemptId {
    Uuid::from_u128(0xa77e_0000 + n).into()
}

pub(crate) fn prompt(n: u128) -> PromptId {
    Uuid::from_u128(0x9a0e_0000 + n).into()
}

pub(crate) fn commit(store: &dyn Store, changes: impl Into<Vec<Change>>) -> Result<Committed, StoreError> {
    store.commit(&Commit { changes: changes.into() })
}

pub(crate) fn new_session(n: u128, at: u64) -> Change {
    let (name, directory) = (format!("session {n}"), format!("/projects/{n}").into());
    let (agent, system_prompt) = ("claude".into(), Some(format!("be brief {n}")));
    begins(NewSession { id: session(n), name, directory, agent, system_prompt, at })
}

pub(crate) fn begins(new: NewSession) -> Change {
    Change::session(new.id, new.at, SessionEvent::Began(new))
}

/// A session knows of so many commits.
pub(crate) fn expects(session_n: u128, commits: u64) -> Change {
    Change::Expects { session: session(session_n), commits }
}

pub(crate) fn queued(n: u128, session_n: u128, text: &str, at: u64) -> Change {
    let event = SessionEvent::PromptQueued { prompt: prompt(n), text: text.into() };
    Change::session(session(session_n), at, event)
}

pub(crate) fn chat_begins(n: u128, session_n: u128, prompt_n: u128, at: u64) -> Change {
    let event = SessionEvent::ChatBegan { attempt: attempt(n), prompt: prompt(prompt_n) };
    Change::session(session(session_n), at, event)
}

pub(crate) fn chat_ends(n: u128, session_n: u128, requeued: bool) -> Change {
    let event = SessionEvent::ChatEnded { attempt: attempt(n), answered: !requeued, requeued };
    Change::session(session(session_n), 1, event)
}

pub(crate) fn withdraws(session_n: u128, prompts: impl IntoIterator<Item = u128>) -> Change {
    let prompts = prompts.into_iter().map(prompt).collect();
    Change::session(session(session_n), 1, SessionEvent::PromptsWithdrawn { prompts })
}

pub(crate) fn opens(session_n: u128) -> Change {
    Change::session(session(session_n), 1, SessionEvent::Opened)
}

pub(crate) fn switches(session_n: u128, enabled: bool) -> Change {
    Change::session(session(session_n), 1, SessionEvent::OrchestrationSet { enabled })
}

pub(crate) fn events(n: u128, after: u64, events: impl Into<Vec<Event>>, at: u64) -> Change {
    let entries = events.into().into_iter().map(Entry::from).collect();
    Change::Run { run: run(n), after, at, entries }
}

/// The events that a commit wrote.
pub(crate) fn events_of(committed: &Committed) -> Vec<Recorded> {
    committed.events().cloned().collect()
}

/// The messages that a commit wrote.
pub(crate) fn messages_of(committed: &Committed) -> Vec<Message> {
    committed.messages().cloned().collect()
}

pub(crate) fn message(session_n: u128, n: u128, at: u64) -> NewMessage {
    let role = if n.is_multiple_of(2) { Role::User } else { Role::Assistant };
    let (session, id, text) = (session(session_n), Uuid::from_u128(n), format!("words {n}"));
    NewMessage { session, id, role, text, at, attempt: None, run: None }
}

pub(crate) fn says(session_n: u128, n: u128, at: u64) -> Change {
    Change::message(message(session_n, n, at))
}

pub(crate) fn order(n: u128, session_n: u128) -> Order {
    Order {
        run: run(n),
        session: session(session_n),
        agent: "claude".into(),
        rehearsal: false,
        directory: "/projects".into(),
        about: Some("the \"next\" task".into()),
        model: None,
        limits: Limits { budget_usd: Some(0.1 + 0.2), ..Limits::default() },
        spent: Spent::default(),
        restarts: 0,
        continues: None,
    }
}

pub(crate) fn started(n: u128, session_n: u128) -> Event {
    started_as("implement-and-review", order(n, session_n))
}

pub(crate) fn started_as(recipe: &str, order: Order) -> Event {
    let (recipe, fingerprint) = (recipe.into(), "f1".into());
    Event::Started { recipe, fingerprint, step: "implement".into(), order: Box::new(order) }
}

pub(crate) fn began(n: u128) -> Event {
    Event::TurnBegan { attempt: attempt(n), step: "implement".into(), purpose: Purpose::Step }
}

pub(crate) fn passes(n: u128, prompt_n: u128) -> Event {
    passes_on(attempt(n), prompt(prompt_n))
}

pub(crate) fn passes_on(attempt: AttemptId, prompt: PromptId) -> Event {
    Event::TurnBegan { attempt, step: "implement".into(), purpose: Purpose::Pass { prompt } }
}

pub(crate) fn replied(n: u128, cost_usd: Option<f64>) -> Event {
    replied_to(attempt(n), cost_usd)
}

pub(crate) fn replied_to(attempt: AttemptId, cost_usd: Option<f64>) -> Event {
    let read = Read::Outcome { outcome: "complete".into(), description: None, repaired: vec![] };
    Event::Replied { attempt, read, took: Duration::from_millis(1500), cost_usd, version: None }
}

pub(crate) fn moved(to: &str, number: u32) -> Event {
    let (from, outcome) = ("implement".into(), "complete".into());
    Event::Moved { from, outcome, to: to.into(), number, visit: 1 }
}

pub(crate) fn queues(n: u128) -> Event {
    Event::PromptQueued { prompt: prompt(n), text: format!("please {n}") }
}

pub(crate) fn ending(reason: &str) -> Ending {
    Ending {
        reason: reason.into(),
        category: Category::Completed,
        message: "It ended".into(),
        title: "Ended".into(),
        diagnosis: "Nothing to do".into(),
        exit_code: 0,
        goal_met: false,
        auto_resumable: false,
        description: None,
        step: "implement".into(),
        steps: 1,
        outcome: None,
        rehearsal: false,
        resume_at: None,
        continued_by: None,
    }
}

pub(crate) fn ends(reason: &str) -> Event {
    Event::ended(ending(reason))
}

pub(crate) fn ends_unheard(reason: &str) -> Event {
    ends_after(Duration::ZERO, ending(reason))
}

pub(crate) fn ends_withdrawing(reason: &str, prompts: impl IntoIterator<Item = u128>) -> Event {
    let withdrawn = prompts.into_iter().map(prompt).collect();
    let (ending, took, cost_usd, exceeded) = (ending(reason), Duration::ZERO, None, None);
    Event::Ended { ending, took, cost_usd, unheard: true, withdrawn, exceeded }
}

pub(crate) fn ends_until(resume_at: u64) -> Event {
    let ending = Ending { resume_at: Some(resume_at), ..ending("usage-limit") };
    ends_after(Duration::from_secs(3), ending)
}

fn ends_after(took: Duration, ending: Ending) -> Event {
    Event::Ended { ending, took, cost_usd: None, unheard: true, withdrawn: Vec::new(), exceeded: None }
}

pub(crate) fn resumes() -> Event {
    Event::Resumed {
        by: ResumedBy::User,
        limits: Limits::default(),
        extra_visits: 1,
        extra_steps: 0,
        told: Vec::new(),
    }
}

/// All that a store can be asked about the numbers that tests use, in words.
pub(crate) fn everything(store: &dyn Store) -> Result<String, StoreError> {
    let mut told = format!(
        "{:#?}\n{}\n{:#?}\n{:#?}\n{}\n{:#?}\n{}\n",
        store.sessions(100)?,
        store.session_count()?,
        store.runs(&RunFilter::default())?,
        store.events_of_all(0, usize::MAX)?,
        store.last_place()?,
        store.open_attempts()?,
        store.orchestration(None)?,
    );
    for n in 0..10 {
        let _ = writeln!(
            told,
            "{n}: {:#?}\n{:#?}\n{:#?}\n{}\n{:#?}\n{:#?}",
            store.session(session(n))?,
            store.messages(session(n), 0, usize::MAX)?,
            store.waiting(session(n))?,
            store.orchestration(Some(session(n)))?,
            store.run(run(n))?,
            store.events(run(n), 0, usize::MAX)?,
        );
    }
    for n in 0..100 {
        let _ = writeln!(told, "{:#?}", store.attempt(attempt(n))?);
    }
    let _ = writeln!(told, "{:#?}", store.waiting_sessions()?);
    for n in 0..20 {
        let _ = writeln!(told, "{:#?}", store.prompt(prompt(n))?);
    }
    Ok(told)
}
