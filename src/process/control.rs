//! The control of a supervised process.

use tokio::sync::mpsc;

use super::cancel_token::CancelToken;

/// Connects a supervised process to its caller.
#[derive(Debug)]
#[non_exhaustive]
pub struct Control<E> {
    /// Receives the events of the process. The channel is bounded: while it is full, no further
    /// output is read.
    pub events: mpsc::Sender<E>,
    /// Cancelled to stop the process and everything it started.
    pub stop: CancelToken,
    /// Cancelled with `stop`, or later, when there is little time: grace periods are then short.
    pub fast_stop: CancelToken,
    /// Cancelled to leave the process running without a supervisor. `stop` takes precedence.
    pub detach: CancelToken,
}

impl<E> Control<E> {
    /// A control with a channel for this many events, and its receiver.
    #[must_use]
    pub fn new(capacity: usize) -> (Self, mpsc::Receiver<E>) {
        let (events, receiver) = mpsc::channel(capacity);
        let token = CancelToken::new;
        (Self { events, stop: token(), fast_stop: token(), detach: token() }, receiver)
    }
}

/// All clones control the same process.
impl<E> Clone for Control<E> {
    fn clone(&self) -> Self {
        Self {
            events: self.events.clone(),
            stop: self.stop.clone(),
            fast_stop: self.fast_stop.clone(),
            detach: self.detach.clone(),
        }
    }
}
