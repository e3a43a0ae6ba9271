//! Opening the store's files without following links, accessible to their owner alone.
//!
//! A link instead of one of them would make us write to, lock, or change the mode of a file outside
//! the store. The data directory itself may be a link: its owner chose where it is.

use std::fs::{File, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::process::geteuid;

use super::damage::beside;
use crate::store::StoreError;

/// The suffixes of SQLite's companion files. SQLite does not follow links either, but its error
/// does not say so.
const COMPANIONS: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Why a file was not opened.
#[derive(Debug)]
pub(super) enum NotOpened {
    /// The system's error.
    Io(io::Error),
    /// The file exists and must not be used.
    Refused(StoreError),
}

/// Opens a file for reading and writing, or creates it, and makes it accessible to its owner alone.
pub(super) fn open_own(path: &Path) -> Result<File, NotOpened> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(0o600);
    let file = open(path, &mut options)?;
    let metadata = file.metadata().map_err(NotOpened::Io)?;
    if metadata.mode() & 0o077 != 0 {
        // Set on the open file, because its name may belong to another file by now.
        file.set_permissions(Permissions::from_mode(0o600)).map_err(NotOpened::Io)?;
    }
    Ok(file)
}

/// Opens an existing file for reading.
pub(super) fn open_to_read(path: &Path) -> Result<File, NotOpened> {
    open(path, OpenOptions::new().read(true))
}

fn open(path: &Path, options: &mut OpenOptions) -> Result<File, NotOpened> {
    // NONBLOCK, because opening a pipe would block.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits();
    let opened = options.custom_flags(flags.cast_signed()).open(path);
    let file = opened.map_err(|error| match link(path) {
        Some(link) if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => {
            NotOpened::Refused(link)
        }
        Some(_) | None => NotOpened::Io(error),
    })?;
    let metadata = file.metadata().map_err(NotOpened::Io)?;
    if !metadata.is_file() {
        return Err(NotOpened::Io(io::Error::other("it is not a file")));
    }
    check_owner(path, &metadata).map_err(NotOpened::Refused)?;
    Ok(file)
}

/// Checks a database and its companion files by name. Opening them is not an option: if this
/// process has them open already, closing them again would release its locks.
pub(super) fn check(database: &Path) -> Result<(), StoreError> {
    check_name(database)?;
    check_companions(database)
}

/// Checks the files that SQLite will open by itself.
pub(super) fn check_companions(database: &Path) -> Result<(), StoreError> {
    COMPANIONS.iter().try_for_each(|companion| check_name(&beside(database, companion)))
}

fn check_name(path: &Path) -> Result<(), StoreError> {
    match (link(path), std::fs::symlink_metadata(path)) {
        (Some(link), _) => Err(link),
        (None, Ok(metadata)) => check_owner(path, &metadata),
        (None, Err(_)) => Ok(()),
    }
}

fn check_owner(path: &Path, metadata: &Metadata) -> Result<(), StoreError> {
    let owner = metadata.uid();
    if owner == geteuid().as_raw() {
        Ok(())
    } else {
        Err(StoreError::NotOwned { path: path.to_owned(), owner })
    }
}

/// The error for a symbolic link, if the path is one.
fn link(path: &Path) -> Option<StoreError> {
    let target = std::fs::read_link(path).ok()?;
    Some(StoreError::Link { path: path.to_owned(), target })
}
