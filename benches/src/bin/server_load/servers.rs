//! The two servers: how each is run in a process of its own, and what that process uses up.

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
    /// What one gets from warp's own example of a WebSocket.
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

/// What runs in the server's process, until its standard input is closed.
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
    let limits = ServerLimits {
        connections: 4 * CLIENTS,
        unauthenticated: 4 * CLIENTS,
        auth_time: Duration::from_mins(5),
        request_time: Duration::from_mins(5),
        messages_per_second: much,
        burst: much,
        silence: Duration::from_mins(60),
        ..ServerLimits::default()
    };
    let locks = folder.join("locks");
    let server = Server::builder()
        .recipes(BUNDLED)
        .agent(Arc::new(Rehearsal::new(Script::default()).pace(pace)))
        .data(folder.join("data"))
        .root(folder)
        .key(ApiKey::parse(KEY).ok_or("it is a key")?)
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

/// A server that runs. It ends when this is dropped.
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

    /// A server whose instructions are counted. It takes fifty times as long for everything.
    pub(crate) fn counted(contender: Contender, below: &Path) -> Result<Self> {
        let mut command = Command::new("valgrind");
        command
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .arg(std::env::current_exe()?)
            // Memory is cleared by an instruction that callgrind would count once for each byte; vectors are counted as such.
            .env("GLIBC_TUNABLES", "glibc.cpu.x86_rep_stosb_threshold=1000000000")
            .stderr(Stdio::piped());
        Self::spawn(command, contender, below, Duration::ZERO)
    }

    fn spawn(mut command: Command, contender: Contender, below: &Path, pace: Duration) -> Result<Self> {
        let folder = tempfile::tempdir_in(below)?;
        let mut process = command
            .args(["serve", contender.name()])
            .arg(folder.path().canonicalize()?)
            .arg(pace.as_millis().to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        BufReader::new(process.stdout.take().ok_or("it has an output")?).read_line(&mut line)?;
        let address = line.trim().parse().map_err(|_| "the server did not come up")?;
        Ok(Self { contender, address, process, folder })
    }

    /// Ends a counted server, and gives back how many instructions it took.
    pub(crate) fn instructions(mut self) -> Result<u64> {
        drop(self.process.stdin.take());
        let mut report = String::new();
        if let Some(mut stderr) = self.process.stderr.take() {
            stderr.read_to_string(&mut report)?;
        }
        let collected = report.lines().find_map(|line| line.split("Collected :").nth(1)?.trim().parse().ok());
        collected.ok_or_else(|| format!("callgrind counted nothing:\n{report}").into())
    }

    /// Resident memory, in bytes.
    pub(crate) fn memory(&self) -> Result<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("Linux tells VmRSS")?;
        Ok(line.trim().trim_end_matches(" kB").parse::<f64>()? * 1024.0)
    }

    /// The processor time so far. The kernel counts it in hundredths of a second.
    pub(crate) fn cpu(&self) -> Result<CpuTime> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.process.id()))?;
        // The name in parentheses may contain anything; utime and stime are the 12th and 13th after it.
        let mut fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11);
        let mut time = || -> Result<Duration> {
            Ok(Duration::from_millis(
                10 * fields.next().ok_or("Linux tells utime and stime")?.parse::<u64>()?,
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
