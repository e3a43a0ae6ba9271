//! The part of the server's environment that git and the engine's commands get.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::sync::Arc;

/// Variables with these prefixes are Surefire's or the agent's, and are not passed on.
///
/// The key to this server must not reach a test that an agent wrote, and neither must the key to
/// the agent's service. An agent's CLI that a command starts must not take itself for a part of
/// another conversation.
const WITHHELD_PREFIXES: [&str; 3] = ["SUREFIRE_", "CLAUDE", "ANTHROPIC"];

/// Variables that point git to a certain repository (`git rev-parse --local-env-vars`). A server
/// that was started by a hook has some of them, and then every `git` of a command would work on the
/// hook's repository.
const REPOSITORY_NAMES: [&str; 16] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NAMESPACE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// Git's own variables that the engine's calls of git keep: where its programs and its
/// configuration are, and the operator's own configuration, which may contain `safe.directory`.
const GIT_NAMES: [&str; 5] = [
    "GIT_EXEC_PATH",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_COUNT",
];
const GIT_PREFIXES: [&str; 2] = ["GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_"];

/// Git's own variables for the author and the committer of a commit.
const IDENTITY_NAMES: [&str; 6] = [
    "GIT_AUTHOR_NAME",
    "GIT_AUTHOR_EMAIL",
    "GIT_AUTHOR_DATE",
    "GIT_COMMITTER_NAME",
    "GIT_COMMITTER_EMAIL",
    "GIT_COMMITTER_DATE",
];

/// A copy of an environment, taken once.
///
/// Everything is passed on except the variables of Surefire and of the agent. No allowlist could be
/// complete: a build may need the variables of any toolchain, a proxy, or the address of a database
/// for its tests, and a check that fails although it succeeds in the operator's terminal proves
/// nothing.
#[derive(Clone, Default)]
pub struct Environment(Arc<[(OsString, OsString)]>);

impl Environment {
    /// The environment of this process.
    #[must_use]
    pub fn inherited() -> Self {
        std::env::vars_os().collect()
    }

    /// The variables for a command of the engine.
    pub(super) fn for_command(&self) -> Vec<(OsString, OsString)> {
        self.passed(|name| !REPOSITORY_NAMES.contains(&name))
    }

    /// The variables for the engine's own calls of git.
    pub(super) fn for_git(&self) -> Vec<(OsString, OsString)> {
        self.passed(|name| {
            let kept =
                GIT_NAMES.contains(&name) || GIT_PREFIXES.iter().any(|it| name.starts_with(it));
            kept || !name.starts_with("GIT_")
        })
    }

    /// The author and the committer of a commit, as far as variables name them. Only calls that
    /// commit get these.
    pub(super) fn identity(&self) -> Vec<(&'static str, OsString)> {
        let value = |name: &&'static str| {
            let (_, value) = self.0.iter().find(|(known, _)| known == name)?;
            Some((*name, value.clone()))
        };
        IDENTITY_NAMES.iter().filter_map(value).collect()
    }

    fn passed(&self, passes: impl Fn(&str) -> bool) -> Vec<(OsString, OsString)> {
        let passes = |name: &OsStr| {
            // A name that is not UTF-8 matches none of the lists.
            let Some(name) = name.to_str() else { return true };
            !WITHHELD_PREFIXES.iter().any(|prefix| name.starts_with(prefix)) && passes(name)
        };
        self.0.iter().filter(|(name, _)| passes(name)).cloned().collect()
    }
}

impl FromIterator<(OsString, OsString)> for Environment {
    fn from_iter<I: IntoIterator<Item = (OsString, OsString)>>(pairs: I) -> Self {
        Self(pairs.into_iter().collect())
    }
}

/// Prints names only: values may be secrets, and debug output may end up in a log.
impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_variables_the_agents_and_repository_paths_are_withheld() {
        let table = [
            // name, for a command, for git
            ("PATH", true, true),
            ("CARGO_HOME", true, true),
            ("DATABASE_URL", true, true),
            ("GITHUB_TOKEN", true, true),
            ("GIT_AUTHOR_NAME", true, false),
            ("GIT_SSH_COMMAND", true, false),
            ("GIT_CONFIG_GLOBAL", true, true),
            ("GIT_CONFIG_KEY_0", true, true),
            ("GIT_TRACE", true, false),
            ("GIT_EXTERNAL_DIFF", true, false),
            ("GIT_DIR", false, false),
            ("GIT_INDEX_FILE", false, false),
            ("GIT_CONFIG_PARAMETERS", false, false),
            ("SUREFIRE_KEY", false, false),
            ("SUREFIRE_ATTEMPT", false, false),
            ("CLAUDECODE", false, false),
            ("CLAUDE_CODE_OAUTH_TOKEN", false, false),
            ("ANTHROPIC_API_KEY", false, false),
        ];
        for (name, command, git) in table {
            let environment: Environment = [(name.into(), "x".into())].into_iter().collect();
            assert_eq!(environment.for_command().len() == 1, command, "{name} for a command");
            assert_eq!(environment.for_git().len() == 1, git, "{name} for git");
        }
    }

    #[test]
    fn the_identity_for_commits_is_read_from_variables() {
        let pairs = [("PATH", "/bin"), ("GIT_COMMITTER_EMAIL", "a@example.com"), ("GIT_DIR", "/x")];
        let environment: Environment =
            pairs.map(|(name, value)| (name.into(), value.into())).into_iter().collect();
        assert_eq!(environment.identity(), [("GIT_COMMITTER_EMAIL", "a@example.com".into())]);
    }

    #[test]
    fn values_are_not_printed() {
        let environment: Environment =
            [("GITHUB_TOKEN".into(), "secret".into())].into_iter().collect();
        let printed = format!("{environment:?}");
        assert!(printed.contains("GITHUB_TOKEN") && !printed.contains("secret"), "{printed}");
    }
}
