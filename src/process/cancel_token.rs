//! The token that tells work to stop.

use tokio_util::sync::CancellationToken;

/// Tells work to stop. All clones are cancelled together, once and for all.
///
/// ```
/// use surefire::process::CancelToken;
///
/// let stop = CancelToken::new();
/// let (clone, child) = (stop.clone(), stop.child());
/// child.cancel();
/// assert!(!stop.is_cancelled(), "a child is cancelled alone");
/// stop.cancel();
/// assert!(clone.is_cancelled() && stop.child().is_cancelled());
/// ```
#[derive(Debug, Clone, Default)]
pub struct CancelToken(CancellationToken);

impl CancelToken {
    /// A token that is not cancelled.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels it, and its children. A second time it does nothing.
    pub fn cancel(&self) {
        self.0.cancel();
    }

    /// Whether it is cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }

    /// Waits until it is cancelled. Nothing is lost if the wait is dropped, so it can be a branch
    /// of `tokio::select!`.
    pub async fn cancelled(&self) {
        self.0.cancelled().await;
    }

    /// A token that is cancelled with this one, or alone.
    #[must_use]
    pub fn child(&self) -> Self {
        Self(self.0.child_token())
    }
}
