//! Sessions, runs and events to store, made from small numbers.

#![expect(
    missing_docs,
    reason = "each function is named after the one thing it makes, and takes the numbers for it"
)]
#![expect(clippy::must_use_candidate, reason = "a value that is made for a test has no other use")]
#![expect(clippy::missing_errors_doc, reason = "only the store under test fails here")]

use std::fmt::Write;
use std::time::Duration;

use surefire::Category;
use surefire::run::{
    AttemptId, ChangedPrompts, Ending, Event, Limits, Permits, Project, PromptId, Purpose,
    ReplyReading, ResumedBy, RunId, RunSpec, SessionId, Usage,
};
use surefire::store::{
    Change, Commit, Committed, Entry, EventRecord, Message, NewMessage, NewSession, Role,
    RunFilter, SessionEvent, Store, StoreError,
};
use uuid::Uuid;

pub fn session(n: u128) -> SessionId {
    Uuid::from_u128(0x5e55_0000 + n).into()
}

pub fn run(n: u128) -> RunId {
    Uuid::from_u128(0x0a11_0000 + n).into()
}

pub fn attempt(n: u128) -> AttemptId {
    Uuid::from_u128(0xa77e_0000 + n).into()
}

pub fn prompt(n: u128) -> PromptId {
    Uuid::from_u128(0x9a0e_0000 + n).into()
}

pub fn commit(store: &dyn Store, changes: impl Into<Vec<Change>>) -> Result<Committed, StoreError> {
    store.commit(&Commit { changes: changes.into() })
}

pub fn new_session(n: u128, at: u64) -> Change {
    let (name, directory) = (format!("session {n}"), format!("/projects/{n}").into());
    let (agent, system_prompt) = ("claude".into(), Some(format!("be brief {n}")));
    begins(NewSession { id: session(n), name, directory, agent, system_prompt, at })
}

pub fn begins(new: NewSession) -> Change {
    Change::session(new.id, new.at, SessionEvent::Began(new))
}

/// The writer expects the session to have this many commits.
pub fn expects(session_n: u128, commits: u64) -> Change {
    Change::Expects { session: session(session_n), commits }
}

pub fn queued(n: u128, session_n: u128, text: &str, at: u64) -> Change {
    let event = SessionEvent::PromptQueued { prompt: prompt(n), text: text.into() };
    Change::session(session(session_n), at, event)
}

pub fn chat_begins(n: u128, session_n: u128, prompt_n: u128, at: u64) -> Change {
    let event = SessionEvent::ChatBegan { attempt: attempt(n), prompt: prompt(prompt_n) };
    Change::session(session(session_n), at, event)
}

pub fn chat_ends(n: u128, session_n: u128, requeued: bool) -> Change {
    let event = SessionEvent::ChatEnded { attempt: attempt(n), answered: !requeued, requeued };
    Change::session(session(session_n), 1, event)
}

pub fn withdraws(session_n: u128, prompts: impl IntoIterator<Item = u128>) -> Change {
    let prompts = prompts.into_iter().map(prompt).collect();
    Change::session(session(session_n), 1, SessionEvent::PromptsWithdrawn { prompts })
}

pub fn opens(session_n: u128) -> Change {
    Change::session(session(session_n), 1, SessionEvent::Opened)
}

pub fn switches(session_n: u128, enabled: bool) -> Change {
    Change::session(session(session_n), 1, SessionEvent::OrchestrationSet { enabled })
}

pub fn events(n: u128, after: u64, events: impl Into<Vec<Event>>, at: u64) -> Change {
    let entries = events.into().into_iter().map(Entry::from).collect();
    Change::Run { run: run(n), after, at, entries }
}

/// The events that a commit wrote.
pub fn events_of(committed: &Committed) -> Vec<EventRecord> {
    committed.events().cloned().collect()
}

/// The messages that a commit wrote.
pub fn messages_of(committed: &Committed) -> Vec<Message> {
    committed.messages().cloned().collect()
}

pub fn message(session_n: u128, n: u128, at: u64) -> NewMessage {
    let role = if n.is_multiple_of(2) { Role::User } else { Role::Assistant };
    let (session, id, text) = (session(session_n), Uuid::from_u128(n), format!("words {n}"));
    NewMessage { session, id, role, text, at, attempt: None, run: None }
}

pub fn says(session_n: u128, n: u128, at: u64) -> Change {
    Change::message(message(session_n, n, at))
}

pub fn spec(n: u128, session_n: u128) -> RunSpec {
    RunSpec {
        run: run(n),
        session: session(session_n),
        agent: "claude".into(),
        rehearsal: false,
        script: None,
        directory: "/projects".into(),
        task: Some("the \"next\" task".into()),
        model: None,
        prompts: ChangedPrompts::default(),
        allow_tools: Vec::new(),
        permits: Permits::default(),
        project: Project::default(),
        worktree: None,
        limits: Limits::default().budget_usd(Some(0.1 + 0.2)),
        spent: Usage::default(),
        restarts: 0,
        continues: None,
    }
}

