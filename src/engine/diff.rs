//! The changes of a run as a diff, computed on request from the snapshots that its turns left.

use std::path::PathBuf;
use std::sync::Arc;

use super::error::EngineError;
use super::local::Engine;
use super::turn::inspect;
use crate::gate::{Diff, GitError};
use crate::run::{Event, RunId};
use crate::store::RunRecord;
use crate::view::{Snapshots, TurnSnapshots};

/// The size limit of a diff. A longer one is cut at the end of a line.
pub const MAX_DIFF_BYTES: usize = 512 << 10;

/// The changes of a run, in total or in one turn.
#[derive(Debug)]
#[non_exhaustive]
pub struct RunDiff {
    /// The turns that have a diff, in order.
    pub turns: Vec<TurnSnapshots>,
    /// The diff, or why there is none. It contains file contents, so treat it as untrusted text.
    pub diff: Result<Diff, NoDiff>,
}

/// Why there is no diff of a run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NoDiff {
    /// The run was a rehearsal.
    #[error("this run is a rehearsal, which changes nothing")]
    Rehearsal,
    /// The engine took no snapshots.
    #[error(
        "there are no snapshots of this run: its working directory was not in a git work tree, or git failed there"
    )]
    NoSnapshots,
    /// No turn has ended yet, or the engine took no snapshot after it.
    #[error("there is no snapshot of this run after a turn yet")]
    NotYet,
    /// There is no such turn, or the engine took no snapshot after it.
    #[error("there is no snapshot after turn {turn} of this run")]
    NoTurn {
        /// The turn that was asked for.
        turn: u32,
    },
    /// The objects of the snapshots are gone.
    #[error("the snapshots of this run have been deleted")]
    Deleted,
    /// The repository is gone, and with it the objects of all unchanged files.
    #[error("`{}` is not in a git work tree any more, and the snapshots are incomplete without it", .0.display())]
    NoRepository(PathBuf),
    /// The snapshots cannot be compared.
    #[error("the snapshots of this run cannot be compared: {0}")]
    Git(#[from] GitError),
}

impl Engine {
    /// The changes of a run as a unified diff of at most [`MAX_DIFF_BYTES`]: in total, or in one
    /// turn (1 is the first). The diff covers turns that have ended.
    ///
    /// # Errors
    /// There is no such run, or the store failed. A missing diff is not an error: [`RunDiff::diff`]
    /// says why.
    pub async fn diff(&self, run: RunId, turn: Option<u32>) -> Result<RunDiff, EngineError> {
        self.ensure_open()?;
        let found = self.shared.read(move |store| {
            let Some(record) = store.run(run)? else { return Ok(None) };
            Ok(Some((record, store.events(run, 0, usize::MAX)?)))
        });
        let (record, events) = found.await?.ok_or(EngineError::NoRun(run))?;
        let snapshots = Snapshots::of(events.iter().map(|recorded| &recorded.event));
        let diff = match trees(&record, &snapshots, turn) {
            Ok((from, to)) => {
                let events = events.iter().map(|recorded| &recorded.event);
                let directory = repository(&record, events);
                self.compare(record.id, directory, from.to_owned(), to.to_owned()).await?
            }
            Err(why) => Err(why),
        };
        Ok(RunDiff { turns: snapshots.turns, diff })
    }

    async fn compare(
        &self,
        run: RunId,
        directory: PathBuf,
        from: String,
        to: String,
    ) -> Result<Result<Diff, NoDiff>, EngineError> {
        let shared = &self.shared;
        // Opening the repository would create the directory again.
        if !inspect::objects(&shared.options.data, run).is_dir() {
            return Ok(Err(NoDiff::Deleted));
        }
        let closing = shared.closing.clone();
        let permit = tokio::select! {
            biased;
            () = closing.cancelled() => return Err(EngineError::ShuttingDown),
            permit = Arc::clone(&shared.diffs).acquire_owned() => permit.ok(),
        };
        let inspected =
            inspect::repository(shared, &directory, run, move |repository| async move {
                // Held by the inspection, which may outlive its caller for a moment.
                let _permit = permit;
                tokio::select! {
                    biased;
                    () = closing.cancelled() => Ok(None),
                    diff = repository.diff(&from, &to, MAX_DIFF_BYTES) => diff.map(Some),
                }
            });
        match inspected.await {
            Ok(Some(Some(diff))) => Ok(Ok(diff)),
            Ok(Some(None)) => Err(EngineError::ShuttingDown),
            Ok(None) => self.ensure_open().map(|()| Err(NoDiff::NoRepository(directory))),
            Err(error) => Ok(Err(error.into())),
        }
    }
}

/// The repository whose objects the snapshots share. For a worktree that is gone, that is the
/// repository it was made from.
fn repository<'a>(run: &RunRecord, mut events: impl Iterator<Item = &'a Event>) -> PathBuf {
    match events.next() {
        Some(Event::Started { spec, .. }) if !run.directory.exists() => {
            spec.worktree.as_ref().map_or_else(|| run.directory.clone(), |it| it.repository.clone())
        }
        Some(_) | None => run.directory.clone(),
    }
}

/// The two trees to compare.
fn trees<'a>(
    run: &RunRecord,
    snapshots: &'a Snapshots,
    turn: Option<u32>,
) -> Result<(&'a str, &'a str), NoDiff> {
    if run.rehearsal {
        return Err(NoDiff::Rehearsal);
    }
    let Some(whole) = snapshots.whole() else {
        // The first snapshot may still be in progress while the first turn begins.
        let has_begun = snapshots.began > 1 || run.ending.is_some();
        let never = snapshots.baseline.is_none() && has_begun;
        return Err(if never { NoDiff::NoSnapshots } else { NoDiff::NotYet });
    };
    match turn {
        Some(turn) => snapshots.turn(turn).ok_or(NoDiff::NoTurn { turn }),
        None => Ok(whole),
    }
}
