//! The files in `tests/golden/`: one message each, as it is on the wire.

use std::collections::BTreeSet;
use std::path::PathBuf;

/// Who sends a message.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Side {
    Client,
    Server,
}

impl Side {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Server => "server",
        }
    }

    fn folder(self) -> PathBuf {
        folder().join(self.name())
    }

    /// The names of this side's files, without `.json`.
    pub(crate) fn files(self) -> BTreeSet<String> {
        let entries = std::fs::read_dir(self.folder()).expect("the folder is here");
        let name = |entry: std::io::Result<std::fs::DirEntry>| {
            let name =
                entry.expect("it can be read").file_name().into_string().expect("names are plain");
            let stem = name.strip_suffix(".json").map(str::to_owned);
            stem.unwrap_or_else(|| panic!("{name} is not a JSON file"))
        };
        entries.map(name).collect()
    }

    /// The text of one of these files.
    pub(crate) fn text(self, name: &str) -> String {
        let path = self.folder().join(format!("{name}.json"));
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// Checks that each file has its row in a table, each row its file, and each message type at
    /// least one file.
    pub(crate) fn is_covered_by<'a>(self, rows: impl IntoIterator<Item = &'a str>, types: &[&str]) {
        let mut covered = BTreeSet::new();
        for row in rows {
            assert!(covered.insert(row.to_owned()), "`{row}` is in the table twice");
        }
        assert_eq!(covered, self.files(), "the table, and the files of the {}", self.name());
        for name in types {
            let has_one = covered.iter().any(|file| type_of(file) == *name);
            assert!(has_one, "no file shows `{name}` of the {}", self.name());
        }
        for file in &covered {
            let json: serde_json::Value =
                serde_json::from_str(&self.text(file)).expect("it is JSON");
            assert_eq!(json["type"], type_of(file), "{file} is named after its type");
        }
    }
}

/// The type of message that a file shows: its name up to the first dot.
fn type_of(file: &str) -> &str {
    file.split('.').next().unwrap_or(file)
}

pub(crate) fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}
