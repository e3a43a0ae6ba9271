//! How many connections there may be, and who waits for one.
//!
//! A browser opens six connections for one page, and keeps them in case it needs them again. So whoever finds no place waits a
//! little, and as long as somebody waits, whoever was answered has to go.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::timeout;

use super::limits::ServerLimits;

/// The places of a server.
pub(super) struct Places {
    any: Arc<Semaphore>,
    strangers: Arc<Semaphore>,
    /// How many wait for a place.
    waiting: watch::Sender<usize>,
}

/// A place on the server. It is given up when this is dropped.
pub(super) struct Place {
    /// One of all.
    pub(super) any: OwnedSemaphorePermit,
    /// One of those for strangers.
    pub(super) stranger: OwnedSemaphorePermit,
}

impl Places {
    pub(super) fn new(limits: &ServerLimits) -> Self {
        Self {
            any: Arc::new(Semaphore::new(limits.connections.max(1))),
            strangers: Arc::new(Semaphore::new(limits.strangers.max(1))),
            waiting: watch::Sender::new(0),
        }
    }

    /// A place for a stranger, if there is one, or one becomes free in time. Those who wait count as connections, so there are
    /// not more of them than that.
    pub(super) async fn take(&self, patience: Duration) -> Option<Place> {
        let any = Arc::clone(&self.any).try_acquire_owned().ok()?;
        let stranger = if let Ok(stranger) = Arc::clone(&self.strangers).try_acquire_owned() {
            stranger
        } else {
            let _waiting = Waiting::among(&self.waiting);
            timeout(patience, Arc::clone(&self.strangers).acquire_owned()).await.ok()?.ok()?
        };
        Some(Place { any, stranger })
    }

    /// Comes when somebody waits.
    pub(super) async fn are_wanted(&self) {
        // It cannot be closed: the sender is here.
        let _ = self.waiting.subscribe().wait_for(|waiting| *waiting > 0).await;
    }
}

/// One of those who wait, until this is dropped.
struct Waiting<'p>(&'p watch::Sender<usize>);

impl<'p> Waiting<'p> {
    fn among(others: &'p watch::Sender<usize>) -> Self {
        others.send_modify(|waiting| *waiting += 1);
        Self(others)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.send_modify(|waiting| *waiting -= 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Duration = Duration::from_secs(3);

    fn places(connections: usize, strangers: usize) -> Places {
        Places::new(&ServerLimits { connections, strangers, ..ServerLimits::default() })
    }

    fn anybody_waits(places: &Places) -> bool {
        *places.waiting.borrow() > 0
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_finds_no_place_waits_for_one_in_the_order_they_came() {
        let places = places(64, 1);
        let first = places.take(PATIENCE).await.unwrap();
        assert!(!anybody_waits(&places));
        let a_second = Duration::from_secs(1);
        let leaving = async {
            places.are_wanted().await;
            tokio::time::sleep(a_second).await;
            drop(first);
        };
        let second = async {
            let place = places.take(PATIENCE).await;
            assert!(anybody_waits(&places), "the third one");
            tokio::time::sleep(a_second).await;
            place.is_some()
        };
        let third = async { places.take(PATIENCE).await.is_some() };
        let began = tokio::time::Instant::now();
        let ((), second, third) = tokio::join!(leaving, second, third);
        assert!(second && third && began.elapsed() == a_second * 2);
        assert!(!anybody_waits(&places), "nobody is left");
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_waits_longer_than_that_or_for_what_cannot_come() {
        let full = places(64, 1);
        let _first = full.take(PATIENCE).await.unwrap();
        let began = tokio::time::Instant::now();
        assert!(full.take(PATIENCE).await.is_none());
        assert_eq!(began.elapsed(), PATIENCE);
        assert!(!anybody_waits(&full));

        let full = places(1, 1);
        let Place { any: _any, stranger } = full.take(PATIENCE).await.unwrap();
        drop(stranger);
        let began = tokio::time::Instant::now();
        assert!(full.take(PATIENCE).await.is_none(), "those who have shown the key stay");
        assert_eq!(began.elapsed(), Duration::ZERO);
    }
}
