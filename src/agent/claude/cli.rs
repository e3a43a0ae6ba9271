//! The CLI as one value: where it is, what it may do, and what its processes get to see.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::environment::Environment;
use super::find;
use super::options::{ClaudeSettings, PermissionMode};
use super::transcript::Transcript;
use crate::agent::Failure;

/// Claude Code.
///
/// ```no_run
/// use surefire::agent::{Agent, Claude, PermissionMode};
///
/// let claude = Claude::find(None)?.permission_mode(PermissionMode::Plan).pass_on(["CI"]);
/// claude.ready()?;
/// # Ok::<_, surefire::agent::Failure>(())
/// ```
#[derive(Debug, Clone)]
pub struct Claude {
    pub(super) path: PathBuf,
    /// As the operator chose it.
    pub(super) permission_mode: Option<PermissionMode>,
    pub(super) settings: ClaudeSettings,
    pub(super) environment: Environment,
    pub(super) extra_names: Vec<String>,
    /// As its last turn stated it: the program may be updated while we run.
    version: Arc<Mutex<Option<String>>>,
}

impl Claude {
    /// The CLI at this path, or where `CLAUDE_CLI_PATH` says, or `~/.claude/local/claude`, or on the `PATH`.
    ///
    /// # Errors
    /// [`Failure::BadProgram`], with the places that were tried, or with what is wrong with the one that was given.
    pub fn find(agent_path: Option<&Path>) -> Result<Self, Failure> {
        let environment = Environment::ours();
        let path = find::find(agent_path, &environment)?;
        Ok(Self::at(path, environment))
    }

    /// The CLI at this path, with this environment in place of our own. Nothing is checked yet; see [`Agent::ready`](crate::agent::Agent::ready).
    ///
    /// The list of what may be passed on applies to this environment too.
    pub fn with_environment(
        path: impl Into<PathBuf>,
        environment: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Self {
        Self::at(path.into(), environment.into_iter().collect())
    }

    fn at(path: PathBuf, environment: Environment) -> Self {
        Self {
            path,
            permission_mode: None,
            settings: ClaudeSettings::default(),
            environment,
            extra_names: Vec::new(),
            version: Arc::default(),
        }
    }

    /// What it may do without asking, in place of what follows from the tools of each step.
    ///
    /// Tools that a step does not have stay disallowed under every mode.
    #[must_use]
    pub fn permission_mode(self, permission_mode: impl Into<Option<PermissionMode>>) -> Self {
        Self { permission_mode: permission_mode.into(), ..self }
    }

    /// Graces, caps and intervals.
    #[must_use]
    pub fn settings(self, settings: ClaudeSettings) -> Self {
        Self { settings, ..self }
    }

    /// More names of variables that its processes get to see, beside those they need.
    #[must_use]
    pub fn pass_on(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.extra_names.extend(names.into_iter().map(Into::into));
        self
    }

    /// Where the program is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The version of the program, if a turn has stated it.
    pub(super) fn version(&self) -> Option<String> {
        // Nothing that holds this lock can panic half-way, so what is in it is whole.
        self.version.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn learn_version(&self, transcript: &Transcript) {
        if transcript.version.is_some() {
            self.version.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&transcript.version);
        }
    }
}
