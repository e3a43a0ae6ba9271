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
/// Hooks, pagers, aliases, external diff programs and the network are off, and nothing is asked on a terminal.
#[derive(Debug, Clone)]
pub struct Git {
    environment: Environment,
}

/// A git repository with a work tree, looked at without changing it.
///
/// Nothing is written into it: snapshots of the work tree are kept in a directory that the caller gives.
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

    /// The repository that this directory is in the work tree of; `None` if it is in none.
    ///
    /// `objects` is a directory for the objects of snapshots, which has to stay as long as they are wanted: at least for
    /// one run. It is made if it is missing, for its owner alone.
    ///
    /// # Errors
    /// Git is missing or refuses, the repository is damaged, or the directory for objects cannot be made.
    pub async fn find(&self, directory: &Path, objects: &Path) -> Result<Option<Repository>, GitError> {
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
        // A path with a line break in it makes more of them.
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

impl Repository {
    /// The top of its work tree.
    #[must_use]
    pub fn top(&self) -> &Path {
        &self.top
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

    /// The tree without any file: what a repository without commits is compared with.
    pub(in crate::gate) const fn empty_tree(&self) -> &'static str {
        if self.id_digits == 64 {
            "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
        } else {
            "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
        }
    }
}

/// The id of an object, checked: anything else could be an option, or name something that moves.
pub(super) fn checked(id: &str) -> Result<&str, GitError> {
    let hex = id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if hex && matches!(id.len(), 40 | 64) { Ok(id) } else { Err(GitError::InvalidId { id: id.to_owned() }) }
}

/// Makes the directory for our objects, and names it absolutely: git works in another one.
fn make(objects: &Path) -> Result<PathBuf, GitError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(objects);
    let made = made.and_then(|()| std::path::absolute(objects));
    made.map_err(|source| GitError::Objects { directory: objects.to_owned(), source })
}

/// As it stands in a list that is separated by colons: between quotes, in which git knows C's escapes.
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

/// What it means that git does not answer.
fn explain(directory: &Path, answer: &Answer) -> Result<Option<Repository>, GitError> {
    let (words, directory) = (answer.words(), directory.to_owned());
    if words.contains("dubious ownership") {
        return Err(GitError::DubiousOwnership { directory });
    }
    // Git says the same of a repository without its HEAD.
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
    fn only_the_id_of_an_object_is_one() {
        let id = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
        assert!(checked(id).is_ok() && checked(&format!("{id}{}", "0".repeat(24))).is_ok());
        for wrong in ["", "HEAD", "4b825dc", "--all", &id.to_uppercase(), &id.replace('4', "g")] {
            assert!(checked(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_path_in_a_list_of_paths() {
        assert_eq!(quoted(Path::new("/a:b/c\"d\\e")), r#""/a:b/c\"d\\e""#);
    }
}
