//! Prints the table of instructions per transition, counted by callgrind.
//!
//! Each contender runs twice, without transitions and with many. The difference, divided by their
//! number, is the cost of one transition: starting the process cancels out, and the figure does not
//! depend on how busy the machine is.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};

use surefire_benches::transitions::{CONTENDERS, Contender};

const TRANSITIONS: u64 = 1_000_000;

/// As a crate that depends on the library builds it: the workspace's profile is for programs.
const LIBRARY_PROFILE: &str = "profile.release.package.surefire.opt-level=3";

fn main() -> ExitCode {
    match table() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!("a ratio exceeds the limit of its row");
            ExitCode::FAILURE
        }
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

/// Prints the table and returns whether every ratio is within its limit.
fn table() -> Result<bool, String> {
    let transitions = std::env::args().nth(1).map_or(Ok(TRANSITIONS), |n| {
        n.parse()
            .ok()
            .filter(|n| *n > 0)
            .ok_or_else(|| format!("`{n}` is not a number of transitions"))
    })?;
    if Command::new("valgrind").arg("--version").output().is_err() {
        return Err(
            "valgrind is not installed; the instructions are counted with its callgrind".into()
        );
    }
    let binary = build()?;

    let mut costs = BTreeMap::new();
    let mut walks = BTreeMap::new();
    for contender in CONTENDERS {
        let cost = measure(&binary, contender, transitions)?;
        let walk =
            walks.entry(contender.group.is_static()).or_insert_with(|| cost.checksum.clone());
        if *walk != cost.checksum {
            return Err(format!(
                "`{}` walked another way: {} where {walk} was expected",
                contender.name, cost.checksum
            ));
        }
        costs.insert(contender.name, cost);
    }

    println!(
        "| contender | outcome | instructions per transition | ratio | compared with | allowed | allocations |"
    );
    println!("|---|---|--:|--:|---|--:|--:|");
    let mut all_allowed = true;
    for contender in CONTENDERS {
        let cost = &costs[contender.name];
        let ratio =
            contender.baseline.map(|baseline| cost.per_transition / costs[baseline].per_transition);
        let is_over = ratio.zip(contender.allowed).is_some_and(|(is, may)| is > may);
        all_allowed &= !is_over;
        println!(
            "| {} | {} | {:.1} | {} | {} | {}{} | {} |",
            contender.name,
            contender.group.name(),
            cost.per_transition,
            ratio.map_or("–".into(), |ratio| format!("{ratio:.2}")),
            contender.baseline.unwrap_or("–"),
            contender.allowed.map_or("–".into(), |most| format!("{most:.2}")),
            if is_over { ", exceeded" } else { "" },
            cost.allocations,
        );
    }
    Ok(all_allowed)
}

/// The cost of one contender.
struct Cost {
    per_transition: f64,
    allocations: String,
    checksum: String,
}

fn measure(binary: &Path, contender: &Contender, transitions: u64) -> Result<Cost, String> {
    let (idle, _) = count(binary, contender.name, 0)?;
    let (busy, printed) = count(binary, contender.name, transitions)?;
    let line = |word: &str| {
        printed
            .lines()
            .find_map(|line| line.strip_prefix(word))
            .map(|rest| rest.trim().to_owned())
            .ok_or_else(|| format!("`{}` did not print its {word}", contender.name))
    };
    Ok(Cost {
        per_transition: busy.saturating_sub(idle) as f64 / transitions as f64,
        allocations: line("allocations")?,
        checksum: line("checksum")?,
    })
}

/// The instructions of one process, and what it printed.
fn count(binary: &Path, contender: &str, transitions: u64) -> Result<(u64, String), String> {
    let mut command = Command::new("valgrind");
    command
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(binary)
        .args([contender, &transitions.to_string()]);
    let output = finish(&mut command)?;
    let report = String::from_utf8_lossy(&output.stderr);
    let instructions = report
        .lines()
        .find_map(|line| line.split("Collected :").nth(1))
        .and_then(|count| count.trim().parse().ok())
        .ok_or_else(|| format!("callgrind counted nothing for `{contender}`:\n{report}"))?;
    Ok((instructions, String::from_utf8_lossy(&output.stdout).into_owned()))
}

/// Builds the measured binary with optimisations, however this one was built, and returns its path.
fn build() -> Result<PathBuf, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["build", "--release", "--config", LIBRARY_PROFILE, "--bin", "transitions"])
        .arg("--message-format=json");
    let output = finish(&mut command)?;
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter(|line| line.contains(r#""name":"transitions""#))
        .find_map(|line| line.split(r#""executable":""#).nth(1)?.split('"').next())
        .map(PathBuf::from)
        .ok_or_else(|| "cargo built no binary `transitions`".into())
}

fn finish(command: &mut Command) -> Result<Output, String> {
    let output =
        command.output().map_err(|problem| format!("{command:?} could not start: {problem}"))?;
    if output.status.success() {
        return Ok(output);
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    Err(format!("{command:?} failed:\n{stderr}"))
}
