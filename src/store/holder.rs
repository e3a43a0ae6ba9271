//! The process that holds a data directory, as its note in the lock file says.

use std::fmt;
use std::path::{Path, PathBuf};

/// The process that holds a data directory, as far as it is known.
///
/// ```
/// use surefire::store::Holder;
///
/// let holder = Holder { pid: Some(4711), address: Some("127.0.0.1:8080".into()), key_file: None };
/// assert_eq!(holder.to_string(), "the server with pid 4711 at 127.0.0.1:8080");
/// assert_eq!(Holder::default().to_string(), "another server");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Holder {
    /// Its process.
    pub pid: Option<u32>,
    /// Its address; `None` while it starts, and if it is not a server.
    pub address: Option<String>,
    /// The file with its key.
    pub key_file: Option<PathBuf>,
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.pid, &self.address) {
            (Some(pid), Some(address)) => write!(f, "the server with pid {pid} at {address}"),
            (Some(pid), None) => write!(f, "the server with pid {pid}"),
            (None, _) => f.write_str("another server"),
        }
    }
}

impl Holder {
    /// This process.
    pub(super) fn this(address: Option<&str>, key_file: Option<&Path>) -> Self {
        let (address, key_file) = (address.map(ToOwned::to_owned), key_file.map(ToOwned::to_owned));
        Self { pid: Some(std::process::id()), address, key_file }
    }

    /// The note for the lock file: one line per known field.
    pub(super) fn note(&self) -> String {
        // An inexact path is useless, so one that does not fit into a line is left out.
        let path = self.key_file.as_deref().and_then(Path::to_str);
        let path = path.filter(|path| !path.contains(['\n', '\r']));
        let lines = [
            self.pid.map(|pid| format!("pid {pid}\n")),
            self.address.as_ref().map(|address| format!("address {}\n", address.escape_debug())),
            path.map(|path| format!("key-file {path}\n")),
        ];
        lines.into_iter().flatten().collect()
    }

    /// Parses such a note. An incomplete line is ignored: it may be half written.
    pub(super) fn read(note: &str) -> Self {
        let lines = || note.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
        let line = |name: &str| lines().find_map(|line| line.strip_prefix(name));
        Self {
            pid: line("pid ").and_then(|pid| pid.parse().ok()),
            address: line("address ").map(ToOwned::to_owned),
            key_file: line("key-file ").map(PathBuf::from),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    #[test]
    fn a_note_round_trips() {
        let whole = Holder::this(Some("127.0.0.1:80"), Some(Path::new("/da ta/\\\"é\u{1b} ")));
        assert_eq!(Holder::read(&whole.note()), whole);
        let started = Holder::this(None, None);
        assert_eq!(Holder::read(&started.note()), started);
    }

    #[test]
    fn a_path_that_is_not_one_line_of_text_is_left_out() {
        for path in [&b"/data/\xff"[..], b"/data/\npid 1", b"/data/key\r"] {
            let holder = Holder::this(None, Some(Path::new(OsStr::from_bytes(path))));
            assert_eq!(Holder::read(&holder.note()), Holder::this(None, None), "{path:?}");
        }
    }

    #[test]
    fn an_address_cannot_forge_another_field() {
        let noted = Holder::this(Some("here\npid 1\u{1b}[2J"), None).note();
        assert_eq!(noted.lines().count(), 2, "{noted}");
        assert_eq!(Holder::read(&noted).address.as_deref(), Some("here\\npid 1\\u{1b}[2J"));
    }

    #[test]
    fn invalid_notes_are_ignored() {
        for (note, words) in [
            ("", "another server"),
            ("pid 4711", "another server"),
            ("pid many\naddress here\n", "another server"),
            ("pid 4711\naddress her", "the server with pid 4711"),
        ] {
            assert_eq!(Holder::read(note).to_string(), words, "{note}");
        }
    }
}
