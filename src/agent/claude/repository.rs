//! What a repository brings along for the CLI, and the flags that leave it out.
//!
//! The CLI runs a repository's hooks and starts its MCP servers even where its own dialog was never answered. With these
//! flags it does neither, and reads none of the repository's settings; what the user configured stays, and so does
//! `CLAUDE.md`, which the CLI takes from an added directory if a variable says so.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::agent::{RepositorySettings, Turn};

/// Where hooks and settings are.
const SETTINGS: &str = ".claude";

/// Where MCP servers are.
const SERVERS: &str = ".mcp.json";

/// Has the CLI read `CLAUDE.md` in the directories that are added.
const INSTRUCTIONS: (&str, &str) = ("CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD", "1");

/// What is left out of a turn: nothing, or what this repository brings along.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LeftOut(Option<PathBuf>);

impl LeftOut {
    /// Looks at the repository as it is now: in the turn before, the agent may have made what is to be left out.
    ///
    /// Where there is nothing to leave out, no flag is needed; with them, the CLI does not see a `CLAUDE.md` further down.
    pub(super) fn look(turn: &Turn) -> Self {
        Self(match turn.repository {
            RepositorySettings::Used => None,
            RepositorySettings::LeftOut => {
                let top = up_to_top(&turn.directory).into_iter().next_back();
                top.filter(|_| brings_settings(&turn.directory))
            }
        })
    }

    /// The flags. The last of them takes a list, so another one has to follow.
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

/// A directory and those above it up to the top of its repository, which is the last one; outside of a repository the
/// directory alone. Links are followed, as by a process that works there.
pub(super) fn up_to_top(directory: &Path) -> Vec<PathBuf> {
    let directory = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
    let depth = directory.ancestors().position(|above| is_there(&above.join(".git")));
    directory.ancestors().take(depth.unwrap_or(0) + 1).map(Path::to_owned).collect()
}

/// Whether the CLI would find something in a directory, or above it, that could be left out.
pub(super) fn brings_settings(directory: &Path) -> bool {
    let directories = up_to_top(directory);
    directories.iter().any(|directory| is_there(&directory.join(SETTINGS)))
        || directories.first().is_some_and(|directory| has_servers(directory))
}

/// Whether the CLI would start servers for this directory. It looks in all directories above as well, past the top of the
/// repository: those of the repository around a submodule, say, which is no more trusted.
fn has_servers(directory: &Path) -> bool {
    directory.ancestors().any(|above| is_there(&above.join(SERVERS)))
}

/// Whether something has this name, even if it is a link that leads nowhere yet. Where the look is not possible it may
/// be there.
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
            limits: TurnLimits::default(),
        }
    }

    /// A directory with a repository in it that has two directories below each other.
    fn repository() -> (TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap().join("repository");
        fs::create_dir_all(top.join("a/b")).unwrap();
        fs::create_dir(top.join(".git")).unwrap();
        (folder, top)
    }

    /// What is made, the directory to work in, and whether there is something to leave out.
    #[test]
    fn flags_are_added_where_there_is_something_to_leave_out() {
        let table = [
            (None, "a/b", false),
            (Some("CLAUDE.md"), "", false),
            (Some(".mcp.json"), "", true),
            (Some(".claude"), "a/b", true),
            (Some("a/.mcp.json"), "a/b", true),
            (Some("a/b/.claude"), "a/b", true),
            // The CLI does not look further down, nor do we.
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
            assert_eq!(left_out, LeftOut(expected.then(|| top.clone())), "{made:?} in {directory:?}");
        }
    }

    #[test]
    fn the_flags_name_the_top_of_the_repository() {
        let (_folder, top) = repository();
        fs::create_dir(top.join(".claude")).unwrap();
        let left_out = LeftOut::look(&turn(&top.join("a")));
        let flags = left_out.flags().join(" ".as_ref()).into_string().unwrap();
        assert_eq!(flags, format!("--setting-sources user --strict-mcp-config --add-dir {}", top.display()));
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

    /// A linked work tree and a submodule have a file of this name.
    #[test]
    fn the_first_directory_that_has_git_is_the_top() {
        let (_folder, top) = repository();
        fs::write(top.join("a/.git"), "gitdir: ../.git/modules/a").unwrap();
        assert_eq!(up_to_top(&top.join("a/b")), [top.join("a/b"), top.join("a")]);
    }
}
