//! A running process: signalled as a group, stopped with everything it started, and always reaped.

use std::io;
use std::process::{Child, ChildStdin, ExitStatus};
use std::time::Duration;

use rustix::process::{Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::cancel_token::CancelToken;
use super::command::Command;
use super::files::{Files, NewFiles};
use super::identity::{ProcessIdentity, system_pid};
use super::limits::ProcessLimits;
use super::mark::ProcessMark;
use super::sweep::{sweep, sweep_blocking};

/// How often a process that is being stopped is polled.
const STOP_POLL_INTERVAL: Duration = Duration::from_millis(5);

/// How long to wait for a killed process to disappear: the system may hold it, for example in a
/// read from a dead disk.
const VANISH_TIMEOUT: Duration = Duration::from_secs(5);

/// A running process. Unless it was detached or finished, dropping this kills it and everything
/// that it started.
#[derive(Debug)]
pub(super) struct Running {
    process: ProcessIdentity,
    mark: ProcessMark,
    /// The child to reap; `None` for a process that an earlier supervisor started.
    child: Option<Child>,
    kills_on_drop: bool,
}

impl Running {
    /// Starts a process, and returns the pipe to its standard input.
    pub(super) fn start(
        command: &Command,
        files: &Files,
        new_files: NewFiles,
    ) -> io::Result<(Self, ChildStdin)> {
        let mut child = command.spawn(files, new_files)?;
        let pid = i32::try_from(child.id()).map_err(io::Error::other)?;
        let stdin = child.stdin.take();
        // A process that ended at once is a zombie without a start time. It needs none.
        let process = ProcessIdentity::identify(pid)
            .unwrap_or(ProcessIdentity { pid, started: "ended".to_owned() });
        let running =
            Self { process, mark: command.mark(), child: Some(child), kills_on_drop: true };
        let stdin = stdin
            .ok_or_else(|| io::Error::other("the process has no pipe for its standard input"))?;
        Ok((running, stdin))
    }

    /// Adopts a process that an earlier supervisor started, if it still exists.
    pub(super) fn adopt(process: ProcessIdentity, mark: ProcessMark) -> Option<Self> {
        process.is_running().then(|| Self { process, mark, child: None, kills_on_drop: true })
    }

    pub(super) const fn process(&self) -> &ProcessIdentity {
        &self.process
    }

    /// Whether it has ended. This does not reap it: until then, its pid and group id are not
    /// reused.
    pub(super) fn has_ended(&self) -> bool {
        if self.child.is_none() {
            return !self.process.still_exists();
        }
        let Some(pid) = system_pid(self.process.pid) else { return true };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(pid), options), Ok(None))
    }

    /// Interrupts the process first, and then kills it with everything that it started.
    pub(super) async fn stop(self, limits: &ProcessLimits, fast_stop: &CancelToken) {
        for signal in [Signal::INT, Signal::TERM] {
            self.signal(signal);
            if self.ends_within_grace(limits, fast_stop).await {
                break;
            }
        }
        self.finish().await;
    }

    /// Kills the rest of its group, reaps it, and returns its exit status if that is known.
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
        self.kills_on_drop = false;
        sweep(self.mark).await;
        status
    }

    /// Leaves it running without a supervisor.
    pub(super) fn detach(mut self) {
        self.kills_on_drop = false;
    }

    async fn ends_within_grace(&self, limits: &ProcessLimits, fast_stop: &CancelToken) -> bool {
        let begun = tokio::time::Instant::now();
        loop {
            if self.has_ended() {
                return true;
            }
            // Checked each time: the stop may become a fast one meanwhile.
            let grace =
                if fast_stop.is_cancelled() { limits.fast_stop_grace } else { limits.stop_grace };
            if begun.elapsed() >= grace {
                return false;
            }
            tokio::time::sleep(STOP_POLL_INTERVAL).await;
        }
    }

    /// Signals the whole group. The group id is the pid of its leader, so nothing is signalled once
    /// the leader was reaped: the id may belong to another process by then.
    fn signal(&self, signal: Signal) {
        let is_same = self.child.is_some() || self.process.is_running();
        if let Some(group) = system_pid(self.process.pid).filter(|_| is_same) {
            // Fails harmlessly if the group is empty by now.
            let _ = kill_process_group(group, signal);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.kills_on_drop {
            self.signal(Signal::KILL);
        }
        let (child, mark, kills_on_drop) = (self.child.take(), self.mark, self.kills_on_drop);
        if child.is_none() && !kills_on_drop {
            return;
        }
        // Reaping may take as long as a detached process works, so it needs a thread of its own.
        let collect = move || {
            if let Some(mut child) = child {
                let _ = child.wait();
            }
            if kills_on_drop {
                sweep_blocking(mark);
            }
        };
        let _ = std::thread::Builder::new().name("surefire-collect".to_owned()).spawn(collect);
    }
}
