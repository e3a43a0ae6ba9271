//! The cost of serving: our server compared with a stock warp echo server, on loopback, in one run.
//!
//! `server_load [--only <part>] [<folder>]` starts each server as a separate process, so that its
//! memory, CPU time and instructions can be distinguished from those of the clients, which live in
//! this process. Start reading at `servers.rs`, then one file per question.

mod all_clients;
mod answers;
mod client;
mod figures;
mod idle;
mod never_reads;
mod servers;
mod throughput;

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The number of clients, unless a part has its own.
const CLIENTS: usize = 1000;

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments.as_slice() {
        ["serve", contender, folder, pace] => {
            servers::serve(contender, Path::new(folder), pace).await
        }
        ["--only", part] => measure(&std::env::temp_dir(), Some(part)).await,
        ["--only", part, folder] => measure(Path::new(folder), Some(part)).await,
        [] => measure(&std::env::temp_dir(), None).await,
        [folder] => measure(Path::new(folder), None).await,
        _ => Err("usage: server_load [--only <part>] [<folder>]".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

async fn measure(below: &Path, only: Option<&str>) -> Result<()> {
    if cfg!(debug_assertions) {
        return Err("build it with --release: what is measured is what users get".into());
    }
    allow_many_sockets()?;
    let wanted = |part: &str| only.is_none_or(|only| only == part);
    figures::begin();
    if wanted("throughput") {
        throughput::measure(below).await?;
    }
    if wanted("instructions") {
        throughput::count_instructions(below).await?;
    }
    if wanted("idle") {
        idle::measure(below).await?;
    }
    if wanted("answers") {
        answers::measure(below).await?;
    }
    if wanted("all-clients") {
        all_clients::measure(below).await?;
    }
    if wanted("never-reads") {
        never_reads::measure(below).await?;
    }
    Ok(())
}

/// Raises the limit of open files: most shells allow 1,024, and each socket is one. The servers
/// inherit the limit.
fn allow_many_sockets() -> Result<()> {
    let maximum = getrlimit(Resource::Nofile).maximum;
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum })?;
    Ok(())
}
