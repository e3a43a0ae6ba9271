//! The CLI: its path, its permissions, and the environment of its processes.

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
    /// The mode that the operator chose, if any.
    pub(super) permission_mode: Option<PermissionMode>,
    pub(super) settings: ClaudeSettings,
    pub(super) environment: Environment,
    pub(super) extra_names: Vec<String>,
    /// The version that the last turn reported: the program may be updated while the server runs.
    version: Arc<Mutex<Option<String>>>,
}

impl Claude {
    /// The CLI at this path, or where `CLAUDE_CLI_PATH` says, or `~/.claude/local/claude`, or on
    /// the `PATH`.
    ///
    /// # Errors
    /// [`Failure::BadProgram`], with the places that were tried, or with what is wrong with the one
    /// that was given.
    pub fn find(agent_path: Option<&Path>) -> Result<Self, Failure> {
        let environment = Environment::of_this_process();
        let path = find::find(agent_path, &environment)?;
        Ok(Self::at(path, environment))
    }

    /// The CLI at this path, with this environment instead of the process's own. Nothing is checked
    /// yet; see
    /// [`Agent::ready`](crate::agent::Agent::ready).
    ///
    /// The allowlist of variables applies to this environment too.
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

    /// Sets the permission mode, instead of deriving it from the tools of each step.
    ///
    /// Tools that a step does not have stay disallowed under every mode.
    #[must_use]
    pub fn permission_mode(self, permission_mode: impl Into<Option<PermissionMode>>) -> Self {
        Self { permission_mode: permission_mode.into(), ..self }
    }

    /// Sets grace periods, limits and intervals.
    #[must_use]
    pub fn settings(self, settings: ClaudeSettings) -> Self {
        Self { settings, ..self }
    }

    /// Adds variables that its processes may see, besides those on the allowlist.
    #[must_use]
    pub fn pass_on(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.extra_names.extend(names.into_iter().map(Into::into));
        self
    }

    /// The program's path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The program's version, if a turn has reported it.
    pub(super) fn version(&self) -> Option<String> {
        // The value is replaced as a whole, so a poisoned lock is harmless.
        self.version.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn learn_version(&self, transcript: &Transcript) {
        if transcript.version.is_some() {
            self.version
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone_from(&transcript.version);
        }
    }
}
