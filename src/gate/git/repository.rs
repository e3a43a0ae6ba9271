//! Finding the repository of a directory.

use std::ffi::OsString;
use std::fs::DirBuilder;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use super::error::GitError;
use super::program::{Answer, Program, path};
use crate::gate::environment::Environment;

/// The `git` program, as the engine calls it.
///
/// Hooks, pagers, aliases, external diff programs and the network are off, and git never prompts on
/// a terminal.
#[derive(Debug, Clone)]
pub struct Git {
    environment: Environment,
}

/// A git repository with a work tree, which is only read.
///
/// Nothing is written into it: snapshots of the work tree are kept in a directory that the caller
/// provides.
#[derive(Debug, Clone)]
pub struct Repository {
    program: Program,
    top: PathBuf,
    index: PathBuf,
    objects: PathBuf,
    id_digits: usize,
    git: Git,
}

impl Git {
    /// Git with this environment.
    #[must_use]
    pub fn new(environment: &Environment) -> Self {
        Self { environment: environment.clone() }
    }

    pub(super) const fn environment(&self) -> &Environment {
        &self.environment
    }

    /// The repository whose work tree contains this directory; `None` if there is none.
    ///
    /// `objects` is a directory for the objects of snapshots, which has to exist as long as these
    /// are needed: at least for one run. It is created if necessary, accessible to its owner alone.
    ///
    /// # Errors
    /// Git is missing or refuses, the repository is damaged, or the directory for objects
    /// cannot be created.
    pub async fn find(
        &self,
        directory: &Path,
        objects: &Path,
    ) -> Result<Option<Repository>, GitError> {
        const QUESTIONS: [&str; 9] = [
            "rev-parse",
            "--is-inside-work-tree",
            "--show-toplevel",
            "--absolute-git-dir",
            "--git-path",
            "objects",
            "--git-path",
            "index",
            "--show-object-format",
        ];
        let directory = &std::path::absolute(directory).unwrap_or_else(|_| directory.to_owned());
        let program = Program::new(&self.environment, directory);
        let answer = program.call(&QUESTIONS).answer().await?;
        if answer.stdout.starts_with(b"false\n") {
            // A bare repository, or the inside of `.git`.
            return Ok(None);
        }
        if answer.code != Some(0) {
            return explain(directory, &answer);
        }
        let text = answer.stdout.strip_suffix(b"\n").unwrap_or(&answer.stdout);
        let lines: Vec<_> = text.split(|byte| *byte == b'\n').collect();
        // A path that contains a line break adds lines.
        let [_, top, git_dir, theirs, index, format] = lines.as_slice() else {
            return Err(answer.into_unexpected());
        };
        let (top, git_dir) = (path(top), path(git_dir));
        let program = Program::new(&self.environment, &top)
            .variable("GIT_DIR", &git_dir)
            .variable("GIT_WORK_TREE", &top)
            .variable("GIT_OBJECT_DIRECTORY", make(objects)?)
            .variable("GIT_ALTERNATE_OBJECT_DIRECTORIES", quoted(&directory.join(path(theirs))));
        Ok(Some(Repository {
            program,
            index: directory.join(path(index)),
            objects: objects.to_owned(),
            id_digits: if *format == b"sha256" { 64 } else { 40 },
            top,
            git: self.clone(),
        }))
    }
}

/// The locks that `git commit` takes in a work tree's git directory.
const LOCK_FILES: [&str; 2] = ["index.lock", "HEAD.lock"];

impl Repository {
    /// The top of its work tree.
    #[must_use]
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// A lock file of git, if there is one. A git process that is killed leaves its lock behind,
    /// and every later commit fails until the file is removed.
    pub(in crate::gate) async fn lock_file(&self) -> Option<PathBuf> {
        let directory = self.index.parent()?;
        for name in LOCK_FILES {
            let path = directory.join(name);
            if tokio::fs::try_exists(&path).await.unwrap_or(false) {
                return Some(path);
            }
        }
        None
    }

    pub(super) const fn program(&self) -> &Program {
        &self.program
    }

    pub(super) const fn git(&self) -> &Git {
        &self.git
    }

    pub(super) fn index(&self) -> &Path {
        &self.index
    }

    pub(super) fn objects(&self) -> &Path {
        &self.objects
    }

    /// The id that no object has.
    pub(super) fn null_id(&self) -> String {
        "0".repeat(self.id_digits)
    }

    /// The empty tree, which a repository without commits is compared with.
    pub(in crate::gate) const fn empty_tree(&self) -> &'static str {
        if self.id_digits == 64 {
            "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
        } else {
            "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
        }
    }
}

/// The id of an object, validated: anything else could be an option, or a name that moves.
pub(super) fn checked(id: &str) -> Result<&str, GitError> {
    let hex = id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if hex && matches!(id.len(), 40 | 64) {
        Ok(id)
    } else {
        Err(GitError::InvalidId { id: id.to_owned() })
    }
}

/// Creates the directory for our objects, and returns its absolute path, because git works in
/// another directory.
fn make(objects: &Path) -> Result<PathBuf, GitError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(objects);
    let made = made.and_then(|()| std::path::absolute(objects));
    made.map_err(|source| GitError::Objects { directory: objects.to_owned(), source })
}

/// A path for a list that is separated by colons: in quotes, with C's escapes, which git
/// understands.
fn quoted(path: &Path) -> OsString {
    let mut quoted = vec![b'"'];
    for byte in path.as_os_str().as_bytes() {
        if matches!(byte, b'"' | b'\\') {
            quoted.push(b'\\');
        }
        quoted.push(*byte);
    }
    quoted.push(b'"');
    OsString::from_vec(quoted)
}

/// The reason why git found no repository.
fn explain(directory: &Path, answer: &Answer) -> Result<Option<Repository>, GitError> {
    let (words, directory) = (answer.words(), directory.to_owned());
    if words.contains("dubious ownership") {
        return Err(GitError::DubiousOwnership { directory });
    }
    // Git reports the same for a repository without its HEAD.
    let damaged = directory.ancestors().any(|above| above.join(".git/objects").is_dir());
    if words.contains("not a git repository (or any") && !damaged {
        return Ok(None);
    }
    Err(GitError::Damaged { directory, words })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_full_id_of_an_object_is_valid() {
        let id = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
        assert!(checked(id).is_ok() && checked(&format!("{id}{}", "0".repeat(24))).is_ok());
        for wrong in ["", "HEAD", "4b825dc", "--all", &id.to_uppercase(), &id.replace('4', "g")] {
            assert!(checked(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_path_in_a_list_is_quoted() {
        assert_eq!(quoted(Path::new("/a:b/c\"d\\e")), r#""/a:b/c\"d\\e""#);
    }
}
