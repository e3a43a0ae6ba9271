//! The cost of driving runs: a thousand runs with an agent that answers at once, two at a time,
//! compared with bare SQLite commits on the same disk in the same benchmark run.
//!
//! `engine_runs [<folder>]` works in a fresh folder in that one, or in the system's folder for
//! temporary files. It has to be on a disk: if a sync costs nothing, there is nothing to compare.

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use surefire::agent::{
    Agent, AgentInfo, BoxFuture, Failure, Reply, Turn, TurnContext, UnknownModel,
};
use surefire::engine::{Engine, Options, Start};
use surefire::store::{Sqlite, Store};
use surefire_benches::written::Written;
use surefire_testkit::unproved;

const RUNS: usize = 1000;
/// The runs are divided into this many parts, with bare commits measured between them.
const PARTS: usize = 10;
/// A start, and three steps: implement, review, commit. Each is one transaction.
const COMMITS_A_RUN: usize = 4;
const BARE: usize = 400;
const MIN_RATIO: f64 = 0.55;

/// Reports each step's first outcome, at once.
struct Instantly;

impl Agent for Instantly {
    fn about(&self) -> AgentInfo {
        AgentInfo::new("instantly").rehearsal(true)
    }

    fn knows_model(&self, _model: &str) -> Result<(), UnknownModel> {
        Ok(())
    }

    fn turn(&self, turn: Turn, _link: TurnContext) -> BoxFuture<Result<Reply, Failure>> {
        Box::pin(async move {
            let offered = turn.prompt.rsplit("for this step: ").next().unwrap_or_default();
            let first = offered.split(',').next().unwrap_or_default();
            Ok(Reply::new(format!("Done.\n{{\"outcome\": \"{first}\"}}")))
        })
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    let folder = std::env::args_os().nth(1).map_or_else(std::env::temp_dir, Into::into);
    match measure(&folder).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

async fn measure(below: &Path) -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir_in(below)?;
    let project = folder.path().canonicalize()?;
    let store: Arc<dyn Store> = Arc::new(Sqlite::open(&folder.path().join("data"))?.store);
    let mut options =
        Options::new(unproved(), Arc::new(Instantly), store, folder.path().join("data"));
    options.roots = vec![project.clone()];
    let engine = Engine::open(options).await?;
    let bare = bare(&folder.path().join("bare.db"))?;

    let (mut ours, mut theirs) = (Duration::ZERO, Duration::ZERO);
    let (mut ours_wrote, mut theirs_wrote) = (Written::default(), Written::default());
    for _ in 0..PARTS {
        let (begun, before) = (Instant::now(), Written::so_far());
        commit(&bare)?;
        theirs += begun.elapsed();
        theirs_wrote.add_since(before);
        let (begun, before) = (Instant::now(), Written::so_far());
        two_at_a_time(&engine, &project, RUNS / PARTS).await?;
        ours += begun.elapsed();
        ours_wrote.add_since(before);
    }
    let bare_rate = (PARTS * BARE) as f64 / theirs.as_secs_f64();
    let rate = (RUNS * COMMITS_A_RUN) as f64 / ours.as_secs_f64();
    println!(
        "{RUNS} runs of implement-and-review, two at a time, {COMMITS_A_RUN} durable commits each:\n"
    );
    println!("| contender | commits/s | ratio | writes per commit | KB per commit |");
    println!("|---|--:|--:|--:|--:|");
    let (ours_wrote, theirs_wrote) =
        (ours_wrote.a_commit(RUNS * COMMITS_A_RUN), theirs_wrote.a_commit(PARTS * BARE));
    println!("| bare SQLite, one row of 100 bytes | {bare_rate:.0} | | {theirs_wrote} |");
    println!("| the engine | {rate:.0} | {:.2} | {ours_wrote} |", rate / bare_rate);
    println!("\n{:.0} runs per second", RUNS as f64 / ours.as_secs_f64());
    println!(
        "the goal is at least {MIN_RATIO}; a bare commit takes {:.0} µs here",
        1e6 / bare_rate
    );
    Ok(())
}

async fn two_at_a_time(engine: &Engine, project: &Path, runs: usize) -> Result<(), Box<dyn Error>> {
    let worker = |runs: usize| {
        let (engine, project) = (engine.clone(), project.to_owned());
        tokio::spawn(async move {
            for _ in 0..runs {
                let started = engine.start(Start::new("implement-and-review", &project)).await;
                let started = started.map_err(|error| error.to_string())?;
                let ending = engine
                    .wait_until_ended(started.run)
                    .await
                    .map_err(|error| error.to_string())?;
                if ending.reason != "task-committed" {
                    return Err(format!("a run ended with {}", ending.reason));
                }
            }
            Ok(())
        })
    };
    let (one, other) = (worker(runs / 2), worker(runs - runs / 2));
    one.await??;
    other.await??;
    Ok(())
}

fn bare(path: &Path) -> Result<Connection, Box<dyn Error>> {
    let connection = Connection::open(path)?;
    connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "full")?;
    connection
        .execute_batch("CREATE TABLE events (place INTEGER PRIMARY KEY, body TEXT NOT NULL)")?;
    Ok(connection)
}

fn commit(bare: &Connection) -> Result<(), Box<dyn Error>> {
    let mut insert = bare.prepare("INSERT INTO events (body) VALUES (?1)")?;
    let row = "x".repeat(100);
    for _ in 0..BARE {
        insert.execute([&row])?;
    }
    Ok(())
}
