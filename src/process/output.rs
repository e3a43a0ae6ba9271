//! What a process writes: read in chunks, shown to its observer, and passed on to the caller.

use std::collections::VecDeque;
use std::io;

use tokio::sync::mpsc::error::TrySendError;

use super::control::Control;
use super::end::{End, OutputLimit};
use super::files::Files;
use super::limits::Limits;
use super::lines::{LineTooLong, Lines};
use super::observer::Observer;
use super::tail::Tail;

/// How many chunks are read between two looks at the clock and at the control: a process may write faster than it can
/// be read.
const MAX_CHUNKS_AT_ONCE: usize = 8;

/// The output of a process. Reading consumes it and gives it back, because it happens on another thread.
pub(super) struct Output<O: Observer> {
    stdout: Stdout<O>,
    stderr: Tail,
    limits: Limits,
    /// How much of both there was at the last look.
    seen: (u64, u64),
}

struct Stdout<O: Observer> {
    lines: Lines,
    observer: O,
    /// Events that were not yet passed on.
    events: VecDeque<O::Event>,
}

impl<O: Observer> Output<O> {
    /// Opens it at its beginning.
    pub(super) fn open(files: &Files, limits: Limits, observer: O) -> io::Result<Self> {
        let lines = Lines::new(files.open_stdout()?, limits.max_line_bytes);
        let lines = lines.cut_long_lines(limits.cut_long_lines);
        let stderr = Tail::new(files.open_stderr()?, limits.kept_stderr_bytes);
        let stdout = Stdout { lines, observer, events: VecDeque::new() };
        Ok(Self { stdout, stderr, limits, seen: (0, 0) })
    }

    /// Whether anything was written since the last look.
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

    /// Reads on, unless the caller has not yet taken what was read before.
    pub(super) async fn read(mut self, control: &Control<O::Event>) -> (Self, Result<(), End>) {
        self.trim();
        for _ in 0..MAX_CHUNKS_AT_ONCE {
            if !self.stdout.try_pass_on(control) {
                // No more is read at the moment, but the process goes on writing.
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

    /// Reads the rest of what an ended process wrote, and passes it on.
    pub(super) async fn read_rest(mut self, control: &Control<O::Event>) -> (Self, End) {
        loop {
            if !self.is_passed_on(control).await {
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
            // The last line may have been an event as well.
            if self.stdout.events.is_empty() {
                return (self, End::Exited);
            }
        }
    }

    /// Passes on what was read, and waits for the caller where it is slow. `false` where the caller detaches first: then
    /// the next supervisor has to pass it on.
    pub(super) async fn is_passed_on(&mut self, control: &Control<O::Event>) -> bool {
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

    /// Keeps standard error small. Where that fails, the disk has other troubles.
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

    /// Reads one chunk. What the observer does with it may take a while, so it happens on a thread that may block.
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
                // The runtime goes down, and this task with it.
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

    /// The last line may have no line break behind it.
    fn close(&mut self) {
        let Self { lines, observer, events } = self;
        lines.last(|line| events.extend(observer.line(line)));
    }

    /// Passes on what was read, as far as there is room for it. `false` where there is not enough.
    fn try_pass_on(&mut self, control: &Control<O::Event>) -> bool {
        while let Some(event) = self.events.pop_front() {
            if let Err(TrySendError::Full(event)) = control.events.try_send(event) {
                self.events.push_front(event);
                return false;
            }
        }
        true
    }
}
