//! Prints what reading a reply costs: instructions, counted by callgrind, and time.
//!
//! Each reply is created twice in a process under callgrind, once without reading it and once with.
//! The difference is the cost of reading, which does not depend on how busy the machine is. The
//! time is measured without callgrind, and is the minimum of several.

use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use surefire::outcome::read_among;

const NAMES: [&str; 3] = ["complete", "blocked", "other"];
const ANSWER: &str = "\nDone.\n{\"outcome\": \"complete\"}\n";
const MEGABYTE: usize = 1_000_000;

/// A kind of reply, and what it is read as: an outcome, or the kind of the problem.
struct Case {
    name: &'static str,
    read_as: &'static str,
    make: fn() -> String,
}

const CASES: [Case; 9] = [
    Case { name: "typical, 10 KB", read_as: "complete", make: || prose(10_000) + ANSWER },
    Case {
        name: "answer at the end of 10 MB",
        read_as: "complete",
        make: || prose(10 * MEGABYTE) + ANSWER,
    },
    Case {
        name: "answer after 10 MB of decoys",
        read_as: "complete",
        make: || repeated("{\"a\":1}", 10 * MEGABYTE) + ANSWER,
    },
    Case {
        name: "answer before 10 MB of decoys",
        read_as: "complete",
        make: || ANSWER.to_owned() + &repeated("{\"a\":1}", 10 * MEGABYTE),
    },
    Case {
        name: "10 MB of decoys",
        read_as: "no-outcome",
        make: || repeated("{\"a\":1}", 10 * MEGABYTE),
    },
    Case { name: "10 MB of prose", read_as: "no-json", make: || prose(10 * MEGABYTE) },
    Case {
        name: "answer before 1 MB of `{`",
        read_as: "not-json",
        make: || ANSWER.to_owned() + &repeated("{", MEGABYTE),
    },
    Case { name: "1 MB of `{`", read_as: "not-json", make: || repeated("{", MEGABYTE) },
    Case {
        name: "10 MB of `{\"outcome\":`",
        read_as: "not-json",
        make: || repeated("{\"outcome\":", 10 * MEGABYTE),
    },
];

fn prose(length: usize) -> String {
    repeated("It's done: see `src/main.rs`, where { and \" are \"fine\" now.\n", length)
}

fn repeated(piece: &str, length: usize) -> String {
    piece.repeat(length / piece.len())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.as_slice() {
        [] => table(),
        [case, times] => read(case, times),
        _ => Err("usage: read_reply [<number of a case> <how often to read it>]".to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

fn table() -> Result<(), String> {
    if cfg!(debug_assertions) {
        return Err("build it with --release: what is measured is what users get".to_owned());
    }
    println!("| reply | bytes | instructions | per byte | time | read as |");
    println!("|---|--:|--:|--:|--:|---|");
    for (index, case) in CASES.iter().enumerate() {
        let reply = (case.make)();
        let read_as = read_as(&reply);
        if read_as != case.read_as {
            return Err(format!(
                "`{}` is read as `{read_as}`, not as `{}`",
                case.name, case.read_as
            ));
        }
        let instructions = instructions(index, 1)?.saturating_sub(instructions(index, 0)?);
        println!(
            "| {} | {} | {instructions} | {:.2} | {:.1?} | {read_as} |",
            case.name,
            reply.len(),
            instructions as f64 / reply.len() as f64,
            time(&reply),
        );
    }
    Ok(())
}

fn read_as(reply: &str) -> &'static str {
    read_among(reply, &NAMES).map_or_else(|unread| unread.kind(), |reading| reading.outcome)
}

fn time(reply: &str) -> Duration {
    let once = || {
        let start = Instant::now();
        std::hint::black_box(read_as(std::hint::black_box(reply)));
        start.elapsed()
    };
    (0..10).map(|_| once()).min().unwrap_or_default()
}

/// The instructions of a process that creates the reply, and reads it this many times.
fn instructions(case: usize, times: u32) -> Result<u64, String> {
    let binary = std::env::current_exe().map_err(|problem| problem.to_string())?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(binary)
        .args([case.to_string(), times.to_string()])
        .output()
        .map_err(|problem| {
            format!("valgrind counts the instructions, and could not start: {problem}")
        })?;
    let report = String::from_utf8_lossy(&output.stderr);
    report
        .lines()
        .find_map(|line| line.split("Collected :").nth(1)?.trim().parse().ok())
        .ok_or_else(|| format!("callgrind counted nothing:\n{report}"))
}

/// What runs under callgrind.
fn read(case: &str, times: &str) -> Result<(), String> {
    let case = case
        .parse()
        .ok()
        .and_then(|index: usize| CASES.get(index))
        .ok_or("there is no such case")?;
    let reply = (case.make)();
    for _ in 0..times.parse().map_err(|_| format!("`{times}` is not a number"))? {
        std::hint::black_box(read_as(std::hint::black_box(&reply)));
    }
    Ok(())
}
