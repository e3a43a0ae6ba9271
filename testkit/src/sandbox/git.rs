//! A directory for a git repository that no configuration of the machine's user reaches.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

use surefire::gate::{CommitRange, Environment, Git, Head, Repository, TreeSnapshot};
use tempfile::TempDir;

/// A repository with a branch `main`, and a directory for its snapshots, all of which are deleted
/// with it.
#[derive(Debug)]
pub struct GitSandbox {
    /// Where all of it is.
    pub folder: TempDir,
    /// Each commit is a minute after the one before it.
    minutes: AtomicU64,
}

impl Default for GitSandbox {
    fn default() -> Self {
        Self::new()
    }
}

impl GitSandbox {
    /// A repository without commits.
    ///
    /// # Panics
    /// If git is missing.
    #[must_use]
    pub fn new() -> Self {
        let sandbox = Self { folder: tempfile::tempdir().unwrap(), minutes: AtomicU64::new(0) };
        std::fs::create_dir(sandbox.top()).unwrap();
        sandbox.git(&["init", "--quiet", "--initial-branch=main"]);
        sandbox
    }

    /// A repository with one commit, which holds `a.txt` and `dir/b.txt`.
    #[must_use]
    pub fn with_a_commit() -> Self {
        let sandbox = Self::new();
        sandbox.write("a.txt", "one\ntwo\nthree\n");
        sandbox.write("dir/b.txt", "b\n");
        sandbox.commit("First");
        sandbox
    }

