//! The preconditions of a job: a free slot, its directory, and locks on the session and the work
//! tree.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::OwnedSemaphorePermit;

use super::directory;
use super::job::Job;
use super::result::NoReply;
use super::session_lock;
use super::work_tree;
use crate::agent::{Agent, Failure};
use crate::engine::file_lock::{FileLock, NotLocked};
use crate::engine::shared::Shared;
use crate::process::run_blocking;
use crate::process::{self, ProcessLimits, ProcessMark};
use crate::run::{AttemptId, SessionId, TreeState};
use crate::session::{ProcessRecord, TurnOrigin};

/// Permission to run a job. Dropping it releases the slot and the session's lock.
pub(super) struct TurnPermit {
    /// `None` if the agent may already be working and no slot was free.
    pub(super) slot: Option<OwnedSemaphorePermit>,
    _lock: Option<FileLock>,
    pub(super) agent: Arc<dyn Agent>,
    /// The state of the work tree right before a run's turn.
    pub(super) before: Option<TreeState>,
}

/// Waits for a free slot, and checks that the job may run on this machine and in its directory.
pub(super) async fn acquire(
    shared: Arc<Shared>,
    session: SessionId,
    job: Job,
    permit: Option<OwnedSemaphorePermit>,
) -> Result<TurnPermit, NoReply> {
    let agent = match shared.agent(Some(job.agent())) {
        Ok(agent) => agent,
        Err(unknown) => {
            if let TurnOrigin::Adopted(process) = job.origin() {
                // Its reply would be lost, so its process must not keep working.
                stop_process(&shared, job.attempt(), process.clone()).await;
            }
            let (path, why) = (job.agent().into(), unknown.to_string());
            return Err(NoReply::Failure(Failure::CannotStart { path, why }));
        }
    };
    // For an agent that may already be working, waiting and checking its directory is pointless.
    let at_work = matches!(job.origin(), TurnOrigin::Adopted(Some(_)));
    let permit = match permit {
        Some(permit) => Some(permit),
        None if at_work => shared.try_permit(),
        None => Some(shared.permit().await.ok_or(NoReply::Failure(Failure::Detached))?),
    };
    if !at_work {
        match job.created_from() {
            Some(repository) => check_repository(repository.to_owned()).await?,
            None => check_directory(&shared, job.directory().to_owned()).await?,
        }
    }
    // A rehearsal touches nothing that another process could use. The lock is taken on this thread:
    // taken on another one, it could outlive a cancelled turn and block the next.
    let rehearsal = agent.about().rehearsal;
    let locked = if rehearsal { Ok(None) } else { lock(&shared.options.locks, session).map(Some) };
    let locked = locked.and_then(|lock| hold_tree(&shared, &job).map(|()| lock));
    match (locked, job.origin()) {
        (Ok(lock), _) => {
            let before = match &job {
                Job::Turn(turn) if !rehearsal && !at_work => work_tree::before(&shared, turn).await,
                Job::Turn(_) | Job::Check(_) => None,
            };
            Ok(TurnPermit { slot: permit, _lock: lock, agent, before })
        }
        (Err(why), TurnOrigin::Adopted(process)) => {
            // Nothing supervises the process any more, so it must not keep working.
            stop_process(&shared, job.attempt(), process.clone()).await;
            Err(why)
        }
        (Err(why), TurnOrigin::New) => Err(why),
    }
}

/// Locks the work tree for the run, which may not hold the lock after a recovery or a pause.
fn hold_tree(shared: &Shared, job: &Job) -> Result<(), NoReply> {
    match job.claim() {
        Some(claim) => shared.trees.hold(&shared.options.locks, job.directory(), claim),
        None => Ok(()),
    }
    .map_err(NoReply::Collision)
}

/// Checks that the repository of a worktree still exists. Its roots were checked when the run was
/// started; a command that resumes the run may have other roots.
async fn check_repository(repository: PathBuf) -> Result<(), NoReply> {
    let check = move || directory::recheck(&repository, std::slice::from_ref(&repository));
    run_blocking(check).await.map_err(NoReply::Directory)
}

/// Checks that the agent may still work in its directory.
pub(super) async fn check_directory(
    shared: &Arc<Shared>,
    directory: PathBuf,
) -> Result<(), NoReply> {
    let shared = Arc::clone(shared);
    let check = move || directory::recheck(&directory, &shared.options.roots_of(&directory));
    run_blocking(check).await.map_err(NoReply::Directory)
}

fn lock(locks: &Path, session: SessionId) -> Result<FileLock, NoReply> {
    session_lock::lock(locks, session.uuid()).map_err(|error| match error {
        NotLocked::Held => NoReply::Locked,
        NotLocked::Failed(error) => NoReply::Failure(Failure::Refused {
            words: format!("session locks cannot be created in `{}`: {error}", locks.display()),
        }),
    })
}

/// Stops a process that nothing supervises any more.
pub(in crate::engine) async fn stop_process(
    shared: &Shared,
    attempt: AttemptId,
    found: Option<ProcessRecord>,
) {
    let mark = ProcessMark::new(attempt.uuid());
    process::stop(found.map(for_agent), mark, &ProcessLimits::default(), &shared.fast_stop).await;
}

/// Converts a persisted process for its agent.
pub(in crate::engine) fn for_agent(
    ProcessRecord { pid, started }: ProcessRecord,
) -> crate::agent::ProcessIdentity {
    crate::agent::ProcessIdentity { pid, started }
}
