//! What a job needs before it may begin: a permit, its directory, and the session for itself.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::OwnedSemaphorePermit;

use super::directory;
use super::job::Job;
use super::result::NoReply;
use super::session_lock;
use super::work_tree;
use crate::agent::{Agent, Failure};
use crate::engine::blocking::unblocked;
use crate::engine::file_lock::{FileLock, NotLocked};
use crate::engine::shared::Shared;
use crate::process::{self, Limits, Mark};
use crate::run::{AttemptId, SessionId, TreeState};
use crate::session::{Process, TurnOrigin};

/// What a job needs before it may begin. Dropping it lets other sessions have theirs.
pub(super) struct Seat {
    /// `None` where the agent may be at work already, beyond what is allowed.
    pub(super) permit: Option<OwnedSemaphorePermit>,
    _lock: Option<FileLock>,
    pub(super) agent: Arc<dyn Agent>,
    /// What the work tree was like right before a turn of a run that is about to begin.
    pub(super) before: Option<TreeState>,
}

/// Waits until one more job may begin, and makes sure that this one may: here, and in this directory.
pub(super) async fn seat(
    shared: Arc<Shared>,
    session: SessionId,
    job: Job,
    permit: Option<OwnedSemaphorePermit>,
) -> Result<Seat, NoReply> {
    let agent = match shared.agent(Some(job.agent())) {
        Ok(agent) => agent,
        Err(unknown) => {
            if let TurnOrigin::Adopted(process) = job.origin() {
                // Nothing hears what it replies, so it must not work on.
                stop_process(&shared, job.attempt(), process.clone()).await;
            }
            let (path, why) = (job.agent().into(), unknown.to_string());
            return Err(NoReply::Failure(Failure::CannotStart { path, why }));
        }
    };
    // An agent that may be at work already is not kept waiting, and works where it works.
    let at_work = matches!(job.origin(), TurnOrigin::Adopted(Some(_)));
    let permit = match permit {
        Some(permit) => Some(permit),
        None if at_work => shared.try_permit(),
        None => Some(shared.permit().await.ok_or(NoReply::Failure(Failure::Left))?),
    };
    if !at_work {
        match job.made_from() {
            Some(repository) => check_repository(repository.to_owned()).await?,
            None => check_directory(&shared, job.directory().to_owned()).await?,
        }
    }
    // A rehearsal touches nothing that another process could be in the middle of. Locked on this thread: a turn that is given
    // up while another thread locks would keep the next one out.
    let rehearsal = agent.about().rehearsal;
    let locked = if rehearsal { Ok(None) } else { lock(&shared.options.locks, session).map(Some) };
    let locked = locked.and_then(|lock| hold_tree(&shared, &job).map(|()| lock));
    match (locked, job.origin()) {
        (Ok(lock), _) => {
            let before = match &job {
                Job::Turn(turn) if !rehearsal && !at_work => work_tree::before(&shared, turn).await,
                Job::Turn(_) | Job::Check(_) => None,
            };
            Ok(Seat { permit, _lock: lock, agent, before })
        }
        (Err(why), TurnOrigin::Adopted(process)) => {
            // Nothing watches it from here on, so it must not work on.
            stop_process(&shared, job.attempt(), process.clone()).await;
            Err(why)
        }
        (Err(why), TurnOrigin::New) => Err(why),
    }
}

/// Has the run hold its work tree. One that is recovered, or resumes by itself, does not hold it any more.
fn hold_tree(shared: &Shared, job: &Job) -> Result<(), NoReply> {
    match job.claim() {
        Some(claim) => shared.trees.hold(&shared.options.locks, job.directory(), claim),
        None => Ok(()),
    }
    .map_err(NoReply::Collision)
}

/// Whether the repository that a worktree is made from is still there. That work was allowed in it was checked when the run
/// was started; a command that resumes the run knows the roots of the worktree alone.
async fn check_repository(repository: PathBuf) -> Result<(), NoReply> {
    let check = move || directory::is_still(&repository, std::slice::from_ref(&repository));
    unblocked(check).await.map_err(NoReply::Directory)
}

/// Whether the agent may still work in its directory.
pub(super) async fn check_directory(shared: &Arc<Shared>, directory: PathBuf) -> Result<(), NoReply> {
    let shared = Arc::clone(shared);
    let check = move || directory::is_still(&directory, &shared.options.roots_of(&directory));
    unblocked(check).await.map_err(NoReply::Directory)
}

fn lock(locks: &Path, session: SessionId) -> Result<FileLock, NoReply> {
    session_lock::lock(locks, session.uuid()).map_err(|error| match error {
        NotLocked::Held => NoReply::Locked,
        NotLocked::Failed(error) => NoReply::Failure(Failure::Refused {
            words: format!("session locks cannot be made in `{}`: {error}", locks.display()),
        }),
    })
}

/// Stops a process that nothing watches any more.
pub(in crate::engine) async fn stop_process(shared: &Shared, attempt: AttemptId, found: Option<Process>) {
    let mark = Mark::new(attempt.uuid());
    process::stop(found.map(for_agent), mark, &Limits::default(), &shared.hurry).await;
}

/// A process as it was persisted, for the agent it belongs to.
pub(in crate::engine) fn for_agent(Process { pid, started }: Process) -> crate::agent::Process {
    crate::agent::Process { pid, started }
}
