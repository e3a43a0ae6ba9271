//! The database's file, and a connection to it.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use super::failure::Failure;

/// The database's name in the data directory.
pub(super) const DATABASE: &str = "surefire.db";

/// Opens a database in the data directory, which may itself be reached by links. The file may not: not even if it has
/// become one since it was looked at.
pub(super) fn connect(path: &Path, access: OpenFlags) -> Result<Connection, Failure> {
    let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    Ok(Connection::open_with_flags(real(path), flags)?)
}

/// The path of a database without the links that its folder may be reached by.
pub(super) fn real(path: &Path) -> PathBuf {
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    folder.map_or_else(|| path.to_owned(), |folder| folder.join(DATABASE))
}
