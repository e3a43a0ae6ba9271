//! Roots that are added while the engine is open.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

/// Directories that agents may work in besides the [roots](super::Options::roots), added while the
/// engine is open.
///
/// Clones share one list.
///
/// ```
/// use std::path::PathBuf;
/// use surefire::engine::Roots;
///
/// let roots = Roots::default();
/// roots.clone().allow("/srv/two");
/// assert_eq!(roots.all(), [PathBuf::from("/srv/two")]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Roots(Arc<RwLock<Vec<PathBuf>>>);

impl Roots {
    /// Allows one more directory.
    pub fn allow(&self, directory: impl Into<PathBuf>) {
        let directory = directory.into();
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if !all.contains(&directory) {
            all.push(directory);
        }
    }

    /// All added directories, in the order in which they were allowed.
    #[must_use]
    pub fn all(&self) -> Vec<PathBuf> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