    /// The top of the work tree.
    #[must_use]
    pub fn top(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    /// Where snapshots are kept.
    #[must_use]
    pub fn objects(&self) -> PathBuf {
        self.folder.path().join("objects")
    }

    /// Runs git at the top of the work tree, and returns what it printed.
    ///
    /// # Panics
    /// If it fails.
    pub fn git(&self, arguments: &[&str]) -> String {
        self.git_in(&self.top(), arguments)
    }

    /// Runs git in another directory.
    ///
    /// # Panics
    /// If it fails.
    pub fn git_in(&self, directory: &Path, arguments: &[&str]) -> String {
        let (succeeded, output) = self.try_git(directory, arguments);
        assert!(succeeded, "git {arguments:?} failed: {output}");
        output
    }

    /// Runs git where it may fail, and returns whether it succeeded.
    ///
    /// # Panics
    /// If git is missing.
    pub fn try_git(&self, directory: &Path, arguments: &[&str]) -> (bool, String) {
        let minute = self.minutes.fetch_add(1, Ordering::Relaxed);
        let date = format!("{} +0000", 1_700_000_000 + 60 * minute);
        let mut command = Command::new("git");
        command.args(["-c", "protocol.file.allow=always"]).args(arguments).current_dir(directory);
        command.env_clear().envs(self.variables());
        command.env("GIT_AUTHOR_DATE", &date).env("GIT_COMMITTER_DATE", &date);
        let output = command.output().unwrap();
        let text = if output.status.success() { output.stdout } else { output.stderr };
        (output.status.success(), String::from_utf8_lossy(&text).trim_end().to_owned())
    }

    /// The environment of git here.
    ///
    /// # Panics
    /// If there is no `PATH`.
    #[must_use]
    pub fn variables(&self) -> Vec<(OsString, OsString)> {
        let mut variables: Vec<(OsString, OsString)> = vec![
            ("PATH".into(), std::env::var_os("PATH").unwrap()),
            ("HOME".into(), self.folder.path().into()),
            // A sandbox may be inside the work tree of another repository.
            ("GIT_CEILING_DIRECTORIES".into(), self.folder.path().into()),
        ];
        let names = ["AUTHOR", "COMMITTER"];
        variables.extend(names.map(|who| (format!("GIT_{who}_NAME").into(), "A Person".into())));
        variables.extend(
            names.map(|who| (format!("GIT_{who}_EMAIL").into(), "person@example.com".into())),
        );
        variables.extend([
            ("GIT_CONFIG_GLOBAL".into(), "/dev/null".into()),
            ("GIT_CONFIG_SYSTEM".into(), "/dev/null".into()),
            ("GIT_CONFIG_NOSYSTEM".into(), "1".into()),
        ]);
        variables
    }

    /// Writes a file, with the directories above it.
    ///
    /// # Panics
    /// If it cannot be written.
    pub fn write(&self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) {
        let path = self.top().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    /// Removes a file.
    ///
    /// # Panics
    /// If it cannot be removed.
    pub fn remove(&self, path: &str) {
        std::fs::remove_file(self.top().join(path)).unwrap();
    }

    /// Commits everything, and returns the commit's id.
    pub fn commit(&self, message: &str) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// The program, as an engine calls it.
    #[must_use]
    pub fn program(&self) -> Git {
        Git::new(&self.variables().into_iter().collect::<Environment>())
    }

    /// The repository, as an engine sees it.
    ///
    /// # Panics
    /// If it is not found.
    pub async fn repository(&self) -> Repository {
        self.repository_in(&self.top()).await
    }

    /// The repository of another directory.
    ///
    /// # Panics
    /// If it is not found.
    pub async fn repository_in(&self, directory: &Path) -> Repository {
        self.program()
            .find(directory, &self.objects())
            .await
            .unwrap()
            .expect("there is a repository")
    }

    /// A snapshot of the work tree as it is now.
    ///
    /// # Panics
    /// If none can be taken.
    pub async fn snapshot(&self) -> TreeSnapshot {
        self.repository().await.snapshot().await.unwrap()
    }

    /// Where HEAD is now.
    ///
    /// # Panics
    /// If git fails.
    pub async fn head(&self) -> Head {
        self.repository().await.head().await.unwrap()
    }

    /// Does some work as a turn of a run does, and returns where HEAD was before and after it.
    pub async fn window<T>(&self, work: impl FnOnce() -> T) -> CommitRange {
        let before = self.head().await.commit;
        work();
        CommitRange { before, after: self.head().await.commit }
    }

    /// The files of a snapshot, each as its mode and its path.
    ///
    /// # Panics
    /// If its objects are missing.
    pub fn files_of(&self, tree: &str) -> Vec<String> {
        let text = self.git_of(&["ls-tree", "-r", "-z", tree]);
        let lines = text.split('\0').filter(|line| !line.is_empty());
        let name = |line: &str| {
            let (mode, path) = (line.split(' ').next().unwrap(), line.split_once('\t').unwrap().1);
            format!("{mode} {path}")
        };
        lines.map(name).collect()
    }

    /// The content of a file of a snapshot.
    ///
    /// # Panics
    /// If it is missing.
    pub fn content_of(&self, tree: &str, path: &str) -> String {
        self.git_of(&["cat-file", "-p", &format!("{tree}:{path}")])
    }

    /// Runs git with the snapshots' objects in addition to the repository's own.
    fn git_of(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("git");
        command.args(arguments).current_dir(self.top()).env_clear().envs(self.variables());
        command.env("GIT_ALTERNATE_OBJECT_DIRECTORIES", self.objects());
        let output = command.output().unwrap();
        assert!(
            output.status.success(),
            "git {arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

/// All files below a directory with their content: two listings are equal if nothing was written in
/// between.
///
/// # Panics
/// If one of them cannot be read.
#[must_use]
pub fn listing(directory: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    let mut folders = vec![directory.to_owned()];
    while let Some(folder) = folders.pop() {
        files.push((folder.clone(), Vec::new()));
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.is_symlink() {
                folders.push(path);
            } else if path.is_symlink() {
                files.push((
                    path.clone(),
                    OsStr::as_encoded_bytes(path.read_link().unwrap().as_os_str()).to_vec(),
                ));
            } else {
                files.push((path.clone(), std::fs::read(&path).unwrap()));
            }
        }
    }
    files.sort();
    files
}
