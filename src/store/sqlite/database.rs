//! The database's file, and a connection to it.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use super::failure::Failure;

/// The database's name in the data directory.
pub(super) const DATABASE: &str = "surefire.db";

/// Opens a database. The data directory may be reached through symbolic links, but the file must
/// not be one, not even if it became one after it was checked.
pub(super) fn connect(path: &Path, access: OpenFlags) -> Result<Connection, Failure> {
    let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    Ok(Connection::open_with_flags(real(path), flags)?)
}

/// The path of a database with the links in its folder resolved.
pub(super) fn real(path: &Path) -> PathBuf {
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    folder.map_or_else(|| path.to_owned(), |folder| folder.join(DATABASE))
}
