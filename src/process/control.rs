//! The line between a supervisor and its caller.

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// How the caller of a supervisor hears of its process and directs it.
#[derive(Debug)]
pub struct Control<E> {
    /// Where the events of the process go. It is bounded: while it is full, no further output is read.
    pub events: mpsc::Sender<E>,
    /// Set to stop the process and everything it started.
    pub stop: CancellationToken,
    /// Set beside `stop`, or later, when there is little time: graces are then the short ones.
    pub fast_stop: CancellationToken,
    /// Set to let the process run on without a supervisor. Where `stop` is set as well, `stop` counts.
    pub detach: CancellationToken,
}

impl<E> Control<E> {
    /// A control with a channel for this many events, and the end of it where they arrive.
    #[must_use]
    pub fn new(capacity: usize) -> (Self, mpsc::Receiver<E>) {
        let (events, arriving) = mpsc::channel(capacity);
        let token = CancellationToken::new;
        (Self { events, stop: token(), fast_stop: token(), detach: token() }, arriving)
    }
}

/// All clones direct the same process.
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
