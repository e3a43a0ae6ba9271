//! The handoff of an ended run: its files on the disk, and the operator's `--on-end` command.
//!
//! It happens in the background: the end is persisted and published already. Only
//! [`Engine::wait_for_handoffs`](super::Engine::wait_for_handoffs) waits for it.

mod files;
mod in_progress;
mod on_end;

use std::sync::Arc;

use tracing::Instrument;

pub use files::{STOP_JSON, STOP_MD, handoff_directory};
pub use on_end::OnEnd;

pub(in crate::engine) use files::{RunDirectories, remove_deleted};
pub(in crate::engine) use in_progress::Handoffs;

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

/// How many ended runs are checked when an engine opens, and how long ago they may have ended: an
/// engine that was killed right after a run ended has not written its files.
const MAX_REPAIRED_RUNS: usize = 100;
const MAX_REPAIRED_AGE_MS: u64 = 24 * 60 * 60 * 1000;

/// Updates the files of runs after a commit: a run that ended gets its files, a resumed one loses
/// them. The work continues in the background.
pub(in crate::engine) fn follow(shared: &Arc<Shared>, session: SessionId, commit: &Commit) {
    for change in &commit.changes {
        let Change::Run { run, after, entries, .. } = change else { continue };
        for (seq, event) in
            (after + 1..).zip(entries.iter().filter_map(|entry| entry.event.as_ref()))
        {
            if matches!(event, Event::Resumed { .. }) {
                begin(shared, session, *run, Work::Resumed);
            } else if let Event::Ended { ending, .. } = event
                && ending.resume_at.is_none()
            {
                begin(shared, session, *run, Work::Ended { seq, notify: true });
            }
        }
    }
}

/// An ended run whose files an earlier engine did not write.
pub(in crate::engine) struct Unwritten {
    run: RunId,
    session: SessionId,
    seq: u64,
}

/// The runs whose files an earlier engine did not write. Must be called before any session is
/// driven: later ends are handled by [`follow`].
pub(in crate::engine) async fn unwritten(shared: &Arc<Shared>) -> Vec<Unwritten> {
    let (data, since) =
        (shared.options.data.clone(), shared.now().saturating_sub(MAX_REPAIRED_AGE_MS));
    let look = move |store: &dyn Store| {
        for run in unfinished_runs(store, None)? {
            files::remove_written(&data, run.id);
        }
        let ended =
            RunFilter { open: Some(false), limit: Some(MAX_REPAIRED_RUNS), ..RunFilter::default() };
        let is_unwritten = |run: &RunRecord| {
            let is_over = run.ending.as_ref().is_some_and(|ending| ending.resume_at.is_none());
            is_over
                && run.changed_at >= since
                && files::written_seq(&data, run.id) != Some(run.last_seq)
        };
        let runs = store.runs(&ended)?.into_iter().filter(is_unwritten);
        Ok(runs
            .map(|run| Unwritten { run: run.id, session: run.session, seq: run.last_seq })
            .collect::<Vec<_>>())
    };
    shared.read(look).await.unwrap_or_else(|error| {
        tracing::warn!(%error, "failed to find runs without handoff files");
        Vec::new()
    })
}

/// Writes the files that an earlier engine did not. The operator's command runs only for runs that
/// this engine recovers.
pub(in crate::engine) fn repair(shared: &Arc<Shared>, unwritten: Vec<Unwritten>) {
    for Unwritten { run, session, seq } in unwritten {
        let notify = shared.options.recovery.includes(Some(run));
        begin(shared, session, run, Work::Ended { seq, notify });
    }
}

/// What to do about a run's files.
#[derive(Debug, Clone, Copy)]
enum Work {
    /// The event with this number ended the run. `notify`: the operator's command runs.
    Ended { seq: u64, notify: bool },
    /// The run is running again.
    Resumed,
}

fn begin(shared: &Arc<Shared>, session: SessionId, run: RunId, work: Work) {
    let (owner, unfinished) = (Arc::clone(shared), shared.handoffs.begin());
    let working = async move {
        let _unfinished = unfinished;
        match work {
            Work::Resumed => withdraw(&owner, run).await,
            Work::Ended { seq, notify } => hand_off(&owner, run, seq, notify).await,
        }
    };
    shared.tasks.spawn(working.instrument(spans::of_run(run, session)));
}

/// Removes the files of a run that is running again.
async fn withdraw(shared: &Shared, run: RunId) {
    let _lock = shared.handoffs.lock_files().await;
    let data = shared.options.data.clone();
    let look = move |store: &dyn Store| {
        if store
            .run(run)?
            .is_some_and(|run| run.ending.is_none_or(|ending| ending.resume_at.is_some()))
        {
            files::remove_written(&data, run);
        }
        Ok(())
    };
    if let Err(error) = shared.read(look).await {
        tracing::warn!(%error, "failed to remove the files of a resumed run");
    }
}

async fn hand_off(shared: &Shared, run: RunId, seq: u64, notify: bool) {
    let handoff = {
        let _lock = shared.handoffs.lock_files().await;
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
            // If the run was resumed meanwhile, its files are newer, or gone.
            if record.last_seq == seq
                && let Err(error) = files::write(&options.data, &handoff)
            {
                tracing::warn!(%error, "failed to write the handoff files");
            }
            Ok(Some(handoff))
        };
        shared.read(write).await
    };
    match (handoff, &shared.options.on_end) {
        (Ok(Some(handoff)), Some(command)) if notify => {
            shared
                .handoffs
                .run_command(command, &handoff, &shared.options.data, &shared.closing)
                .await;
        }
        (Ok(_), _) => {}
        (Err(error), _) => tracing::warn!(%error, "failed to read the run for its handoff"),
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
        script: None,
        started_at: record.started_at,
        created_from: None,
        task: None,
    };
    let mut timeline = Timeline::new(facts, outline);
    for recorded in store.events(record.id, 0, usize::try_from(seq).unwrap_or(usize::MAX))? {
        timeline.apply(recorded.seq, recorded.at, &recorded.event);
    }
    Ok(timeline)
}
