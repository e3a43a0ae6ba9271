//! A repository's settings for the CLI, and the flags that ignore them.
//!
//! The CLI runs a repository's hooks and starts its MCP servers even if its trust dialog was never
//! answered. With these flags it does neither, and ignores the repository's settings. The user's
//! own configuration still applies, and so does `CLAUDE.md`, which the CLI reads from an added
//! directory if a variable says so.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::agent::{RepositorySettings, Turn};

/// The directory with hooks and settings.
const SETTINGS: &str = ".claude";

/// The file with MCP servers.
const SERVERS: &str = ".mcp.json";

/// Makes the CLI read `CLAUDE.md` in added directories.
const INSTRUCTIONS: (&str, &str) = ("CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD", "1");

/// The repository whose settings a turn ignores, if any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LeftOut(Option<PathBuf>);

impl LeftOut {
    /// Inspects the repository now, because the agent may have created settings in the previous
    /// turn.
    ///
    /// Without settings no flag is needed, which is better: with the flags, the CLI does not find a
    /// `CLAUDE.md` in a subdirectory.
    pub(super) fn look(turn: &Turn) -> Self {
        Self(match turn.repository {
            RepositorySettings::Used => None,
            RepositorySettings::LeftOut => {
                let top = up_to_top(&turn.directory).into_iter().next_back();
                top.filter(|_| brings_settings(&turn.directory))
            }
        })
    }

    /// The flags. The last one takes a list, so another flag has to follow.
    pub(super) fn flags(&self) -> Vec<OsString> {
        let Some(top) = &self.0 else { return Vec::new() };
        let fixed = ["--setting-sources", "user", "--strict-mcp-config", "--add-dir"];
        fixed.into_iter().map(OsString::from).chain([top.into()]).collect()
    }

    /// The variables that go with the flags.
    pub(super) fn variables(&self) -> Option<(OsString, OsString)> {
        self.0.as_ref().map(|_| (INSTRUCTIONS.0.into(), INSTRUCTIONS.1.into()))
    }
}

/// A directory and its ancestors up to the top of its repository; outside a repository, the
/// directory alone. Links are resolved, as for a process that works there.
pub(super) fn up_to_top(directory: &Path) -> Vec<PathBuf> {
    let directory = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
    let depth = directory.ancestors().position(|above| is_there(&above.join(".git")));
    directory.ancestors().take(depth.unwrap_or(0) + 1).map(Path::to_owned).collect()
}

/// Whether the CLI would find settings in a directory or above it.
pub(super) fn brings_settings(directory: &Path) -> bool {
    let directories = up_to_top(directory);
    directories.iter().any(|directory| is_there(&directory.join(SETTINGS)))
        || directories.first().is_some_and(|directory| has_servers(directory))
}

/// Whether the CLI would start MCP servers for this directory. It searches all ancestors, even
/// above the repository's top, for example in the repository around a submodule.
fn has_servers(directory: &Path) -> bool {
    directory.ancestors().any(|above| is_there(&above.join(SERVERS)))
}

/// Whether the path exists, even as a dangling link. If that cannot be determined, assume that it
/// does.
fn is_there(path: &Path) -> bool {
    match path.symlink_metadata() {
        Ok(_) => true,
        Err(error) => !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use tempfile::TempDir;
    use uuid::Uuid;

    use super::*;
    use crate::agent::TurnLimits;

    fn turn(directory: &Path) -> Turn {
        Turn {
            attempt: Uuid::nil(),
            session: Uuid::nil(),
            opened: false,
            prompt: "Work.".to_owned(),
            model: None,
            system_prompt: None,
            tools: None,
            allowed: Vec::new(),
            repository: RepositorySettings::LeftOut,
            directory: directory.to_owned(),
            scratch: "/".into(),
            run: None,
            restarts: 0,
            step: None,
            limits: TurnLimits::default(),
        }
    }

    /// A directory with a repository that has two nested directories.
    fn repository() -> (TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap().join("repository");
        fs::create_dir_all(top.join("a/b")).unwrap();
        fs::create_dir(top.join(".git")).unwrap();
        (folder, top)
    }

    /// The path to create, the directory to work in, and whether there are settings to ignore.
    #[test]
    fn flags_are_added_if_there_are_settings_to_ignore() {
        let table = [
            (None, "a/b", false),
            (Some("CLAUDE.md"), "", false),
            (Some(".mcp.json"), "", true),
            (Some(".claude"), "a/b", true),
            (Some("a/.mcp.json"), "a/b", true),
            (Some("a/b/.claude"), "a/b", true),
            // The CLI does not search subdirectories, so neither does this.
            (Some("a/b/.claude"), "a", false),
            // Above the repository the CLI looks for servers, and for nothing else.
            (Some("../.claude"), "a", false),
            (Some("../.mcp.json"), "a", true),
        ];
        for (made, directory, expected) in table {
            let (_folder, top) = repository();
            if let Some(made) = made {
                fs::write(top.join(made), "").unwrap();
            }
            let left_out = LeftOut::look(&turn(&top.join(directory)));
            assert_eq!(
                left_out,
                LeftOut(expected.then(|| top.clone())),
                "{made:?} in {directory:?}"
            );
        }
    }

    #[test]
    fn the_flags_name_the_top_of_the_repository() {
        let (_folder, top) = repository();
        fs::create_dir(top.join(".claude")).unwrap();
        let left_out = LeftOut::look(&turn(&top.join("a")));
        let flags = left_out.flags().join(" ".as_ref()).into_string().unwrap();
        assert_eq!(
            flags,
            format!("--setting-sources user --strict-mcp-config --add-dir {}", top.display())
        );
        let variable = ("CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD".into(), "1".into());
        assert_eq!(left_out.variables(), Some(variable));

        let trusted = Turn { repository: RepositorySettings::Used, ..turn(&top) };
        let used = LeftOut::look(&trusted);
        assert_eq!((used.flags(), used.variables()), (Vec::new(), None));
    }

    #[test]
    fn a_link_counts_and_is_followed_on_the_way_up() {
        let (folder, top) = repository();
        symlink("nowhere", top.join(".mcp.json")).unwrap();
        let link = folder.path().join("link");
        symlink(top.join("a"), &link).unwrap();
        assert_eq!(LeftOut::look(&turn(&link)), LeftOut(Some(top)));
    }

    #[test]
    fn outside_of_a_repository_the_directory_is_the_top() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        fs::create_dir(top.join("a")).unwrap();
        fs::create_dir(top.join(".claude")).unwrap();
        assert_eq!(up_to_top(&top.join("a")), [top.join("a")]);
        assert_eq!(LeftOut::look(&turn(&top.join("a"))), LeftOut(None));
        assert_eq!(LeftOut::look(&turn(&top)), LeftOut(Some(top)));
    }

    /// In a linked work tree and in a submodule, `.git` is a file.
    #[test]
    fn the_first_directory_that_has_git_is_the_top() {
        let (_folder, top) = repository();
        fs::write(top.join("a/.git"), "gitdir: ../.git/modules/a").unwrap();
        assert_eq!(up_to_top(&top.join("a/b")), [top.join("a/b"), top.join("a")]);
    }
}
