//! The output of a process: read in chunks, interpreted by its observer, and sent to the caller as
//! events.

use std::collections::VecDeque;
use std::io;

use tokio::sync::mpsc::error::TrySendError;

use super::control::Control;
use super::end::{End, OutputLimit};
use super::files::Files;
use super::limits::ProcessLimits;
use super::lines::{LineTooLong, Lines};
use super::observer::Observer;
use super::tail::Tail;

/// How many chunks are read before the clock and the control are checked again: a process may write
/// faster than its output can be read.
const MAX_CHUNKS_PER_READ: usize = 8;

/// The output of a process. Reading takes it by value and returns it, because it moves to another
/// thread.
pub(super) struct Output<O: Observer> {
    stdout: Stdout<O>,
    stderr: Tail,
    limits: ProcessLimits,
    /// The sizes of standard output and standard error at the last call of [`grew`](Self::grew).
    seen: (u64, u64),
}

struct Stdout<O: Observer> {
    lines: Lines,
    observer: O,
    /// Events that were not sent yet.
    events: VecDeque<O::Event>,
}

impl<O: Observer> Output<O> {
    /// Opens the output at its beginning.
    pub(super) fn open(files: &Files, limits: ProcessLimits, observer: O) -> io::Result<Self> {
        let lines = Lines::new(files.open_stdout()?, limits.max_line_bytes);
        let lines = lines.truncate_long_lines(limits.truncate_long_lines);
        let stderr = Tail::new(files.open_stderr()?, limits.kept_stderr_bytes);
        let stdout = Stdout { lines, observer, events: VecDeque::new() };
        Ok(Self { stdout, stderr, limits, seen: (0, 0) })
    }

    /// Whether the process has written anything since the last call.
    pub(super) fn grew(&mut self) -> bool {
        let written = (self.stdout.lines.written(), self.stderr.written());
        std::mem::replace(&mut self.seen, written) != written
    }

    pub(super) fn has_more(&self) -> bool {
        self.stdout.lines.has_more()
    }

    pub(super) fn has_answer(&self) -> bool {
        self.stdout.observer.has_answer()
    }

    pub(super) fn is_busy(&self) -> bool {
        self.stdout.observer.is_busy()
    }

    /// Reads more, unless the caller has not received the earlier events yet.
    pub(super) async fn read(mut self, control: &Control<O::Event>) -> (Self, Result<(), End>) {
        self.trim();
        for _ in 0..MAX_CHUNKS_PER_READ {
            if !self.stdout.try_send_events(control) {
                // Nothing is read now, but the process may keep writing.
                let fits = self.check_size();
                return (self, fits);
            }
            if !self.has_more() {
                break;
            }
            let read;
            (self, read) = self.read_chunk().await;
            if read.is_err() {
                return (self, read);
            }
        }
        (self, Ok(()))
    }

    /// Reads the remaining output of a process that has ended, and sends its events.
    pub(super) async fn read_rest(mut self, control: &Control<O::Event>) -> (Self, End) {
        loop {
            if !self.send_events(control).await {
                return (self, End::Detached);
            }
            if self.has_more() {
                let read;
                (self, read) = self.read_chunk().await;
                if let Err(end) = read {
                    return (self, end);
                }
                continue;
            }
            self.stdout.close();
            // The last line may have produced events.
            if self.stdout.events.is_empty() {
                return (self, End::Exited);
            }
        }
    }

    /// Sends the queued events, and waits for a slow caller. Returns `false` if the caller detaches
    /// first: the next supervisor then has to send them.
    pub(super) async fn send_events(&mut self, control: &Control<O::Event>) -> bool {
        let events = &mut self.stdout.events;
        while let Some(event) = events.pop_front() {
            tokio::select! {
                biased;
                sent = control.events.send(event) => if sent.is_err() { events.clear() },
                () = control.stop.cancelled() => events.clear(),
                () = control.detach.cancelled() => return false,
            }
        }
        true
    }

    /// The observer, and the last lines of standard error.
    pub(super) fn into_parts(mut self) -> (O, String) {
        self.trim();
        (self.stdout.observer, self.stderr.last_lines())
    }

    /// Trims standard error. A failure is only logged.
    fn trim(&mut self) {
        if let Err(error) = self.stderr.trim() {
            tracing::warn!(%error, "failed to trim standard error of a process");
        }
    }

    fn check_size(&self) -> Result<(), End> {
        let max_bytes = self.limits.max_output_bytes;
        if self.stdout.lines.written() <= max_bytes {
            Ok(())
        } else {
            Err(End::TooMuchOutput(OutputLimit::Total { max_bytes }))
        }
    }

    /// Reads one chunk on a blocking thread, because the observer may take a while to interpret it.
    async fn read_chunk(self) -> (Self, Result<(), End>) {
        if let Err(end) = self.check_size() {
            return (self, Err(end));
        }
        let Self { mut stdout, stderr, limits, seen } = self;
        let reading = tokio::task::spawn_blocking(move || {
            let read = stdout.read_chunk();
            (stdout, read)
        });
        let (stdout, read) = match reading.await {
            Ok(read) => read,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                // The runtime is shutting down and drops this task.
                Err(_) => std::future::pending().await,
            },
        };
        let max_bytes = limits.max_line_bytes as u64;
        let read = read.map_err(|LineTooLong| End::TooMuchOutput(OutputLimit::Line { max_bytes }));
        (Self { stdout, stderr, limits, seen }, read)
    }
}

impl<O: Observer> Stdout<O> {
    fn read_chunk(&mut self) -> Result<(), LineTooLong> {
        let Self { lines, observer, events } = self;
        lines.read(|line| events.extend(observer.line(line)))
    }

    /// Interprets the last line, which may have no line break.
    fn close(&mut self) {
        let Self { lines, observer, events } = self;
        lines.last(|line| events.extend(observer.line(line)));
    }

    /// Sends the queued events while the channel has room. Returns `false` if some are left.
    fn try_send_events(&mut self, control: &Control<O::Event>) -> bool {
        while let Some(event) = self.events.pop_front() {
            if let Err(TrySendError::Full(event)) = control.events.try_send(event) {
                self.events.push_front(event);
                return false;
            }
        }
        true
    }
}
