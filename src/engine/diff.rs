//! What a run changed, as text: made when it is asked for, out of the snapshots that its turns left.

use std::path::PathBuf;
use std::sync::Arc;

use super::error::EngineError;
use super::local::Engine;
use super::turn::looking;
use crate::gate::{Diff, GitError};
use crate::run::{Event, RunId};
use crate::store::RunRecord;
use crate::view::{Snapshots, TurnSnapshots};

/// How much of a diff is given. What is longer is cut after a whole line.
pub const MAX_DIFF_BYTES: usize = 512 << 10;

/// What a run changed, all in all or in one turn.
#[derive(Debug)]
pub struct RunDiff {
    /// The turns that there are diffs of, in order.
    pub turns: Vec<TurnSnapshots>,
    /// The diff, or why there is none. It holds what the files hold, so it may say anything.
    pub diff: Result<Diff, NoDiff>,
}

/// Why there is no diff of a run.
#[derive(Debug, thiserror::Error)]
pub enum NoDiff {
    /// A script pretended to work.
    #[error("this run is a rehearsal, which changes nothing")]
    Rehearsal,
    /// The engine could not look.
    #[error(
        "there are no snapshots of this run: its working directory was not in a git work tree, or git failed there"
    )]
    NoSnapshots,
    /// No turn has ended, or the engine could not look after it.
    #[error("the engine has not looked at the work tree after a turn of this run yet")]
    NotYet,
    /// There is no such turn, or the engine could not look after it.
    #[error("there is no snapshot after turn {turn} of this run")]
    NoTurn {
        /// The turn that was asked for.
        turn: u32,
    },
    /// The objects of the snapshots are gone.
    #[error("the snapshots of this run have been deleted")]
    Deleted,
    /// The repository is gone, and what did not change in it is only there.
    #[error("`{}` is not in a git work tree any more, and the snapshots are incomplete without it", .0.display())]
    NoRepository(PathBuf),
    /// The snapshots cannot be compared.
    #[error("the snapshots of this run cannot be compared: {0}")]
    Git(#[from] GitError),
}

impl Engine {
    /// What a run changed, as a unified diff of at most [`MAX_DIFF_BYTES`]: all in all, or in one turn (1 is the first).
    /// It ends with the last turn that has ended.
    ///
    /// # Errors
    /// There is no such run, or the store failed. That there is no diff is no error: [`RunDiff::diff`] says why.
    pub async fn diff(&self, run: RunId, turn: Option<u32>) -> Result<RunDiff, EngineError> {
        self.is_open()?;
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
        // To look would make the directory anew.
        if !looking::objects(&shared.options.data, run).is_dir() {
            return Ok(Err(NoDiff::Deleted));
        }
        let closing = shared.closing.clone();
        let permit = tokio::select! {
            biased;
            () = closing.cancelled() => return Err(EngineError::ShuttingDown),
            permit = Arc::clone(&shared.diffs).acquire_owned() => permit.ok(),
        };
        let looked = looking::look(shared, &directory, run, move |repository| async move {
            // Kept by the look itself, which continues for a moment if the caller is gone.
            let _permit = permit;
            tokio::select! {
                biased;
                () = closing.cancelled() => Ok(None),
                diff = repository.diff(&from, &to, MAX_DIFF_BYTES) => diff.map(Some),
            }
        });
        match looked.await {
            Ok(Some(Some(diff))) => Ok(Ok(diff)),
            Ok(Some(None)) => Err(EngineError::ShuttingDown),
            Ok(None) => self.is_open().map(|()| Err(NoDiff::NoRepository(directory))),
            Err(error) => Ok(Err(error.into())),
        }
    }
}

/// Where the objects are that the snapshots share with a repository: a worktree that is gone had those of the repository
/// that it was made from.
fn repository<'a>(run: &RunRecord, mut events: impl Iterator<Item = &'a Event>) -> PathBuf {
    match events.next() {
        Some(Event::Started { order, .. }) if !run.directory.exists() => {
            order.worktree.as_ref().map_or_else(|| run.directory.clone(), |it| it.repository.clone())
        }
        Some(_) | None => run.directory.clone(),
    }
}

/// What to compare with what.
fn trees<'a>(
    run: &RunRecord,
    snapshots: &'a Snapshots,
    turn: Option<u32>,
) -> Result<(&'a str, &'a str), NoDiff> {
    if run.rehearsal {
        return Err(NoDiff::Rehearsal);
    }
    let Some(whole) = snapshots.whole() else {
        // The first look is on its way while the first turn begins.
        let has_begun = snapshots.began > 1 || run.ending.is_some();
        let never = snapshots.baseline.is_none() && has_begun;
        return Err(if never { NoDiff::NoSnapshots } else { NoDiff::NotYet });
    };
    match turn {
        Some(turn) => snapshots.turn(turn).ok_or(NoDiff::NoTurn { turn }),
        None => Ok(whole),
    }
}
