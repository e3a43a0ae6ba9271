//! The real Claude Code CLI, in the versions that `scripts/install-claude-cli` installs.

use std::path::{Path, PathBuf};

use serde_json::Value;

/// One version of the CLI that is installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RealCli {
    /// Its version, as it states it; empty for one that the environment names.
    pub version: String,
    /// Where it is.
    pub program: PathBuf,
}

impl RealCli {
    /// All versions, the newest first; none if tests are to run without them
    /// (`SUREFIRE_SKIP_REAL_CLI=1`). If `SUREFIRE_REAL_CLAUDE` names a program, only that one.
    ///
    /// # Panics
    /// If they are not installed.
    #[must_use]
    pub fn all() -> Vec<Self> {
        if std::env::var_os("SUREFIRE_SKIP_REAL_CLI").is_some_and(|value| value == "1") {
            eprintln!("skipped: SUREFIRE_SKIP_REAL_CLI is 1");
            return Vec::new();
        }
        if let Some(program) = std::env::var_os("SUREFIRE_REAL_CLAUDE") {
            return vec![Self { version: String::new(), program: program.into() }.checked()];
        }
        let own = std::env::current_exe().expect("a running test has a path");
        let folder = own
            .ancestors()
            .nth(3)
            .expect("a test lies in <target>/<profile>/deps")
            .join("claude-cli");
        let pinned = pinned();
        let version = |name: &str| {
            let version = pinned["dependencies"][name].as_str().expect("it is pinned");
            version.rsplit('@').next().unwrap_or(version).to_owned()
        };
        let newest =
            Self { version: version("@anthropic-ai/claude-code"), program: folder.join("claude") };
        let older = Self { version: version("older"), program: folder.join("claude-older") };
        vec![newest.checked(), older.checked()]
    }

    fn checked(self) -> Self {
        assert!(
            self.program.is_file(),
            "there is no Claude Code CLI at {}: run `scripts/install-claude-cli`, or set SUREFIRE_SKIP_REAL_CLI=1",
            self.program.display()
        );
        self
    }
}

fn pinned() -> Value {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/real-cli/package.json");
    let manifest = std::fs::read(manifest).expect("it is in the repository");
    serde_json::from_slice(&manifest).expect("npm reads it, too")
}
