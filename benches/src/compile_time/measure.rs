//! The compile time of one crate, with its dependencies already built.
//!
//! It is the processor time, not the elapsed time, and the minimum of several repetitions, so that
//! other load on the machine matters little. Incremental compilation is off, or the second
//! repetition would do nothing.

use std::fs;
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::Contender;

/// Limits of the measurement.
pub struct Limits {
    /// How often each crate is checked.
    pub repetitions: usize,
    /// The timeout of one check, in elapsed time.
    pub timeout: Duration,
}

/// One contender at one size.
pub struct Measured {
    pub contender: &'static Contender,
    pub steps: usize,
    /// Seconds of processor time, or why there is no result.
    pub seconds: Result<f64, String>,
}

/// Measures each contender at each size, in a folder that is removed afterwards.
///
/// Each repetition covers all crates, so that a slow minute of the machine does not affect only one
/// row.
pub fn measure(plan: &[(&'static Contender, usize)], limits: &Limits) -> io::Result<Vec<Measured>> {
    let folder = Folder::new()?;
    let mut measured = Vec::new();
    for (contender, steps) in plan {
        eprintln!("preparing {} with {steps} steps", contender.name);
        let package = Package::new(&folder.0, contender, *steps);
        let seconds = package.build_dependencies()?.map(|()| f64::INFINITY);
        measured.push((package, Measured { contender, steps: *steps, seconds }));
    }
    for round in 1..=limits.repetitions {
        eprintln!("round {round} of {}", limits.repetitions);
        for (package, row) in &mut measured {
            if let Ok(best) = row.seconds {
                row.seconds = package.check(limits.timeout)?.map(|seconds| best.min(seconds));
            }
        }
    }
    Ok(measured.into_iter().map(|(_, row)| row).collect())
}

/// A folder outside the repository, so that its crates do not belong to the workspace.
struct Folder(PathBuf);

impl Folder {
    fn new() -> io::Result<Self> {
        let path =
            std::env::temp_dir().join(format!("surefire-compile-time-{}", std::process::id()));
        fs::create_dir_all(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(problem) = fs::remove_dir_all(&self.0) {
            eprintln!("{} could not be removed: {problem}", self.0.display());
        }
    }
}

/// A crate on disk.
struct Package {
    path: PathBuf,
    target: PathBuf,
    manifest: String,
    source: String,
}

impl Package {
    fn new(folder: &Path, contender: &Contender, steps: usize) -> Self {
        let name = format!("{}-{steps}", contender.name);
        Self {
            manifest: format!(
                "[package]\nname = \"big-{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
                 [workspace]\n\n[dependencies]\n{}",
                (contender.dependencies)()
            ),
            source: (contender.source)(steps),
            path: folder.join(name),
            // Shared by all crates, so that a dependency is built once.
            target: folder.join("target"),
        }
    }

    /// Checks the crate while it is still empty.
    fn build_dependencies(&self) -> io::Result<Result<(), String>> {
        fs::create_dir_all(self.path.join("src"))?;
        fs::write(self.path.join("Cargo.toml"), &self.manifest)?;
        fs::write(self.path.join("src/lib.rs"), "")?;
        let output = self.cargo_check().output()?;
        if output.status.success() {
            return Ok(Ok(()));
        }
        Ok(Err(self.complaint("its dependencies don't build")?))
    }

    /// The processor time of one check, or why there is none.
    fn check(&self, timeout: Duration) -> io::Result<Result<f64, String>> {
        fs::write(self.path.join("src/lib.rs"), &self.source)?;
        let mut command = self.cargo_check();
        // A separate process group, so that a timeout kills the compiler and not only its parents.
        let mut child = command.process_group(0).stderr(Stdio::piped()).spawn()?;
        let deadline = Instant::now() + timeout;
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if Instant::now() > deadline {
                Command::new("kill").args(["-KILL", "--", &format!("-{}", child.id())]).status()?;
                child.wait()?;
                return Ok(Err(format!("skipped: takes longer than {} s", timeout.as_secs())));
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        if !status.success() {
            return Ok(Err(self.complaint("does not compile")?));
        }
        let mut times = String::new();
        if let Some(mut stderr) = child.stderr.take() {
            stderr.read_to_string(&mut times)?;
        }
        let parts: Result<Vec<f64>, _> = times.split_whitespace().map(str::parse).collect();
        Ok(parts.map(|parts| parts.iter().sum()).map_err(|_| format!("no times in {times:?}")))
    }

    /// `cargo check` through the shell's `time`, which adds up user and system time of all
    /// children.
    fn cargo_check(&self) -> Command {
        let mut command = Command::new("bash");
        command
            .args(["-c", r#"TIMEFORMAT="%3U %3S"; time cargo check --quiet 2> complaint.txt"#])
            .current_dir(&self.path)
            .env("CARGO_TARGET_DIR", &self.target)
            .env("CARGO_INCREMENTAL", "0")
            .env("LC_ALL", "C");
        command
    }

    /// `what`, with the first error line of cargo or the compiler.
    fn complaint(&self, what: &str) -> io::Result<String> {
        let output = fs::read_to_string(self.path.join("complaint.txt"))?;
        let first = output.lines().find(|line| line.starts_with("error")).unwrap_or_default();
        Ok(format!("{what}: {first}"))
    }
}
