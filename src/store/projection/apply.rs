//! Projecting a commit, change by change.

use super::draft::Draft;
use super::projected::Projected;
use super::read::ReadRows;
use super::rules::missing;
use super::{run, session};
use crate::run::SessionId;
use crate::session::{Change, Commit};
use crate::store::error::StoreError;

/// Computes the rows that a commit writes.
///
/// The changes apply in order, and each sees what those before it did.
///
/// ```
/// # fn main() -> Result<(), surefire::store::StoreError> {
/// use surefire::run::{AttemptId, PromptId, RunId, SessionId};
/// use surefire::store::projection::{
///     AttemptRow, PromptRow, ReadRows, RunRow, SessionRow, project,
/// };
/// use surefire::store::{Change, Commit, NewSession, SessionEvent, StoreError};
///
/// /// An empty store.
/// struct Empty;
///
/// impl ReadRows for Empty {
///     fn last_global_seq(&self) -> Result<u64, StoreError> {
///         Ok(0)
///     }
///     fn session(
///         &self,
///         _: SessionId,
///     ) -> Result<Option<(SessionRow, Option<RunRow>)>, StoreError> {
///         Ok(None)
///     }
///     fn run(&self, _: RunId) -> Result<Option<(RunRow, SessionRow)>, StoreError> {
///         Ok(None)
///     }
///     fn attempt(&self, _: AttemptId) -> Result<Option<AttemptRow>, StoreError> {
///         Ok(None)
///     }
///     fn prompt(&self, _: PromptId) -> Result<Option<PromptRow>, StoreError> {
///         Ok(None)
///     }
/// }
///
/// let id = uuid::Uuid::from_u128(7).into();
/// let new = NewSession {
///     id,
///     name: "Payments".into(),
///     directory: "/home/me/payments".into(),
///     agent: "claude".into(),
///     system_prompt: None,
///     at: 1_750_000_000_000,
/// };
/// let begins = Change::session(id, new.at, SessionEvent::Began(new));
/// let projected = project(&Commit { changes: vec![begins] }, &Empty)?;
/// assert!(projected.sessions[0].is_new);
///
/// let opens = Change::session(id, 1_750_000_000_000, SessionEvent::Opened);
/// let refused = project(&Commit { changes: vec![opens] }, &Empty).unwrap_err();
/// assert_eq!(refused, StoreError::Missing { kind: "session", id: id.to_string() });
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// A change is refused, and with it the whole commit, or a row cannot be read.
pub fn project(commit: &Commit, stored: &dyn ReadRows) -> Result<Projected, StoreError> {
    let mut draft = Draft::new(stored)?;
    for change in &commit.changes {
        apply(&mut draft, change)?;
    }
    Ok(draft.finish())
}

fn apply(draft: &mut Draft<'_>, change: &Change) -> Result<(), StoreError> {
    match change {
        Change::Expects { session, commits } => expect(draft, *session, *commits)?,
        Change::Run { run, after, at, entries } => run::append(draft, *run, *after, *at, entries)?,
        Change::Session { session, at, entries } => session::append(draft, *session, *at, entries)?,
        Change::Spawned { attempt, process } => {
            let row = draft.change_attempt(*attempt)?.ok_or_else(|| missing("attempt", attempt))?;
            row.process = Some(process.clone());
        }
        Change::Orchestration { enabled } => draft.orchestration = Some(*enabled),
        Change::SessionDeleted { session } => {
            let row = draft.session(*session)?.ok_or_else(|| missing("session", session))?;
            if let Some(holder) = row.session.run {
                return Err(StoreError::Busy { session: *session, holder });
            }
            draft.forget(*session);
        }
    }
    Ok(())
}

/// Refuses a writer whose view of the session is stale, and counts its commit.
fn expect(draft: &mut Draft<'_>, session: SessionId, expected: u64) -> Result<(), StoreError> {
    let row = draft.change_session(session)?;
    let found = row.session.commits;
    if found != expected {
        return Err(StoreError::StaleSession { session, expected, found });
    }
    row.session.commits += 1;
    Ok(())
}
