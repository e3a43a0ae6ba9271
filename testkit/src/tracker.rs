//! A stand-in for the task tracker `bd`. Recipes that need a task can start where it is installed.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::os::unix::fs::symlink;
use std::path::Path;

/// Gives a project an empty tracker database, which git ignores, and puts a program `bd` into a
/// folder. It only has to be found: no test runs it.
///
/// # Panics
/// If the disk is full.
pub fn make_tracker(folder: &Path, project: &Path) {
    for directory in [folder.to_owned(), project.join(".beads")] {
        std::fs::create_dir_all(directory).expect("there is room for tests");
    }
    // A link, because a program that this process has just written cannot be executed while a
    // process that another thread forks still has it open for writing.
    match symlink("/bin/sh", folder.join("bd")) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => panic!("{error}"),
        _ => {}
    }
}

/// The machine's `PATH` with this folder before it.
///
/// # Panics
/// If the folder's name has a colon.
#[must_use]
pub fn path_with(folder: &Path) -> OsString {
    let machine = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(folder.to_owned()).chain(std::env::split_paths(&machine));
    std::env::join_paths(folders).expect("no folder has a colon in its name")
}
