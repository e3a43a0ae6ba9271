//! The two servers: how each is run in a separate process, and what that process uses.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use futures_util::{FutureExt, StreamExt};
use surefire::agent::{Rehearsal, Script};
use surefire::recipes::BUNDLED;
use surefire::server::{ApiKey, Server, ServerLimits};
use tempfile::TempDir;
use warp::Filter;

use crate::{CLIENTS, Result};

pub(crate) const KEY: &str = "untethered-0123456789abcdef0123456789abcdef";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Contender {
    Ours,
    /// warp's own WebSocket example.
    Stock,
}

impl Contender {
    const fn name(self) -> &'static str {
        match self {
            Self::Ours => "ours",
            Self::Stock => "stock",
        }
    }
}

/// Runs in the server's process, until its standard input is closed.
pub(crate) async fn serve(contender: &str, folder: &Path, pace: &str) -> Result<()> {
    std::thread::spawn(|| {
        let _ = std::io::stdin().read(&mut [0]);
        std::process::exit(0);
    });
    if contender == Contender::Ours.name() {
        ours(folder, Duration::from_millis(pace.parse()?)).await
    } else {
        stock().await
    }
}

async fn ours(folder: &Path, pace: Duration) -> Result<()> {
    let much = 1_000_000_000;
    let limits = ServerLimits::default()
        .max_connections(4 * CLIENTS)
        .max_unauthenticated(4 * CLIENTS)
        .auth_timeout(Duration::from_secs(5 * 60))
        .request_timeout(Duration::from_secs(5 * 60))
        .messages_per_second(much)
        .message_burst(much)
        .client_timeout(Duration::from_secs(60 * 60));
    let locks = folder.join("locks");
    let server = Server::builder()
        .recipes(BUNDLED)
        .agent(Arc::new(Rehearsal::new(Script::default()).pace(pace)))
        .data(folder.join("data"))
        .root(folder)
        .key(ApiKey::parse(KEY).ok_or("the key is invalid")?)
        .listen(([127, 0, 0, 1], 0))
        .limits(limits)
        .tune(move |options| options.locks = locks)
        .bind()
        .await?;
    println!("{}", server.address());
    server.serve(std::future::pending()).await;
    Ok(())
}

async fn stock() -> Result<()> {
    let routes = warp::path::end().and(warp::ws()).map(|ws: warp::ws::Ws| {
        ws.on_upgrade(|socket| {
            let (sink, stream) = socket.split();
            stream.forward(sink).map(drop)
        })
    });
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await?;
    println!("{}", listener.local_addr()?);
    warp::serve(routes).incoming(listener).run().await;
    Ok(())
}

/// Processor time of a server's process.
#[derive(Clone, Copy)]
pub(crate) struct CpuTime {
    /// In its own code.
    pub(crate) user: Duration,
    /// In the kernel, for its calls.
    pub(crate) kernel: Duration,
}

/// A running server. Dropping this stops it.
pub(crate) struct Serving {
    pub(crate) contender: Contender,
    pub(crate) address: SocketAddr,
    process: Child,
    pub(crate) folder: TempDir,
}

impl Serving {
    pub(crate) fn start(contender: Contender, below: &Path) -> Result<Self> {
        Self::paced(contender, below, Duration::ZERO)
    }

    /// A server whose agent takes this long for a turn.
    pub(crate) fn paced(contender: Contender, below: &Path, pace: Duration) -> Result<Self> {
        Self::spawn(Command::new(std::env::current_exe()?), contender, below, pace)
    }

    /// A server whose instructions are counted. It is about fifty times slower.
    pub(crate) fn counted(contender: Contender, below: &Path) -> Result<Self> {
        let mut command = Command::new("valgrind");
        command
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .arg(std::env::current_exe()?)
            // glibc would clear memory with an instruction that callgrind counts once per byte;
            // vector instructions are counted once each.
            .env("GLIBC_TUNABLES", "glibc.cpu.x86_rep_stosb_threshold=1000000000")
            .stderr(Stdio::piped());
        Self::spawn(command, contender, below, Duration::ZERO)
    }

    fn spawn(
        mut command: Command,
        contender: Contender,
        below: &Path,
        pace: Duration,
    ) -> Result<Self> {
        let folder = tempfile::tempdir_in(below)?;
        let mut process = command
            .args(["serve", contender.name()])
            .arg(folder.path().canonicalize()?)
            .arg(pace.as_millis().to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        BufReader::new(process.stdout.take().ok_or("the server has no standard output")?)
            .read_line(&mut line)?;
        let address = line.trim().parse().map_err(|_| "the server did not start")?;
        Ok(Self { contender, address, process, folder })
    }

    /// Stops a counted server, and returns the number of instructions it executed.
    pub(crate) fn instructions(mut self) -> Result<u64> {
        drop(self.process.stdin.take());
        let mut report = String::new();
        if let Some(mut stderr) = self.process.stderr.take() {
            stderr.read_to_string(&mut report)?;
        }
        let collected =
            report.lines().find_map(|line| line.split("Collected :").nth(1)?.trim().parse().ok());
        collected.ok_or_else(|| format!("callgrind counted nothing:\n{report}").into())
    }

    /// Resident memory, in bytes.
    pub(crate) fn memory(&self) -> Result<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id()))?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))
            .ok_or("Linux reports no VmRSS")?;
        Ok(line.trim().trim_end_matches(" kB").parse::<f64>()? * 1024.0)
    }

    /// The processor time so far. The kernel counts it in hundredths of a second.
    pub(crate) fn cpu(&self) -> Result<CpuTime> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.process.id()))?;
        // The name in parentheses may contain anything; utime and stime are the 12th and 13th after
        // it.
        let mut fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11);
        let mut time = || -> Result<Duration> {
            Ok(Duration::from_millis(
                10 * fields.next().ok_or("Linux reports no utime and stime")?.parse::<u64>()?,
            ))
        };
        Ok(CpuTime { user: time()?, kernel: time()? })
    }

    /// How many files and sockets it has open.
    pub(crate) fn open_files(&self) -> Result<usize> {
        Ok(std::fs::read_dir(format!("/proc/{}/fd", self.process.id()))?.count())
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
