//! Watching a process until it ends, or until there is a reason to end it.

use std::time::Duration;

use tokio::sync::mpsc::error::TrySendError;
use tokio::time::Instant;

use super::options::ClaudeSettings;
use super::output::{LineTooLong, Lines, Stderr};
use super::prompt::Handing;
use super::running::Running;
use super::transcript::Transcript;
use super::watchdog::Watchdog;
use crate::agent::{Link, TurnLimits};

/// How long a process that is to be left alone has to take the rest of its prompt.
const LEAVING: Duration = Duration::from_secs(1);

/// How many chunks are read between two looks at the clock and at the link: a process may write faster than we read.
const AT_ONCE: usize = 8;

/// Why the watching ended. Only after `Exited` is the process already gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum End {
    Exited,
    /// It has answered, and then stayed around.
    Answered,
    Stopped,
    Left,
    Silent,
    TookTooLong,
    TooMuchOutput(String),
}

/// What a process writes, and what was understood of it.
#[derive(Debug)]
pub(super) struct Output {
    lines: Option<Lines>,
    pub(super) stderr: Stderr,
    pub(super) transcript: Transcript,
    seen: (u64, u64),
}

impl Output {
    pub(super) fn open(scratch: &std::path::Path, settings: &ClaudeSettings) -> std::io::Result<Self> {
        let lines = Some(Lines::open(scratch, settings.line_cap)?);
        let stderr = Stderr::open(scratch, settings.stderr_kept)?;
        Ok(Self { lines, stderr, transcript: Transcript::default(), seen: (0, 0) })
    }

    /// The process has ended: reads the rest and passes it on.
    pub(super) async fn rest(&mut self, link: &Link, settings: &ClaudeSettings) -> End {
        loop {
            if !self.is_passed_on(link).await {
                return End::Left;
            }
            if self.has_more() {
                if let Err(end) = self.advance(settings).await {
                    return end;
                }
                continue;
            }
            self.close();
            // The last line may have said something as well.
            if self.transcript.signs.is_empty() {
                return End::Exited;
            }
        }
    }

    /// Passes on what was read, and waits for the watcher where it is slow. No, where the watcher goes away first: then the
    /// next one has to hear it.
    pub(super) async fn is_passed_on(&mut self, link: &Link) -> bool {
        while let Some(sign) = self.transcript.signs.pop_front() {
            tokio::select! {
                biased;
                sent = link.signs.send(sign) => if sent.is_err() { self.transcript.signs.clear() },
                () = link.stop.cancelled() => self.transcript.signs.clear(),
                () = link.leave.cancelled() => return false,
            }
        }
        true
    }

    /// Whether anything was written since the last look.
    fn grew(&mut self) -> bool {
        let written = (self.lines.as_ref().map_or(0, Lines::written), self.stderr.written());
        std::mem::replace(&mut self.seen, written) != written
    }

    fn has_more(&self) -> bool {
        self.lines.as_ref().is_some_and(Lines::has_more)
    }

    /// Reads one chunk. Parsing may take a while, so it happens where nobody waits for the thread.
    async fn advance(&mut self, settings: &ClaudeSettings) -> Result<(), End> {
        self.check_size(settings)?;
        let Some(mut lines) = self.lines.take() else { return Ok(()) };
        let mut transcript = std::mem::take(&mut self.transcript);
        let reading = tokio::task::spawn_blocking(move || {
            let read = lines.read(|line| transcript.hear(line));
            (lines, transcript, read)
        });
        // It fails only when the runtime goes down, and everything with it.
        let Ok((lines, transcript, read)) = reading.await else { return Err(End::Stopped) };
        (self.lines, self.transcript) = (Some(lines), transcript);
        read.map_err(|LineTooLong| {
            End::TooMuchOutput(format!("{} in one line", size(settings.line_cap as u64)))
        })
    }

    /// Keeps standard error small. Where that fails, the disk has other troubles.
    pub(super) fn trim(&mut self) {
        if let Err(error) = self.stderr.trim() {
            tracing::warn!(%error, "standard error of the agent cannot be cut");
        }
    }

    fn check_size(&self, settings: &ClaudeSettings) -> Result<(), End> {
        let written = self.lines.as_ref().map_or(0, Lines::written);
        let fits = written <= settings.output_cap;
        if fits {
            Ok(())
        } else {
            Err(End::TooMuchOutput(format!("{} of output", size(settings.output_cap))))
        }
    }

    /// The last line may have no line break behind it.
    fn close(&mut self) {
        if let Some(lines) = &mut self.lines {
            lines.last(|line| self.transcript.hear(line));
        }
    }
}

/// Everything that watching one process needs.
pub(super) struct Watch<'a> {
    pub(super) running: &'a Running,
    pub(super) output: &'a mut Output,
    /// The prompt, where it still has to be handed over.
    pub(super) handing: Option<Handing>,
    pub(super) link: &'a Link,
    pub(super) limits: TurnLimits,
    pub(super) settings: &'a ClaudeSettings,
}

impl Watch<'_> {
    /// Watches until there is something to be done.
    pub(super) async fn until_end(mut self) -> End {
        let mut watchdog = Watchdog::new(Instant::now(), self.limits, self.settings.linger);
        let mut pause = self.settings.shortest_pause;
        let mut leaving = None;
        loop {
            if let Some(handing) = &mut self.handing {
                handing.push();
            }
            // Asked before reading: what an ended process has written is then complete.
            let ended = self.running.has_ended();
            let grew = self.output.grew();
            if let Err(end) = self.read().await {
                return end;
            }
            if ended {
                return self.output.rest(self.link, self.settings).await;
            }
            let now = Instant::now();
            if grew {
                watchdog.heard(now);
            }
            if let Some(end) = watchdog.bites(now, self.output.transcript.envelope.is_some()) {
                return end;
            }
            // Asked before `leave`: an agent that is to stop is never left behind, also where both are wished by now.
            if self.link.stop.is_cancelled() {
                return End::Stopped;
            }
            if self.link.leave.is_cancelled() {
                if self.handing.as_ref().is_none_or(Handing::is_done) {
                    return End::Left;
                }
                // Half a prompt is never left behind: the process has not begun before it has all of it.
                if now.duration_since(*leaving.get_or_insert(now)) >= LEAVING {
                    return End::Stopped;
                }
            }
            pause = if grew || self.output.has_more() {
                self.settings.shortest_pause
            } else {
                (pause * 2).min(self.settings.longest_pause)
            };
            tokio::select! {
                biased;
                () = self.link.stop.cancelled() => return End::Stopped,
                () = self.link.leave.cancelled(), if leaving.is_none() => {}
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    /// Reads on, unless the watcher has not yet taken what was read before.
    async fn read(&mut self) -> Result<(), End> {
        self.output.trim();
        for _ in 0..AT_ONCE {
            while let Some(sign) = self.output.transcript.signs.pop_front() {
                if let Err(TrySendError::Full(sign)) = self.link.signs.try_send(sign) {
                    self.output.transcript.signs.push_front(sign);
                    // Nobody reads at the moment, but the process goes on writing.
                    return self.output.check_size(self.settings);
                }
            }
            if !self.output.has_more() {
                break;
            }
            self.output.advance(self.settings).await?;
        }
        Ok(())
    }
}

fn size(bytes: u64) -> String {
    if bytes >= 1 << 20 { format!("{} MiB", bytes >> 20) } else { format!("{} KiB", bytes >> 10) }
}
