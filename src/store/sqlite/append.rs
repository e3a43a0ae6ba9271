//! Appending to a run's events, and keeping in step what follows from them: the run's line, the attempts, the queue.

use rusqlite::Connection;
use serde::Serialize;

use super::change::Writing;
use super::failure::Failure;
use super::read::one;
use super::rows::{self, integer};
use crate::run::{AttemptId, Ending, Event, Order, RunId, SessionId};
use crate::store::rules::{cost, may_follow, missing, passed, text_of};
use crate::store::{Recorded, StoreError};

/// Appends events to a run, which they may begin.
pub(super) fn events(
    writing: &mut Writing<'_>,
    run: RunId,
    after: u64,
    events: &[Event],
    at: u64,
) -> Result<(), Failure> {
    let mut line = match (Line::read(writing.connection, run)?, events.first()) {
        (Some(line), _) if line.last_seq != after => {
            return Err(StoreError::Stale { run, expected: after, found: line.last_seq }.into());
        }
        (Some(line), _) => line,
        (None, Some(Event::Started { recipe, step, order, .. })) if after == 0 => {
            Line::begin(writing, run, recipe, step, order, at)?
        }
        (None, _) => return Err(missing("run", &run).into()),
    };
    for event in events {
        line.learn(writing, event, at)?;
        line.append(writing, event, at)?;
    }
    if events.is_empty() { Ok(()) } else { line.write(writing, at) }
}

/// What changes in a run's line. It is read once, learns all events, and is written once.
struct Line<'e> {
    run: RunId,
    session: SessionId,
    last_seq: u64,
    step: String,
    steps: u32,
    cost_usd: f64,
    /// The turn that is going on.
    attempt: Option<AttemptId>,
    over: bool,
    news: News<'e>,
}

/// Whether the run ended or went on again with these events.
enum News<'e> {
    None,
    Ended(&'e Ending),
    Resumed,
}

impl<'e> Line<'e> {
    fn read(connection: &Connection, run: RunId) -> Result<Option<Self>, Failure> {
        let sql = "SELECT session, last_seq, step, steps, cost_usd, attempt, ended_at IS NOT NULL \
                   FROM runs WHERE id = ?1";
        one(connection, sql, [run.to_string()], |row| {
            Ok(Self {
                run,
                session: rows::parsed(row, 0)?,
                last_seq: rows::number(row, 1)?,
                step: row.get(2)?,
                steps: row.get(3)?,
                cost_usd: row.get(4)?,
                attempt: rows::parsed_if_any(row, 5)?,
                over: row.get(6)?,
                news: News::None,
            })
        })
    }

    /// Writes the line of a run that begins, and takes its session.
    fn begin(
        writing: &mut Writing<'_>,
        run: RunId,
        recipe: &str,
        step: &str,
        order: &Order,
        at: u64,
    ) -> Result<Self, Failure> {
        let line = Self {
            run,
            session: order.session,
            last_seq: 0,
            step: step.to_owned(),
            steps: 1,
            cost_usd: 0.0,
            attempt: None,
            over: false,
            news: News::None,
        };
        line.take_session(writing)?;
        // There has to be such a session, and it is said so in words here, not by a foreign key.
        writing.touch(line.session, at)?;
        let sql = "INSERT INTO runs (id, session, recipe, directory, agent, rehearsal, continues, started_at, \
                   changed_at, step, steps, last_seq, cost_usd) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8, ?9, 1, 0, 0.0)";
        let (id, session) = (run.to_string(), line.session.to_string());
        let (directory, continues) = (text_of(&order.directory)?, order.continues.map(|run| run.to_string()));
        let (agent, rehearsal) = (&order.agent, order.rehearsal);
        let values = (id, session, recipe, directory, agent, rehearsal, continues, integer(at), step);
        writing.execute(sql, values)?;
        Ok(line)
    }

    /// A session has one run at a time. An index sees to that as well; this is where people are told whose it is.
    fn take_session(&self, writing: &Writing<'_>) -> Result<(), Failure> {
        match writing.holder(self.session)?.filter(|holder| *holder != self.run) {
            Some(holder) => Err(StoreError::Busy { session: self.session, holder }.into()),
            None => Ok(()),
        }
    }

    /// What an event says about the run, its attempts and its queue.
    fn learn(&mut self, writing: &Writing<'_>, event: &'e Event, at: u64) -> Result<(), Failure> {
        may_follow(self.run, self.last_seq, self.over, self.attempt, event)?;
        match event {
            Event::Started { .. } | Event::Reasked { .. } => {}
            Event::TurnBegan { attempt, purpose, .. } => {
                writing.begin_attempt(*attempt, Some(self.run), self.session, passed(purpose), at)?;
                self.attempt = Some(*attempt);
            }
            Event::Replied { cost_usd, .. } => {
                self.attempt = None;
                self.cost_usd += cost(*cost_usd);
            }
            Event::Moved { to, number, .. } => {
                self.step.clone_from(to);
                self.steps = *number;
            }
            Event::PromptQueued { prompt, text } => {
                writing.queue(*prompt, self.session, Some(self.run), text, at)?;
            }
            Event::Ended { ending, unheard, cost_usd, .. } => {
                self.cost_usd += cost(*cost_usd);
                if let Some(attempt) = self.attempt.take()
                    && *unheard
                {
                    writing.wait_again(attempt)?;
                }
                (self.over, self.news) = (true, News::Ended(ending));
            }
            Event::Resumed { .. } => {
                self.take_session(writing)?;
                (self.over, self.news) = (false, News::Resumed);
            }
        }
        Ok(())
    }

    /// Writes the event itself.
    fn append(&mut self, writing: &mut Writing<'_>, event: &Event, at: u64) -> Result<(), Failure> {
        self.last_seq += 1;
        writing.last_place += 1;
        let (place, seq) = (writing.last_place, self.last_seq);
        let sql = "INSERT INTO events (place, run, seq, at, event, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let (run, body) = (self.run.to_string(), json(event)?);
        writing.execute(sql, (integer(place), run, integer(seq), integer(at), event.name(), body))?;
        let (run, session, event) = (self.run, self.session, event.clone());
        writing.committed.events.push(Recorded { place, run, session, seq, at, event });
        Ok(())
    }

    fn write(&self, writing: &mut Writing<'_>, at: u64) -> Result<(), Failure> {
        writing.touch(self.session, at)?;
        let (run, at) = (self.run.to_string(), integer(at));
        let sql = "UPDATE runs SET changed_at = max(changed_at, ?2), step = ?3, steps = ?4, last_seq = ?5, \
                   cost_usd = ?6, attempt = ?7 WHERE id = ?1";
        let attempt = self.attempt.map(|attempt| attempt.to_string());
        let values = (&run, at, &self.step, self.steps, integer(self.last_seq), self.cost_usd, attempt);
        writing.execute(sql, values)?;
        match self.news {
            News::None => {}
            News::Ended(ending) => {
                let sql = "UPDATE runs SET ended_at = changed_at, reason = ?2, resume_at = ?3, ending = ?4 \
                           WHERE id = ?1";
                let resume_at = ending.resume_at.map(integer);
                writing.execute(sql, (&run, &ending.reason, resume_at, json(ending)?))?;
            }
            News::Resumed => {
                let sql = "UPDATE runs SET ended_at = NULL, reason = NULL, resume_at = NULL, ending = NULL \
                           WHERE id = ?1";
                writing.execute(sql, [&run])?;
            }
        }
        Ok(())
    }
}

fn json(value: &impl Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Failed { why: error.to_string() })
}
