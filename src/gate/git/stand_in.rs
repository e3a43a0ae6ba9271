//! How a difference from the index gets into a snapshot: as its content, or as a stand-in if that
//! would cost too much.

use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};

use super::status::{Difference, Kind};

/// The largest file whose content is copied into a snapshot. A larger one is represented by its
/// size and modification time.
pub const MAX_SNAPSHOT_FILE_BYTES: u64 = 16 << 20;

/// How much uncommitted content is copied for one snapshot. The smallest files come first, so that
/// the choice is the same every time.
const MAX_SNAPSHOT_BYTES: u64 = 256 << 20;

/// The changes that make a copy of the index match the work tree.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Plan {
    /// The paths that git can add: files, symbolic links, submodules at another commit.
    pub(super) adds: Vec<PathBuf>,
    pub(super) removals: Vec<PathBuf>,
    pub(super) stand_ins: Vec<StandIn>,
    /// Submodules with uncommitted changes.
    pub(super) dirty_submodules: Vec<PathBuf>,
    /// Repositories that are not submodules.
    pub(super) embedded: Vec<PathBuf>,
}

/// A small text that replaces content that is not copied. It changes whenever the content does.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct StandIn {
    pub(super) path: PathBuf,
    words: String,
}

impl StandIn {
    pub(super) const fn new(path: PathBuf, words: String) -> Self {
        Self { path, words }
    }

    /// The NUL makes it binary for git, so its lines are never counted or shown.
    pub(super) fn content(&self) -> String {
        format!("surefire stand-in\0\n{}\n", self.words)
    }

    fn of_file(path: PathBuf, what: &str, metadata: &Metadata) -> Self {
        let (size, seconds, nanos) = (metadata.size(), metadata.mtime(), metadata.mtime_nsec());
        Self::new(path, format!("{what} of {size} bytes, modified at {seconds}.{nanos:09}"))
    }
}

/// Plans each difference below this directory, without reading content.
pub(super) fn plan(top: &Path, differences: Vec<Difference>) -> Plan {
    plan_within(top, differences, MAX_SNAPSHOT_BYTES)
}

fn plan_within(top: &Path, differences: Vec<Difference>, max_bytes: u64) -> Plan {
    let mut plan = Plan::default();
    let mut files = Vec::new();
    for Difference { path, kind } in differences {
        match kind {
            Kind::Missing => plan.removals.push(path),
            Kind::Submodule => plan.adds.push(path),
            Kind::DirtySubmodule => plan.dirty_submodules.push(path),
            Kind::Embedded => plan.embedded.push(path),
            Kind::Present => match look(&top.join(&path)) {
                Look::File(metadata) => files.push((metadata, path)),
                Look::Link => plan.adds.push(path),
                Look::Gone => plan.removals.push(path),
                Look::Unreadable(Some(metadata)) => {
                    plan.stand_ins.push(StandIn::of_file(path, "unreadable file", &metadata));
                }
                Look::Unreadable(None) => {
                    plan.stand_ins.push(StandIn::new(path, "unreadable file".to_owned()));
                }
                Look::Special => plan.stand_ins.push(StandIn::new(path, "special file".to_owned())),
            },
        }
    }
    files.sort_by(|(one, path), (other, other_path)| {
        (one.size(), path).cmp(&(other.size(), other_path))
    });
    let mut copied = 0;
    for (metadata, path) in files {
        copied += metadata.size();
        if metadata.size() > MAX_SNAPSHOT_FILE_BYTES || copied > max_bytes {
            plan.stand_ins.push(StandIn::of_file(path, "file", &metadata));
        } else {
            plan.adds.push(path);
        }
    }
    plan
}

/// What is at a path.
enum Look {
    File(Metadata),
    Link,
    /// It vanished meanwhile, or is a directory, whose files are listed separately.
    Gone,
    Unreadable(Option<Metadata>),
    /// A pipe, a socket or a device.
    Special,
}

fn look(path: &Path) -> Look {
    let metadata = match path.symlink_metadata() {
        Ok(metadata) => metadata,
        Err(error) => return missing(&error, None),
    };
    let kind = metadata.file_type();
    if kind.is_symlink() {
        return Look::Link;
    } else if kind.is_dir() {
        return Look::Gone;
    } else if !kind.is_file() {
        return Look::Special;
    }
    // Without blocking, because a pipe may have replaced the file.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(_) => Look::File(metadata),
        Err(error) => missing(&error.into(), Some(metadata)),
    }
}

fn missing(error: &io::Error, metadata: Option<Metadata>) -> Look {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Look::Gone,
        _ => Look::Unreadable(metadata),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    fn present(names: &[&str]) -> Vec<Difference> {
        names.iter().map(|name| Difference { path: name.into(), kind: Kind::Present }).collect()
    }

    fn file(directory: &Path, name: &str, bytes: u64) {
        File::create(directory.join(name)).unwrap().set_len(bytes).unwrap();
    }

    #[test]
    fn files_beyond_the_size_limits_are_not_copied() {
        let directory = tempfile::tempdir().unwrap();
        let names = ["largest", "large", "b", "a", "small"];
        for (name, bytes) in names.iter().zip([MAX_SNAPSHOT_FILE_BYTES + 1, 5000, 3000, 3000, 1]) {
            file(directory.path(), name, bytes);
        }
        let plan = plan_within(directory.path(), present(&names), 4000);
        assert_eq!(plan.adds, [Path::new("small"), Path::new("a")]);
        let stand_ins: Vec<_> = plan.stand_ins.iter().map(|it| it.path.to_str().unwrap()).collect();
        assert_eq!(stand_ins, ["b", "large", "largest"]);
        let plan = plan_within(directory.path(), present(&names), MAX_SNAPSHOT_BYTES);
        assert_eq!((plan.adds.len(), plan.stand_ins.len()), (4, 1));
    }

    #[test]
    fn a_stand_in_changes_with_its_file() {
        let directory = tempfile::tempdir().unwrap();
        let content = || {
            let plan = plan_within(directory.path(), present(&["f"]), 0);
            plan.stand_ins[0].content()
        };
        file(directory.path(), "f", 10);
        let first = content();
        assert_eq!(first, content());
        assert!(first.contains('\0') && first.contains("file of 10 bytes"), "{first:?}");
        let file = File::options().write(true).open(directory.path().join("f")).unwrap();
        let modified = file.metadata().unwrap().modified().unwrap();
        file.set_modified(modified + std::time::Duration::from_micros(1)).unwrap();
        assert_ne!(first, content());
    }

    #[test]
    fn each_kind_of_file_is_planned() {
        let directory = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("nowhere", directory.path().join("link")).unwrap();
        std::os::unix::net::UnixListener::bind(directory.path().join("socket")).unwrap();
        std::fs::create_dir(directory.path().join("folder")).unwrap();
        let plan = plan(
            directory.path(),
            present(&["link", "socket", "folder", "gone", "folder/gone", "link/x"]),
        );
        assert_eq!(plan.adds, [Path::new("link")]);
        assert_eq!(plan.stand_ins, [StandIn::new("socket".into(), "special file".to_owned())]);
        assert_eq!(plan.removals.len(), 4, "{plan:?}");
    }
}
