//! A server that a test can kill, and the directory it works in.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;

use serde_json::Value;
use surefire_testkit::{make_tracker, make_work_tree, path_with};
use tempfile::TempDir;

/// The examples that are killed.
const EXAMPLES: [&str; 2] = ["implement_and_review", "proof_of_work"];

/// A data directory, a project with a tracker, a home and a plan for the fake CLI.
pub(crate) struct Place {
    folder: TempDir,
}

impl Place {
    pub(crate) fn new(plan: &Value) -> Self {
        let folder = tempfile::tempdir().expect("there is room for tests");
        for name in ["home", "project"] {
            std::fs::create_dir(folder.path().join(name)).expect("there is room");
        }
        make_work_tree(&folder.path().join("project"), &[]);
        make_tracker(&folder.path().join("bin"), &folder.path().join("project"));
        std::fs::write(folder.path().join("plan.json"), plan.to_string()).expect("there is room");
        Self { folder }
    }

    pub(crate) fn folder(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A `PATH` with the machine's programs and the tracker's.
    pub(crate) fn machine_path(&self) -> OsString {
        path_with(&self.folder("bin"))
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.folder("data")
    }

    /// Leaves everything on disk, and returns its path.
    pub(crate) fn keep(self) -> PathBuf {
        self.folder.keep()
    }

    /// The log of the fake CLI's calls.
    pub(crate) fn calls(&self) -> PathBuf {
        self.folder.path().join("calls.jsonl")
    }

    pub(crate) fn plan(&self) -> PathBuf {
        self.folder.path().join("plan.json")
    }

    /// Starts a server; `crash` names a crash point, where it kills itself.
    pub(crate) fn serve(&self, crash: Option<&str>, resume: bool) -> Server {
        let path = |name: &str| self.folder.path().join(name);
        let mut command = Command::new(program("implement_and_review"));
        command
            .env("HOME", path("home"))
            .env("PATH", self.machine_path())
            .env("TMPDIR", self.folder.path())
            .env(fake_claude::PLAN_VARIABLE, self.plan())
            .arg("--data")
            .arg(self.data())
            .arg("--directory")
            .arg(path("project"))
            .arg("--agent-path")
            .arg(fake_claude::program())
            .stdout(Stdio::null())
            .stderr(Stdio::inherit());
        if resume {
            command.arg("--resume");
        }
        if let Some(crash) = crash {
            command.env("SUREFIRE_CRASH_AT", crash);
        }
        Server { child: command.spawn().expect("the server starts") }
    }

    /// Removes the locks that killed git processes left behind, as git asks a person to do. While
    /// they are there, no later commit succeeds.
    pub(crate) fn remove_git_locks(&self) {
        let mut directories = vec![self.folder("project/.git")];
        while let Some(directory) = directories.pop() {
            for entry in std::fs::read_dir(directory).expect("it is a repository") {
                let path = entry.expect("it is a repository").path();
                if path.is_dir() {
                    directories.push(path);
                } else if path.extension().is_some_and(|extension| extension == "lock") {
                    // Git may remove it at the same moment.
                    let _ = std::fs::remove_file(path);
                }
            }
        }
    }

    /// The processes of the fake CLI that work here, found without the server's help.
    pub(crate) fn agents(&self) -> Vec<i32> {
        let mark = format!("{}={}", fake_claude::PLAN_VARIABLE, self.plan().display());
        let marked = |pid: &i32| {
            let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            let has = |name: &[u8]| {
                environment.split(|byte| *byte == 0).any(|pair| pair.starts_with(name))
            };
            has(mark.as_bytes()) && has(b"SUREFIRE_ATTEMPT=")
        };
        let entries = std::fs::read_dir("/proc").expect("this is Linux");
        let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        pids.filter(marked).collect()
    }
}

pub(crate) struct Server {
    child: Child,
}

impl Server {
    pub(crate) fn of(child: Child) -> Self {
        Self { child }
    }

    pub(crate) fn is_alive(&mut self) -> bool {
        self.child.try_wait().expect("it is our child").is_none()
    }

    /// Kills it, and returns whether it was still running.
    pub(crate) fn kill(mut self) -> bool {
        let alive = self.child.try_wait().expect("it is our child").is_none();
        let _ = self.child.kill();
        let _ = self.child.wait();
        alive
    }

    /// Waits for its end; a server that runs for a minute is stuck.
    pub(crate) fn wait(mut self) -> ExitStatus {
        for _ in 0..12_000 {
            if let Some(status) = self.child.try_wait().expect("it is our child") {
                return status;
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let _ = self.child.kill();
        panic!("the server does not end");
    }
}

/// An example. The first call builds the examples with crash points, into the directory of this
/// test.
pub(crate) fn program(name: &str) -> PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let own = std::env::current_exe().expect("a running test has a path");
        let profile = own.parent().and_then(Path::parent).expect("a test lies in `<profile>/deps`");
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut build = Command::new(cargo);
        build.args([
            "build",
            "--quiet",
            "--offline",
            "--features",
            "__crash-points",
            "--manifest-path",
        ]);
        build.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"));
        build.args(EXAMPLES.iter().flat_map(|example| ["--example", example]));
        build
            .arg("--target-dir")
            .arg(profile.parent().expect("a profile is in the target directory"));
        if profile.ends_with("release") {
            build.arg("--release");
        }
        assert!(
            build.status().expect("cargo can be run").success(),
            "the examples cannot be built"
        );
        // Copies, so that a rebuild of the examples does not replace them during the tests.
        let (examples, copies) = (profile.join("examples"), profile.join("examples/for-faults"));
        std::fs::create_dir_all(&copies).expect("there is room");
        for example in EXAMPLES {
            let fresh = copies.join(format!("{example}-{}", std::process::id()));
            std::fs::copy(examples.join(example), &fresh).expect("there is room");
            std::fs::rename(&fresh, copies.join(example)).expect("it is in the same directory");
        }
        copies
    });
    folder.join(name)
}
