//! Rehearsals beside a running server. The server keeps its own agent, so a script from the command
//! line is played in this process, with a separate data directory.

use std::path::{Path, PathBuf};

use super::connection_config::ConnectionConfig;
use crate::store::Sqlite;

/// The folder in the server's data directory.
const FOLDER: &str = "rehearsals";

/// The key file's name in it.
const KEY_FILE: &str = "api-key";

/// The data directory for rehearsals beside a server.
pub(in crate::cli) fn directory(data: &Path) -> PathBuf {
    data.join(FOLDER)
}

impl ConnectionConfig {
    /// Switches to the directory for rehearsals if another process holds the data directory.
    pub(in crate::cli) fn for_rehearsal(self) -> Self {
        // A directory that cannot be read is reported when it is opened.
        if !matches!(Sqlite::holder(&self.data), Ok(Some(_))) {
            return self;
        }
        let data = directory(&self.data);
        Self { key_file: data.join(KEY_FILE), data, beside_server: true, ..self }
    }
}
