//! A process that runs: it is signalled as a group, stopped with everything it started, and always collected.

use std::io;
use std::process::{Child, ChildStdin, ExitStatus};
use std::time::Duration;

use rustix::process::{Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio_util::sync::CancellationToken;

use super::command::Command;
use super::files::{Files, Fresh};
use super::identity::{Process, number};
use super::limits::Limits;
use super::mark::Mark;
use super::sweep::{sweep, sweep_blocking};

/// How often a process that is being stopped is looked at.
const STOP_POLL_INTERVAL: Duration = Duration::from_millis(5);

/// How long a killed process may take to vanish before it is no longer waited for: the system may hold it, in a read
/// from a dead disk, say.
const VANISH_TIMEOUT: Duration = Duration::from_secs(5);

/// A running process. Unless it was detached or finished, dropping this kills it and all that it started.
#[derive(Debug)]
pub(super) struct Running {
    process: Process,
    mark: Mark,
    /// Ours to collect; `None` for a process that an earlier supervisor started.
    child: Option<Child>,
    armed: bool,
}

impl Running {
    /// Starts a process, and gives back the end of the pipe that is its standard input.
    pub(super) fn start(command: &Command, files: &Files, fresh: Fresh) -> io::Result<(Self, ChildStdin)> {
        let mut child = command.spawn(files, fresh)?;
        let pid = i32::try_from(child.id()).map_err(io::Error::other)?;
        let stdin = child.stdin.take();
        // A process that ended at once waits to be collected and has no start time any more; it needs none either.
        let process = Process::identify(pid).unwrap_or(Process { pid, started: "ended".to_owned() });
        let running = Self { process, mark: command.mark(), child: Some(child), armed: true };
        let stdin = stdin.ok_or_else(|| io::Error::other("there is no pipe to its standard input"))?;
        Ok((running, stdin))
    }

    /// Takes over a process that an earlier supervisor started, if it is still there.
    pub(super) fn adopt(process: Process, mark: Mark) -> Option<Self> {
        process.is_running().then(|| Self { process, mark, child: None, armed: true })
    }

    pub(super) const fn process(&self) -> &Process {
        &self.process
    }

    /// Whether it has ended. It is not collected yet: until then its number, and with it its group's, is not given to
    /// another process.
    pub(super) fn has_ended(&self) -> bool {
        if self.child.is_none() {
            return !self.process.still_exists();
        }
        let Some(pid) = number(self.process.pid) else { return true };
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(pid), look), Ok(None))
    }

    /// Asks it to stop, first kindly, and ends it with all that it started.
    pub(super) async fn stop(self, limits: &Limits, fast_stop: &CancellationToken) {
        for signal in [Signal::INT, Signal::TERM] {
            self.signal(signal);
            if self.ends_within_grace(limits, fast_stop).await {
                break;
            }
        }
        self.finish().await;
    }

    /// Ends what is left of it, collects it, and says how it ended where that can be known.
    pub(super) async fn finish(mut self) -> Option<ExitStatus> {
        self.signal(Signal::KILL);
        let begun = tokio::time::Instant::now();
        while !self.has_ended() && begun.elapsed() < VANISH_TIMEOUT {
            tokio::time::sleep(STOP_POLL_INTERVAL).await;
        }
        let status = self.child.as_mut().and_then(|child| child.try_wait().ok().flatten());
        if status.is_some() {
            self.child = None;
        }
        self.armed = false;
        sweep(self.mark).await;
        status
    }

    /// Lets it run on alone.
    pub(super) fn detach(mut self) {
        self.armed = false;
    }

    async fn ends_within_grace(&self, limits: &Limits, fast_stop: &CancellationToken) -> bool {
        let begun = tokio::time::Instant::now();
        loop {
            if self.has_ended() {
                return true;
            }
            // Asked each time: the stop may become a fast one on the way.
            let grace = if fast_stop.is_cancelled() { limits.fast_stop_grace } else { limits.stop_grace };
            if begun.elapsed() >= grace {
                return false;
            }
            tokio::time::sleep(STOP_POLL_INTERVAL).await;
        }
    }

    /// Signals the whole group. A group is named by its first process, so it is signalled only while that one has not
    /// been collected; later the number may belong to another process.
    fn signal(&self, signal: Signal) {
        let ours = self.child.is_some() || self.process.is_running();
        if let Some(group) = number(self.process.pid).filter(|_| ours) {
            // The group may be empty by now, which is what is wanted.
            let _ = kill_process_group(group, signal);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.armed {
            self.signal(Signal::KILL);
        }
        let (child, mark, armed) = (self.child.take(), self.mark, self.armed);
        if child.is_none() && !armed {
            return;
        }
        // Collecting may take a moment, or as long as a detached process works; this thread cannot wait.
        let collect = move || {
            if let Some(mut child) = child {
                let _ = child.wait();
            }
            if armed {
                sweep_blocking(mark);
            }
        };
        let _ = std::thread::Builder::new().name("surefire-collect".to_owned()).spawn(collect);
    }
}
