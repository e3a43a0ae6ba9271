//! The cost of a step's look-ups, compared with one `git status` of the same tree.
//!
//! `tree_lookups [<folder>]` works in a fresh folder in that one, or in the system's folder for
//! temporary files.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use surefire::gate::{CommitRange, Environment, Git, Repository, TreeSnapshot};

const FOLDERS: usize = 200;
const FILES_A_FOLDER: usize = 50;
const ROUNDS: usize = 20;
/// What a turn does in a round: the number of files that it commits, changes without a commit, and
/// leaves untracked.
const COMMITTED: usize = 5;
const CHANGED: usize = 10;
const UNTRACKED: usize = 5;
const MAX_RATIO: f64 = 3.0;

type Measured<T> = Result<T, Box<dyn Error>>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let done = match arguments.as_slice() {
        [] => measure(&std::env::temp_dir()).await,
        [folder] => measure(Path::new(folder)).await,
        _ => Err("usage: tree_lookups [<folder>]".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

/// Alternates between them, so that other load on the machine affects all of them.
async fn measure(below: &Path) -> Measured<()> {
    let folder = tempfile::tempdir_in(below)?;
    let tree = Tree::make(folder.path())?;
    let repository = tree.find(&folder.path().join("objects")).await?;
    let base = repository.baseline().await?;
    let mut windows = Vec::new();
    let (mut status, mut idle, mut busy) = (Vec::new(), Vec::new(), Vec::new());
    let mut parts = [const { Vec::new() }; 4];
    for round in 0..ROUNDS {
        status.push(tree.status()?);
        // A turn that did nothing, then one that changed, committed and added files.
        for works in [false, true] {
            let began = Instant::now();
            let before = repository.head().await?.commit;
            let head = began.elapsed();
            if works {
                tree.work(round)?;
            }
            let mut times = look(&repository, &base, &mut windows, before).await?;
            times[0] = head;
            let total: Duration = times.iter().sum();
            if works {
                busy.push(total);
                parts.iter_mut().zip(times).for_each(|(part, time)| part.push(time));
            } else {
                idle.push(total);
            }
        }
    }
    let status = median(&mut status);
    let files = FOLDERS * FILES_A_FOLDER;
    println!("{files} files, {ROUNDS} rounds, medians:\n");
    println!("{:<44} {:>8}", "git status", milliseconds(status));
    let names = ["HEAD before", "snapshot after", "changed files", "commits"];
    for (name, part) in names.iter().zip(&mut parts) {
        println!("{:<44} {:>8}", format!("  {name}"), milliseconds(median(part)));
    }
    let rows = [
        ("look-ups of a step that changed nothing", idle),
        ("look-ups of a step that worked", busy),
    ];
    for (name, mut times) in rows {
        let time = median(&mut times);
        let ratio = time.as_secs_f64() / status.as_secs_f64();
        let verdict = if ratio <= MAX_RATIO { "met" } else { "exceeded" };
        println!(
            "{name:<44} {:>8}   ratio {ratio:.2}, at most {MAX_RATIO}: {verdict}",
            milliseconds(time)
        );
    }
    Ok(())
}

/// The times of the look-ups after a turn; the first entry is for the one before it.
async fn look(
    repository: &Repository,
    base: &TreeSnapshot,
    windows: &mut Vec<CommitRange>,
    before: Option<String>,
) -> Measured<[Duration; 4]> {
    let began = Instant::now();
    let now = repository.snapshot().await?;
    let snapshot = began.elapsed();
    repository.changes(&base.tree, &now.tree).await?;
    let changes = began.elapsed();
    let commit = now.head.commit.as_deref();
    windows.push(CommitRange { before, after: now.head.commit.clone() });
    repository.commits(base.head.commit.as_deref(), commit, windows).await?;
    Ok([Duration::ZERO, snapshot, changes - snapshot, began.elapsed() - changes])
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

/// A repository with one commit of many files.
struct Tree {
    top: PathBuf,
    environment: Environment,
}

impl Tree {
    fn make(folder: &Path) -> Measured<Self> {
        let top = folder.join("project");
        std::fs::create_dir(&top)?;
        let variables = [("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1")];
        let inherited =
            std::env::vars_os().chain(variables.map(|(name, value)| (name.into(), value.into())));
        let tree = Self { top, environment: inherited.collect() };
        for folder in 0..FOLDERS {
            let folder = tree.top.join(format!("src/part{}/folder{folder}", folder % 20));
            std::fs::create_dir_all(&folder)?;
            for file in 0..FILES_A_FOLDER {
                let text = format!("fn number_{file}() {{}}\n").repeat(50);
                std::fs::write(folder.join(format!("file{file}.rs")), text)?;
            }
        }
        tree.git(&["init", "--quiet", "--initial-branch=main"])?;
        tree.git(&["add", "--all"])?;
        tree.commit("First")?;
        // Refreshed a second later: git reads every file again that is as new as the index.
        std::thread::sleep(Duration::from_millis(1100));
        tree.git(&["update-index", "--really-refresh"])?;
        Ok(tree)
    }

    async fn find(&self, objects: &Path) -> Measured<Repository> {
        let found = Git::new(&self.environment).find(&self.top, objects).await?;
        found.ok_or_else(|| "the repository is not found".into())
    }

    /// Changes, commits and adds a few files.
    fn work(&self, round: usize) -> Measured<()> {
        let write = |folder: usize, file: usize, name: &str| {
            let folder = self.top.join(format!("src/part{}/folder{folder}", folder % 20));
            std::fs::write(
                folder.join(format!("{name}{file}.rs")),
                format!("// round {round}\n").repeat(50),
            )
        };
        for file in 0..COMMITTED {
            write(file, 1, "file")?;
        }
        self.git(&["add", "--update"])?;
        self.commit("Work")?;
        for file in 0..CHANGED {
            write(10 + file, round % FILES_A_FOLDER, "file")?;
        }
        for file in 0..UNTRACKED {
            write(30, file, "new")?;
        }
        Ok(())
    }

    fn status(&self) -> Measured<Duration> {
        let began = Instant::now();
        self.git(&["status"])?;
        Ok(began.elapsed())
    }

    fn commit(&self, message: &str) -> Measured<()> {
        let person = ["-c", "user.name=A Person", "-c", "user.email=person@example.com"];
        let commit = ["commit", "--quiet", "--message", message];
        self.git(&[person.as_slice(), &commit].concat())
    }

    fn git(&self, arguments: &[&str]) -> Measured<()> {
        let mut command = Command::new("git");
        command.args(arguments).current_dir(&self.top).stdout(Stdio::null());
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        if command.status()?.success() {
            Ok(())
        } else {
            Err(format!("git {arguments:?} failed").into())
        }
    }
}
