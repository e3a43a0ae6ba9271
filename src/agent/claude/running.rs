//! A process of ours: started in a group of its own, stopped with everything it started, and always collected.

use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::identity::{identify, is_running, is_still_there, number};
use super::options::ClaudeSettings;
use super::sweep::sweep;
use crate::agent::Process;

/// How often a process that is being stopped is looked at.
const LOOK: Duration = Duration::from_millis(5);

/// How long a killed process may take to vanish before it is no longer waited for: the system may hold it, in a read
/// from a dead disk, say.
const VANISHING: Duration = Duration::from_secs(5);

/// A running process. Unless it was let go or finished, dropping this kills it and all that it started.
#[derive(Debug)]
pub(super) struct Running {
    process: Process,
    attempt: Uuid,
    /// Ours to collect; `None` for a process that was started by a server before this one.
    child: Option<Child>,
    armed: bool,
}

/// What a process is started with.
pub(super) struct Start<'a> {
    pub(super) program: &'a Path,
    pub(super) arguments: &'a [std::ffi::OsString],
    pub(super) environment: Vec<(std::ffi::OsString, std::ffi::OsString)>,
    pub(super) directory: &'a Path,
    pub(super) stdout: File,
    pub(super) stderr: File,
    pub(super) attempt: Uuid,
}

impl Running {
    /// Starts a process, and gives back the end of the pipe that is its standard input.
    pub(super) fn start(start: Start<'_>) -> io::Result<(Self, ChildStdin)> {
        let mut command = Command::new(start.program);
        command.args(start.arguments).env_clear().envs(start.environment).current_dir(start.directory);
        command.stdin(Stdio::piped()).stdout(start.stdout).stderr(start.stderr).process_group(0);
        let mut child = command.spawn()?;
        let pid = i32::try_from(child.id()).map_err(io::Error::other)?;
        let stdin = child.stdin.take();
        // A process that ended at once waits to be collected and has no start time any more; it needs none either.
        let process = identify(pid).unwrap_or(Process { pid, started: "ended".to_owned() });
        let running = Self { process, attempt: start.attempt, child: Some(child), armed: true };
        let stdin = stdin.ok_or_else(|| io::Error::other("there is no pipe to its standard input"))?;
        Ok((running, stdin))
    }

    /// Takes over a process that somebody else started, if it is still there.
    pub(super) fn adopt(process: Process, attempt: Uuid) -> Option<Self> {
        is_running(&process).then(|| Self { process, attempt, child: None, armed: true })
    }

    pub(super) fn process(&self) -> &Process {
        &self.process
    }

    /// Whether it has ended. It is not collected yet: until then nobody else can get its number, and with it its group.
    pub(super) fn has_ended(&self) -> bool {
        if self.child.is_none() {
            return !is_still_there(&self.process);
        }
        let Some(pid) = number(self.process.pid) else { return true };
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(pid), look), Ok(None))
    }

    /// Asks it to stop, first kindly, and ends it with all that it started.
    pub(super) async fn stop(self, settings: &ClaudeSettings, hurry: &CancellationToken) {
        for signal in [Signal::INT, Signal::TERM] {
            self.signal(signal);
            if self.ends_within(settings, hurry).await {
                break;
            }
        }
        self.finish().await;
    }

    /// Ends what is left of it, collects it, and says how it ended where that can be known.
    pub(super) async fn finish(mut self) -> Option<ExitStatus> {
        self.signal(Signal::KILL);
        let begun = tokio::time::Instant::now();
        while !self.has_ended() && begun.elapsed() < VANISHING {
            tokio::time::sleep(LOOK).await;
        }
        let status = self.child.as_mut().and_then(|child| child.try_wait().ok().flatten());
        if status.is_some() {
            self.child = None;
        }
        self.armed = false;
        let attempt = self.attempt;
        // It can fail only while the runtime goes down, and then the next start sweeps.
        let _ = tokio::task::spawn_blocking(move || sweep(attempt)).await;
        status
    }

    /// Lets it go on alone.
    pub(super) fn leave(mut self) {
        self.armed = false;
    }

    async fn ends_within(&self, settings: &ClaudeSettings, hurry: &CancellationToken) -> bool {
        let begun = tokio::time::Instant::now();
        loop {
            if self.has_ended() {
                return true;
            }
            // Asked each time: whoever stops it may become impatient on the way.
            let grace = if hurry.is_cancelled() { settings.hurried_grace } else { settings.grace };
            if begun.elapsed() >= grace {
                return false;
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Signals the whole group. A group is named by its first process, so it is signalled only while that one has not
    /// been collected; later the number may belong to somebody else.
    fn signal(&self, signal: Signal) {
        let ours = self.child.is_some() || is_running(&self.process);
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
        let (child, attempt, armed) = (self.child.take(), self.attempt, self.armed);
        if child.is_none() && !armed {
            return;
        }
        // Collecting may take a moment, or as long as a process that was left to itself works; this thread cannot wait.
        let collect = move || {
            if let Some(mut child) = child {
                let _ = child.wait();
            }
            if armed {
                sweep(attempt);
            }
        };
        let _ = std::thread::Builder::new().name("surefire-collect".to_owned()).spawn(collect);
    }
}
