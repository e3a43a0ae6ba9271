//! Prints what the `surefire` command costs before it does anything: its size, and how long it
//! takes to start.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// How often each command is started, alternating with the process it is compared with.
const STARTS: usize = 200;

/// The commands. All of them exit by themselves, and none opens a store or a socket.
const COMMANDS: [&[&str]; 4] =
    [&["--version"], &["recipes"], &["show", "refine-design"], &["run", "--help"]];

fn main() -> ExitCode {
    match measure() {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("the command could not be measured: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn measure() -> Result<(), Box<dyn std::error::Error>> {
    let program = build()?;
    let size = std::fs::metadata(&program)?.len();
    println!("The release binary has {}.{} MB.\n", size / 1_000_000, size / 100_000 % 10);
    println!("| command | median | 95 % | an empty process, median |");
    println!("|---|---|---|---|");
    for words in COMMANDS {
        let (mut own, mut empty) = (Vec::new(), Vec::new());
        for _ in 0..STARTS {
            own.push(start(&program, words)?);
            empty.push(start(Path::new("true"), &[])?);
        }
        let words = words.join(" ");
        println!(
            "| `surefire {words}` | {} | {} | {} |",
            at(&mut own, 50),
            at(&mut own, 95),
            at(&mut empty, 50)
        );
    }
    Ok(())
}

/// Builds the command as users run it.
fn build() -> Result<PathBuf, Box<dyn std::error::Error>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .args(["build", "--quiet", "--release", "-p", "surefire", "--bin", "surefire"])
        .status()?;
    if !built.success() {
        return Err("it cannot be built".into());
    }
    let own = std::env::current_exe()?;
    let target = own.ancestors().nth(2).ok_or("this program is not in a target folder")?;
    Ok(target.join("release/surefire"))
}

fn start(program: &Path, words: &[&str]) -> std::io::Result<Duration> {
    let begun = Instant::now();
    let mut command = Command::new(program);
    let status = command
        .args(words)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    let took = begun.elapsed();
    if status.success() {
        Ok(took)
    } else {
        Err(std::io::Error::other(format!("{program:?} ends with {status}")))
    }
}

/// The percentile of the durations.
fn at(durations: &mut [Duration], percent: usize) -> String {
    durations.sort_unstable();
    let index = (durations.len() * percent / 100).min(durations.len() - 1);
    format!("{:.1} ms", durations[index].as_secs_f64() * 1000.0)
}
