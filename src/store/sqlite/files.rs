//! The store's files: opened without following links, and their owner's alone.
//!
//! A link in the place of one of them would have us write to, lock or take away the rights of a file that is not the
//! store's. The data directory itself may be a link: its owner chose where it is.

use std::fs::{File, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::process::geteuid;

use super::damage::beside;
use crate::store::StoreError;

/// What SQLite may put beside a database. It follows no link either, but does not say what is wrong.
const COMPANIONS: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Why a file was not opened.
#[derive(Debug)]
pub(super) enum NotOpened {
    /// In the system's words.
    Io(io::Error),
    /// It is there, and not to be used.
    Refused(StoreError),
}

/// Opens a file for reading and writing, which is made where there is none. Only its owner can read it from then on.
pub(super) fn open_own(path: &Path) -> Result<File, NotOpened> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(0o600);
    let file = open(path, &mut options)?;
    let metadata = file.metadata().map_err(NotOpened::Io)?;
    if metadata.mode() & 0o077 != 0 {
        // Of the open file, not of its name: that may be another file's by now.
        file.set_permissions(Permissions::from_mode(0o600)).map_err(NotOpened::Io)?;
    }
    Ok(file)
}

/// Opens a file that is there, for reading.
pub(super) fn open_to_read(path: &Path) -> Result<File, NotOpened> {
    open(path, OpenOptions::new().read(true))
}

fn open(path: &Path, options: &mut OpenOptions) -> Result<File, NotOpened> {
    // NONBLOCK, because a pipe in its place would be waited for.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits();
    let opened = options.custom_flags(flags.cast_signed()).open(path);
    let file = opened.map_err(|error| match link(path) {
        Some(link) if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => NotOpened::Refused(link),
        Some(_) | None => NotOpened::Io(error),
    })?;
    let metadata = file.metadata().map_err(NotOpened::Io)?;
    if !metadata.is_file() {
        return Err(NotOpened::Io(io::Error::other("it is not a file")));
    }
    check_owner(path, &metadata).map_err(NotOpened::Refused)?;
    Ok(file)
}

/// Checks a database and what is beside it by name. Opening it would not do: where this process has it open already,
/// closing it again would free the locks of that.
pub(super) fn check(database: &Path) -> Result<(), StoreError> {
    check_name(database)?;
    check_companions(database)
}

/// Checks what SQLite will open by itself.
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

/// The refusal of a link, where there is one.
fn link(path: &Path) -> Option<StoreError> {
    let target = std::fs::read_link(path).ok()?;
    Some(StoreError::Link { path: path.to_owned(), target })
}
