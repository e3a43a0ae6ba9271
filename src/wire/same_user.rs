//! Where processes of the same user reach a server without its address.

use std::path::{Path, PathBuf};

/// The socket in the data directory that a server holds. Only processes of the same user can use it.
///
/// ```
/// use std::path::Path;
///
/// let socket = surefire::wire::same_user_socket(Path::new("/home/me/.surefire"));
/// assert_eq!(socket, Path::new("/home/me/.surefire/socket"));
/// ```
#[must_use]
pub fn same_user_socket(data: &Path) -> PathBuf {
    data.join("socket")
}