pub fn started(n: u128, session_n: u128) -> Event {
    started_as("implement-and-review", spec(n, session_n))
}

pub fn started_as(recipe: &str, spec: RunSpec) -> Event {
    let (recipe, fingerprint) = (recipe.into(), "f1".into());
    let (step, spec) = ("implement".into(), Box::new(spec));
    Event::Started { recipe, fingerprint, graph: None, step, spec }
}

pub fn began(n: u128) -> Event {
    Event::TurnBegan { attempt: attempt(n), step: "implement".into(), purpose: Purpose::Step }
}

pub fn passes(n: u128, prompt_n: u128) -> Event {
    passes_on(attempt(n), prompt(prompt_n))
}

pub fn passes_on(attempt: AttemptId, prompt: PromptId) -> Event {
    Event::TurnBegan { attempt, step: "implement".into(), purpose: Purpose::Deliver { prompt } }
}

pub fn replied(n: u128, cost_usd: Option<f64>) -> Event {
    replied_to(attempt(n), cost_usd)
}

pub fn replied_to(attempt: AttemptId, cost_usd: Option<f64>) -> Event {
    let read = ReplyReading::Outcome {
        outcome: "complete".into(),
        description: None,
        findings: Vec::new(),
        repaired: vec![],
    };
    Event::Replied { attempt, read, took: Duration::from_millis(1500), cost_usd, version: None }
}

pub fn moved(to: &str, number: u32) -> Event {
    let (from, outcome) = ("implement".into(), "complete".into());
    Event::Moved { from, outcome, to: to.into(), number, visit: 1, instead_of: None }
}

pub fn queues(n: u128) -> Event {
    Event::PromptQueued { prompt: prompt(n), text: format!("please {n}") }
}

pub fn ending(reason: &str) -> Ending {
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

pub fn ends(reason: &str) -> Event {
    Event::ended(ending(reason))
}

pub fn ends_redelivering(reason: &str) -> Event {
    ends_after(Duration::ZERO, ending(reason))
}

pub fn ends_withdrawing(reason: &str, prompts: impl IntoIterator<Item = u128>) -> Event {
    let withdrawn = prompts.into_iter().map(prompt).collect();
    let (ending, took, cost_usd, exceeded) = (ending(reason), Duration::ZERO, None, None);
    Event::Ended { ending, took, cost_usd, redeliver: true, withdrawn, exceeded }
}

pub fn ends_until(resume_at: u64) -> Event {
    let ending = Ending { resume_at: Some(resume_at), ..ending("usage-limit") };
    ends_after(Duration::from_secs(3), ending)
}

fn ends_after(took: Duration, ending: Ending) -> Event {
    Event::Ended {
        ending,
        took,
        cost_usd: None,
        redeliver: true,
        withdrawn: Vec::new(),
        exceeded: None,
    }
}

pub fn resumes() -> Event {
    Event::Resumed {
        by: ResumedBy::User,
        limits: Limits::default(),
        extra_visits: 1,
        extra_steps: 0,
        allow_tools: Vec::new(),
        permits: Permits::default(),
        delivered: Vec::new(),
    }
}

/// Everything that a store returns about the numbers that tests use, as text.
pub fn everything(store: &dyn Store) -> Result<String, StoreError> {
    let mut text = format!(
        "{:#?}\n{}\n{:#?}\n{:#?}\n{}\n{:#?}\n{}\n",
        store.sessions(100)?,
        store.session_count()?,
        store.runs(&RunFilter::default())?,
        store.events_of_all(0, usize::MAX)?,
        store.last_global_seq()?,
        store.open_attempts()?,
        store.orchestration(None)?,
    );
    for n in 0..10 {
        let _ = writeln!(
            text,
            "{n}: {:#?}\n{:#?}\n{:#?}\n{}\n{:#?}\n{:#?}",
            store.session(session(n))?,
            store.messages(session(n), 0, usize::MAX)?,
            store.queued_prompts(session(n))?,
            store.orchestration(Some(session(n)))?,
            store.run(run(n))?,
            store.events(run(n), 0, usize::MAX)?,
        );
    }
    for n in 0..100 {
        let _ = writeln!(text, "{:#?}", store.attempt(attempt(n))?);
    }
    let _ = writeln!(text, "{:#?}", store.sessions_with_queued_prompts()?);
    for n in 0..20 {
        let _ = writeln!(text, "{:#?}", store.prompt(prompt(n))?);
    }
    Ok(text)
}
