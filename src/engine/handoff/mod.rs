//! What a run that has ended leaves on the disk, and the operator's command that is told of it.
//!
//! Nothing waits for any of it but a command that asks to: the end is persisted, and clients know of it already.

mod files;
mod on_end;
mod waiting;

use std::sync::Arc;

use tracing::Instrument;

pub use files::{STOP_JSON, STOP_MD, handoff_directory};
pub use on_end::OnEnd;

pub(in crate::engine) use files::{Kept, remove_kept};
pub(in crate::engine) use waiting::Handoffs;

use super::crash;
use super::options::Options;
use super::session::load::unfinished_runs;
use super::shared::Shared;
use super::spans;
use crate::AnyRecipe;
use crate::run::{Event, RunId, SessionId};
use crate::session::{Change, Commit};
use crate::store::{RunFilter, RunRecord, Store, StoreError};
use crate::view::{CommandContext, Handoff, RunFacts, Timeline};

/// How many runs are looked at when an engine opens, and how long ago they may have ended, in milliseconds: an engine that
/// was killed in the moment after an end wrote nothing about it.
const MAX_REPAIRED_RUNS: usize = 100;
const MAX_REPAIRED_AGE_MS: u64 = 24 * 60 * 60 * 1000;

/// Sees to what a persisted commit means for the files of runs: those that ended get theirs, and those that were resumed
/// lose them. It only begins that.
pub(in crate::engine) fn follow(shared: &Arc<Shared>, session: SessionId, commit: &Commit) {
    for change in &commit.changes {
        let Change::Run { run, after, entries, .. } = change else { continue };
        for (seq, event) in (after + 1..).zip(entries.iter().filter_map(|entry| entry.event.as_ref())) {
            if matches!(event, Event::Resumed { .. }) {
                begin(shared, session, *run, Work::Resumed);
            } else if let Event::Ended { ending, .. } = event
                && ending.resume_at.is_none()
            {
                begin(shared, session, *run, Work::Ended { seq, tells: true });
            }
        }
    }
}

/// A run that ended, and whose files an earlier engine did not write.
pub(in crate::engine) struct Unwritten {
    run: RunId,
    session: SessionId,
    seq: u64,
}

/// What an earlier engine left undone. To be asked before anything is driven: what ends from then on is followed.
pub(in crate::engine) async fn unwritten(shared: &Arc<Shared>) -> Vec<Unwritten> {
    let (data, since) = (shared.options.data.clone(), shared.now().saturating_sub(MAX_REPAIRED_AGE_MS));
    let look = move |store: &dyn Store| {
        for run in unfinished_runs(store, None)? {
            files::remove_written(&data, run.id);
        }
        let ended = RunFilter { open: Some(false), limit: Some(MAX_REPAIRED_RUNS), ..RunFilter::default() };
        let is_unwritten = |run: &RunRecord| {
            let is_over = run.ending.as_ref().is_some_and(|ending| ending.resume_at.is_none());
            is_over && run.changed_at >= since && files::written_seq(&data, run.id) != Some(run.last_seq)
        };
        let runs = store.runs(&ended)?.into_iter().filter(is_unwritten);
        Ok(runs
            .map(|run| Unwritten { run: run.id, session: run.session, seq: run.last_seq })
            .collect::<Vec<_>>())
    };
    shared.read(look).await.unwrap_or_else(|error| {
        tracing::warn!(%error, "failed to look for runs whose files were not written");
        Vec::new()
    })
}

/// Does what an earlier engine left undone. The operator's command hears only of what this engine takes up.
pub(in crate::engine) fn repair(shared: &Arc<Shared>, unwritten: Vec<Unwritten>) {
    for Unwritten { run, session, seq } in unwritten {
        let tells = shared.options.take_up.takes(Some(run));
        begin(shared, session, run, Work::Ended { seq, tells });
    }
}

/// What is to be done about a run's files.
#[derive(Debug, Clone, Copy)]
enum Work {
    /// Its event of this number ended it. `tells`: the operator's command hears of it.
    Ended { seq: u64, tells: bool },
    /// It is running again.
    Resumed,
}

fn begin(shared: &Arc<Shared>, session: SessionId, run: RunId, work: Work) {
    let (owner, unfinished) = (Arc::clone(shared), shared.handoffs.begin());
    let working = async move {
        let _unfinished = unfinished;
        match work {
            Work::Resumed => take_back(&owner, run).await,
            Work::Ended { seq, tells } => hand_off(&owner, run, seq, tells).await,
        }
    };
    shared.tasks.spawn(working.instrument(spans::of_run(run, session)));
}

/// A run that is running again has not ended.
async fn take_back(shared: &Shared, run: RunId) {
    let _alone = shared.handoffs.alone().await;
    let data = shared.options.data.clone();
    let look = move |store: &dyn Store| {
        if store.run(run)?.is_some_and(|run| run.ending.is_none_or(|ending| ending.resume_at.is_some())) {
            files::remove_written(&data, run);
        }
        Ok(())
    };
    if let Err(error) = shared.read(look).await {
        tracing::warn!(%error, "failed to remove the files of a run that was resumed");
    }
}

async fn hand_off(shared: &Shared, run: RunId, seq: u64, tells: bool) {
    let handoff = {
        let _alone = shared.handoffs.alone().await;
        let options = shared.options.clone();
        crash::point("before-handoff");
        let write = move |store: &dyn Store| {
            let Some(record) = store.run(run)? else { return Ok(None) };
            let timeline = timeline(store, &options, &record, seq)?;
            let context = CommandContext {
                program: &options.program,
                data: options.named_data.as_deref(),
                directory: None,
            };
            let Some(handoff) = Handoff::of(&timeline, context) else { return Ok(None) };
            // One that was resumed meanwhile has other files by now, or none.
            if record.last_seq == seq
                && let Err(error) = files::write(&options.data, &handoff)
            {
                tracing::warn!(%error, "failed to write what the run leaves");
            }
            Ok(Some(handoff))
        };
        shared.read(write).await
    };
    match (handoff, &shared.options.on_end) {
        (Ok(Some(handoff)), Some(command)) if tells => {
            shared.handoffs.tell(command, &handoff, &shared.options.data, &shared.closing).await;
        }
        (Ok(_), _) => {}
        (Err(error), _) => tracing::warn!(%error, "failed to read what the run leaves"),
    }
}

/// The run as it was after this event.
fn timeline(
    store: &dyn Store,
    options: &Options,
    record: &RunRecord,
    seq: u64,
) -> Result<Timeline, StoreError> {
    let outline = options.catalog.get(&record.recipe).map(AnyRecipe::outline);
    let facts = RunFacts {
        run: record.id,
        session: record.session,
        recipe: record.recipe.clone(),
        recipe_label: outline.map_or(record.recipe.as_str(), |outline| outline.label).to_owned(),
        directory: record.directory.display().to_string(),
        agent: record.agent.clone(),
        rehearsal: record.rehearsal,
        started_at: record.started_at,
        made_from: None,
    };
    let mut timeline = Timeline::new(facts, outline);
    for recorded in store.events(record.id, 0, usize::try_from(seq).unwrap_or(usize::MAX))? {
        timeline.apply(recorded.seq, recorded.at, &recorded.event);
    }
    Ok(timeline)
}
