//! The environment of the CLI: variables on an allowlist, and nothing else.

use std::ffi::{OsStr, OsString};
use std::fmt;

/// Variables for any program, for git and common toolchains, and for the network.
#[rustfmt::skip] // One name a line would bury the five groups.
const NAMES: [&str; 53] = [
    // any program
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TERM", "COLORTERM", "TMPDIR", "TZ",
    // git, and signing commits
    "SSH_AUTH_SOCK", "GNUPGHOME", "GPG_TTY", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_CONFIG_GLOBAL", "EDITOR",
    // where toolchains live
    "CARGO_HOME", "RUSTUP_HOME", "GOPATH", "GOROOT", "JAVA_HOME", "NVM_DIR", "PNPM_HOME", "PYENV_ROOT",
    "VIRTUAL_ENV", "CONDA_PREFIX", "ANDROID_HOME", "DEVELOPER_DIR", "SDKROOT",
    // the network
    "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy",
    "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR",
    // the agent's own, where they don't begin with its name
    "API_TIMEOUT_MS", "DISABLE_AUTOUPDATER", "DISABLE_TELEMETRY", "DISABLE_ERROR_REPORTING",
    "BASH_DEFAULT_TIMEOUT_MS", "BASH_MAX_TIMEOUT_MS", "BASH_MAX_OUTPUT_LENGTH",
    "MAX_THINKING_TOKENS", "MAX_MCP_OUTPUT_TOKENS", "MCP_TIMEOUT", "MCP_TOOL_TIMEOUT",
];

/// Names with these prefixes are passed too. Of `GIT_*`, only the identity is: `GIT_DIR` and the
/// like would point the agent's git to another repository.
const PREFIXES: [&str; 6] =
    ["LC_", "XDG_", "ANTHROPIC_", "CLAUDE_", "GIT_AUTHOR_", "GIT_COMMITTER_"];

/// Never passed, not even if the operator asks: they would make the CLI think that it runs inside
/// another conversation.
const NEVER: [&str; 4] =
    ["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_SSE_PORT"];

/// A cloud's variables may hold credentials, so they are passed only if the CLI is configured to
/// use that cloud.
const CLOUDS: [(&str, &[&str]); 3] = [
    ("CLAUDE_CODE_USE_BEDROCK", &["AWS_"]),
    ("CLAUDE_CODE_USE_VERTEX", &["GOOGLE_", "GCLOUD_", "CLOUDSDK_", "CLOUD_ML_REGION", "VERTEX_"]),
    ("CLAUDE_CODE_USE_FOUNDRY", &["AZURE_"]),
];

/// A copy of an environment, taken once.
#[derive(Clone, Default)]
pub(super) struct Environment(Vec<(OsString, OsString)>);

/// Prints names only: values may be secrets, and debug output may end up in a log.
impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}

impl Environment {
    pub(super) fn of_this_process() -> Self {
        std::env::vars_os().collect()
    }

    /// A variable's value; an empty one counts as unset.
    pub(super) fn get(&self, name: &str) -> Option<&OsStr> {
        let pair = self.0.iter().rev().find(|(known, _)| known == name);
        pair.map(|(_, value)| value.as_os_str()).filter(|value| !value.is_empty())
    }

    /// The environment of a turn's process. `extra` are the names that the operator adds.
    pub(super) fn for_child(&self, extra: &[String]) -> Vec<(OsString, OsString)> {
        let allowed = self
            .0
            .iter()
            .filter(|(name, _)| name.to_str().is_some_and(|name| self.passes(name, extra)));
        allowed.cloned().collect()
    }

    fn passes(&self, name: &str, extra: &[String]) -> bool {
        // Surefire's own variables are not passed. If another server's agent started this server,
        // they include the mark of that attempt.
        if NEVER.contains(&name) || name.starts_with("SUREFIRE_") {
            return false;
        }
        let cloud = |(switch, prefixes): &(&str, &[&str])| {
            prefixes.iter().any(|prefix| name.starts_with(prefix)) && self.is_on(switch)
        };
        NAMES.contains(&name)
            || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
            || CLOUDS.iter().any(cloud)
            || extra.iter().any(|known| known == name)
    }

    fn is_on(&self, switch: &str) -> bool {
        let value = self.get(switch).map(|value| value.to_string_lossy().to_lowercase());
        value.is_some_and(|value| ["1", "true", "yes", "on"].contains(&value.as_str()))
    }
}

impl FromIterator<(OsString, OsString)> for Environment {
    fn from_iter<I: IntoIterator<Item = (OsString, OsString)>>(pairs: I) -> Self {
        Self(pairs.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passed(pairs: &[(&str, &str)], extra: &[&str]) -> Vec<String> {
        let environment: Environment =
            pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        let extra: Vec<_> = extra.iter().map(|name| (*name).to_owned()).collect();
        let child = environment.for_child(&extra);
        child.into_iter().map(|(name, _)| name.into_string().unwrap()).collect()
    }

    #[test]
    #[rustfmt::skip] // One name a line would bury the assertions.
    fn only_variables_on_the_allowlist_pass() {
        for name in [
            "PATH", "HOME", "LANG", "LC_ALL", "TERM", "TMPDIR", "XDG_CONFIG_HOME", "SSH_AUTH_SOCK", "https_proxy",
            "ANTHROPIC_API_KEY", "CLAUDE_CONFIG_DIR", "CLAUDE_CODE_MAX_OUTPUT_TOKENS", "GIT_AUTHOR_NAME",
        ] {
            assert_eq!(passed(&[(name, "1")], &[]), [name]);
        }
        for name in [
            "CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT", "SUREFIRE_KEY", "SUREFIRE_ATTEMPT",
            "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "GOOGLE_APPLICATION_CREDENTIALS", "AZURE_CLIENT_SECRET",
            "GIT_DIR", "LD_PRELOAD", "NODE_OPTIONS", "BASH_ENV", "DATABASE_URL", "path",
        ] {
            assert_eq!(passed(&[(name, "1")], &[]), [""; 0], "{name}");
        }
    }

    #[test]
    fn the_operator_may_add_names_other_than_the_forbidden_ones() {
        let pairs =
            [("GITHUB_TOKEN", "x"), ("CLAUDECODE", "1"), ("SUREFIRE_KEY", "x"), ("OTHER", "x")];
        assert_eq!(
            passed(&pairs, &["GITHUB_TOKEN", "CLAUDECODE", "SUREFIRE_KEY"]),
            ["GITHUB_TOKEN"]
        );
    }

    #[test]
    fn a_clouds_variables_pass_only_if_the_cli_uses_it() {
        let aws = ("AWS_PROFILE", "work");
        assert_eq!(
            passed(&[aws, ("CLAUDE_CODE_USE_BEDROCK", "0")], &[]),
            ["CLAUDE_CODE_USE_BEDROCK"]
        );
        assert_eq!(
            passed(&[aws, ("CLAUDE_CODE_USE_VERTEX", "1")], &[]),
            ["CLAUDE_CODE_USE_VERTEX"]
        );
        let names = passed(&[aws, ("CLAUDE_CODE_USE_BEDROCK", "1")], &[]);
        assert_eq!(names, ["AWS_PROFILE", "CLAUDE_CODE_USE_BEDROCK"]);
    }

    #[test]
    fn values_are_not_printed() {
        let environment: Environment =
            [("ANTHROPIC_API_KEY".into(), "secret".into())].into_iter().collect();
        let printed = format!("{environment:?}");
        assert!(printed.contains("ANTHROPIC_API_KEY") && !printed.contains("secret"), "{printed}");
    }
}
