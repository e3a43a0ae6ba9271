//! The effect of a run's events on its row, its session, its attempts and its queue.

use super::conversation::{add_message, touch};
use super::draft::Draft;
use super::rows::RunRow;
use super::rules::{cost, delivered_prompt, empty, may_follow, missing, text_of};
use super::turns;
use crate::run::{Event, RunId, RunSpec, SessionId};
use crate::session::Entry;
use crate::store::committed::WrittenEvent;
use crate::store::error::StoreError;
use crate::store::records::{EventRecord, RunRecord};

/// Appends entries to a run. The first one may begin it.
pub(super) fn append(
    draft: &mut Draft<'_>,
    run: RunId,
    after: u64,
    at: u64,
    entries: &[Entry<Event>],
) -> Result<(), StoreError> {
    let known = draft.run(run)?.map(|row| (row.record.session, row.record.last_seq));
    let session = match (known, entries.first().and_then(|entry| entry.event.as_ref())) {
        (Some((_, found)), _) if found != after => {
            return Err(StoreError::Stale { run, expected: after, found });
        }
        (Some((session, _)), _) => session,
        (None, Some(Event::Started { recipe, step, spec, .. })) if after == 0 => {
            begin(draft, run, recipe, step, spec, at)?;
            spec.session
        }
        (None, _) => return Err(missing("run", &run)),
    };
    for Entry { event, message } in entries {
        if event.is_none() && message.is_none() {
            return Err(empty("run", &run));
        }
        let event = event.as_ref().map(|event| apply_event(draft, run, event, at)).transpose()?;
        let message =
            message.as_ref().map(|message| add_message(draft, session, message)).transpose()?;
        draft.add_entry(event.map(WrittenEvent::Run), message);
    }
    Ok(())
}

/// Adds the row of a new run, and takes its session.
fn begin(
    draft: &mut Draft<'_>,
    run: RunId,
    recipe: &str,
    step: &str,
    spec: &RunSpec,
    at: u64,
) -> Result<(), StoreError> {
    take_session(draft, spec.session, run)?;
    text_of(&spec.directory)?;
    let record = RunRecord {
        id: run,
        session: spec.session,
        recipe: recipe.to_owned(),
        directory: spec.directory.clone(),
        agent: spec.agent.clone(),
        rehearsal: spec.rehearsal,
        continues: spec.continues,
        started_at: at,
        changed_at: at,
        step: step.to_owned(),
        steps: 1,
        last_seq: 0,
        cost_usd: 0.0,
        ending: None,
    };
    draft.add_run(RunRow { record, attempt: None });
    Ok(())
}

/// A session has one run at a time.
fn take_session(draft: &mut Draft<'_>, session: SessionId, run: RunId) -> Result<(), StoreError> {
    let row = draft.change_session(session)?;
    match row.session.run.replace(run).filter(|holder| *holder != run) {
        Some(holder) => Err(StoreError::Busy { session, holder }),
        None => Ok(()),
    }
}

/// Applies an event, and assigns its numbers.
fn apply_event(
    draft: &mut Draft<'_>,
    run: RunId,
    event: &Event,
    at: u64,
) -> Result<EventRecord, StoreError> {
    let row = draft.run(run)?.ok_or_else(|| missing("run", &run))?;
    let (session, over) = (row.record.session, row.record.ending.is_some());
    may_follow(run, row.record.last_seq, over, row.attempt, event)?;
    project_event(draft, run, session, event, at)?;
    touch(draft, session, at)?;
    let record = &mut draft.change_run(run)?.record;
    record.last_seq += 1;
    record.changed_at = record.changed_at.max(at);
    let seq = record.last_seq;
    Ok(EventRecord {
        global_seq: draft.next_global_seq(),
        run,
        session,
        seq,
        at,
        event: event.clone(),
    })
}

/// Applies an event to the run, its session, its attempts and its queue.
fn project_event(
    draft: &mut Draft<'_>,
    run: RunId,
    session: SessionId,
    event: &Event,
    at: u64,
) -> Result<(), StoreError> {
    match event {
        Event::Started { .. }
        | Event::TreeSeen { .. }
        | Event::RulesBroken { .. }
        | Event::WorktreeEnded { .. }
        | Event::ToolsRefused { .. }
        | Event::Retried { .. } => {}
        // A check is an attempt too: like a turn, it may have a process.
        Event::CheckBegan { check, .. } => {
            turns::begin(draft, *check, Some(run), session, None, at)?;
            draft.change_run(run)?.attempt = Some(*check);
        }
        Event::Checked { .. } => draft.change_run(run)?.attempt = None,
        Event::TurnBegan { attempt, purpose, .. } => {
            turns::begin(draft, *attempt, Some(run), session, delivered_prompt(purpose), at)?;
            draft.change_run(run)?.attempt = Some(*attempt);
        }
        Event::Replied { cost_usd, .. } | Event::LimitReached { cost_usd, .. } => {
            let row = draft.change_run(run)?;
            row.attempt = None;
            row.record.cost_usd += cost(*cost_usd);
        }
        Event::Moved { to, number, .. } => {
            let record = &mut draft.change_run(run)?.record;
            record.step.clone_from(to);
            record.steps = *number;
        }
        Event::PromptQueued { prompt, text } => {
            turns::queue_in_run(draft, *prompt, session, run, text, at)?;
        }
        Event::Ended { ending, redeliver, cost_usd, withdrawn, took: _, exceeded: _ } => {
            let row = draft.change_run(run)?;
            let turn = row.attempt.take();
            row.record.cost_usd += cost(*cost_usd);
            row.record.ending = Some(ending.clone());
            // A paused run may end while another run holds the session.
            let holder = &mut draft.change_session(session)?.session.run;
            *holder = holder.filter(|holder| *holder != run);
            if let Some(turn) = turn.filter(|_| *redeliver) {
                turns::requeue_maybe_received(draft, turn)?;
            }
            turns::withdraw(draft, session, withdrawn)?;
        }
        Event::Resumed { .. } => {
            take_session(draft, session, run)?;
            draft.change_run(run)?.record.ending = None;
        }
    }
    Ok(())
}
