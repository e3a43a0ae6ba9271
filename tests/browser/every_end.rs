//! Writes a store with a run for every exit reason, and one that is paused, into the data directory that it is given.
//!
//! The browser's tests compare what the console and `surefire why` show of each. Its output is a line for each run: the
//! run's id and the reason.

use std::time::Duration;

use strum::IntoEnumIterator;
use surefire::recipes::ImplementAndReview;
use surefire::run::{Ending, Event, Limits, Order, RunId, SessionId, Spent};
use surefire::store::{Change, Commit, Entry, NewSession, SessionEvent, Sqlite, Store};
use surefire::wire::RecipeExited;
use surefire::{Exit, ExitReason};
use uuid::Uuid;

/// When the runs began, in milliseconds since 1970.
const BEGAN: u64 = 1_750_000_000_000;

/// A moment that no test lives to see.
const FAR_AWAY: u64 = 4_000_000_000_000;

fn main() {
    let data = std::env::args_os().nth(1).expect("the data directory is the first argument");
    let store = Sqlite::open(data.as_ref()).expect("the data directory can be used").store;
    let ends = ExitReason::iter().map(|reason| (reason, None));
    for (number, (reason, resume_at)) in (1..).zip(ends.chain([(ExitReason::RateLimited, Some(FAR_AWAY))])) {
        let run: RunId = Uuid::from_u128(number << 96).into();
        let session: SessionId = Uuid::from_u128(number).into();
        let exit = Exit::because(reason).describe("What the agent said about it.");
        let ending = Ending {
            step: "implement".into(),
            steps: 1,
            resume_at,
            // Only a run that restarts is continued by another one; it does not have to be there.
            continued_by: (reason == ExitReason::RestartNewSession).then(|| Uuid::from_u128(1 << 96).into()),
            ..RecipeExited::of_nothing(session, &exit).ending()
        };
        store.commit(&commit(run, session, ending)).expect("it can be written");
        println!("{run} {reason}");
    }
}

fn commit(run: RunId, session: SessionId, ending: Ending) -> Commit {
    let (directory, agent) = (std::path::PathBuf::from("/projects/shop"), "claude".to_owned());
    let begun = NewSession {
        id: session,
        name: "Implement & Review".into(),
        directory: directory.clone(),
        agent: agent.clone(),
        system_prompt: None,
        at: BEGAN,
    };
    let limits = Limits {
        time: Some(Duration::from_mins(90)),
        max_ticks: Some(4),
        budget_usd: Some(1.2),
        ..Limits::default()
    };
    let order = Order {
        run,
        session,
        agent,
        rehearsal: false,
        directory,
        about: None,
        model: None,
        limits,
        spent: Spent::default(),
        restarts: 0,
        continues: None,
    };
    let outline = ImplementAndReview::OUTLINE;
    let started = Event::Started {
        recipe: outline.id.into(),
        fingerprint: outline.fingerprint.to_string(),
        step: "implement".into(),
        order: Box::new(order),
    };
    let events = |after, at, event: Event| Change::Run { run, after, at, entries: vec![Entry::from(event)] };
    Commit {
        changes: vec![
            Change::session(session, BEGAN, SessionEvent::Began(begun)),
            events(0, BEGAN, started),
            events(1, BEGAN + 90_000, Event::ended(ending)),
        ],
    }
}
