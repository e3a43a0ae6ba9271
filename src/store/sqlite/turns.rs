//! Who writes next. Commits that come while the disk is busy with another one wait, and are then written together by
//! one of those who wait: what takes time is the disk's sync, and it takes about as long for many as for one.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::hold;
use crate::store::{Change, Committed, StoreError};

/// What became of a commit.
pub(super) type Done = Result<Committed, StoreError>;

/// The queue at the disk.
#[derive(Debug, Default)]
pub(super) struct Turns {
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: Vec<Arc<Waiting>>,
    /// Somebody is writing.
    busy: bool,
}

#[derive(Debug)]
struct Waiting {
    changes: Vec<Change>,
    done: Mutex<Option<Done>>,
}

impl Turns {
    /// Has a commit written, by this thread or by another one. `write` gets all commits that wait, and gives back as
    /// many results in the same order.
    pub(super) fn take(&self, changes: &[Change], write: impl FnOnce(&[&[Change]]) -> Vec<Done>) -> Done {
        let mut queue = hold(&self.queue);
        if !queue.busy && queue.waiting.is_empty() {
            let _turn = self.begin(queue);
            return write(&[changes]).pop().unwrap_or_else(lost);
        }
        let mine = Arc::new(Waiting { changes: changes.to_vec(), done: Mutex::new(None) });
        queue.waiting.push(Arc::clone(&mine));
        loop {
            if let Some(done) = hold(&mine.done).take() {
                return done;
            }
            if !queue.busy {
                let mut all = std::mem::take(&mut queue.waiting);
                // It is missing where somebody took it along and then panicked.
                if !all.iter().any(|waiting| Arc::ptr_eq(waiting, &mine)) {
                    all.push(Arc::clone(&mine));
                }
                let _turn = self.begin(queue);
                let commits: Vec<_> = all.iter().map(|waiting| waiting.changes.as_slice()).collect();
                for (waiting, done) in all.iter().zip(write(&commits)) {
                    *hold(&waiting.done) = Some(done);
                }
                return hold(&mine.done).take().unwrap_or_else(lost);
            }
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn begin(&self, mut queue: MutexGuard<'_, Queue>) -> Turn<'_> {
        queue.busy = true;
        Turn(self)
    }
}

/// Somebody's turn to write. It ends also when they panic.
struct Turn<'t>(&'t Turns);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        hold(&self.0.queue).busy = false;
        self.0.changed.notify_all();
    }
}

fn lost() -> Done {
    Err(StoreError::Failed { why: "nobody knows what became of the commit".to_owned() })
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::*;

    const NOTHING: &[Change] = &[];

    fn all_done(commits: &[&[Change]]) -> Vec<Done> {
        commits.iter().map(|_| Ok(Committed::default())).collect()
    }

    /// Has one thread write until three others wait, and says how many commits the next one wrote.
    fn those_who_waited(first: impl FnOnce() + Send) -> usize {
        let (turns, (begun, has_begun), (told, largest)) = (Turns::default(), channel(), channel());
        std::thread::scope(|scope| {
            let turns = &turns;
            scope.spawn(move || {
                let _ = turns.take(NOTHING, |commits| {
                    begun.send(()).unwrap();
                    while hold(&turns.queue).waiting.len() < 3 {
                        std::thread::sleep(Duration::from_millis(1));
                    }
                    first();
                    all_done(commits)
                });
            });
            has_begun.recv().unwrap();
            for _ in 0..3 {
                let told = told.clone();
                scope.spawn(move || {
                    let done = turns.take(NOTHING, |commits| {
                        told.send(commits.len()).unwrap();
                        all_done(commits)
                    });
                    assert_eq!(done, Ok(Committed::default()));
                });
            }
        });
        drop(told);
        largest.iter().sum()
    }

    #[test]
    fn those_who_wait_are_written_together() {
        assert_eq!(those_who_waited(|| ()), 3);
    }

    #[test]
    fn a_panic_stops_nobody_else() {
        let died = std::panic::catch_unwind(|| those_who_waited(|| panic!("on purpose")));
        // The scope passes on that a thread of it panicked, after all others have ended.
        assert!(died.is_err());
    }
}
