//! Supervising a process until it ends, or until there is a reason to stop it.

use std::time::Duration;

use tokio::time::Instant;

use super::control::Control;
use super::end::End;
use super::limits::ProcessLimits;
use super::observer::Observer;
use super::output::Output;
use super::running::Running;
use super::stdin::StdinWriter;
use super::watchdog::Watchdog;

/// How long detaching waits for a process to read the rest of its standard input.
const DETACH_TIMEOUT: Duration = Duration::from_secs(1);

/// The state of supervising one process, besides its output.
pub(super) struct Watch<'a, E> {
    pub(super) running: &'a Running,
    /// Its standard input, if it is not fully written yet.
    pub(super) stdin_writer: Option<StdinWriter>,
    pub(super) control: &'a Control<E>,
    pub(super) limits: ProcessLimits,
}

impl<E: Send + 'static> Watch<'_, E> {
    /// Waits until supervision ends. Only after [`End::Exited`] has the process ended as well.
    pub(super) async fn until_end<O: Observer<Event = E>>(
        mut self,
        mut output: Output<O>,
    ) -> (Output<O>, End) {
        let mut watchdog = Watchdog::new(Instant::now(), self.limits);
        let mut pause = self.limits.min_poll_interval;
        let mut detaching = None;
        loop {
            if let Some(stdin_writer) = &mut self.stdin_writer {
                stdin_writer.push();
            }
            // Checked before reading, so that the output of an ended process is complete.
            let ended = self.running.has_ended();
            let grew = output.grew();
            let read;
            (output, read) = output.read(self.control).await;
            if let Err(end) = read {
                return (output, end);
            }
            if ended {
                return output.read_rest(self.control).await;
            }
            let now = Instant::now();
            if grew {
                watchdog.record_output(now);
            }
            let expired = watchdog.expired(now, output.has_answer(), output.is_busy());
            if let Some(end) = expired.or_else(|| self.requested(now, &mut detaching)) {
                return (output, end);
            }
            pause = if grew || output.has_more() {
                self.limits.min_poll_interval
            } else {
                (pause * 2).min(self.limits.max_poll_interval)
            };
            tokio::select! {
                biased;
                () = self.control.stop.cancelled() => return (output, End::Stopped),
                () = self.control.detach.cancelled(), if detaching.is_none() => {}
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    /// The end that the caller has requested, if any.
    fn requested(&self, now: Instant, detaching: &mut Option<Instant>) -> Option<End> {
        // Checked before `detach`: a process that should stop is never left running.
        if self.control.stop.is_cancelled() {
            return Some(End::Stopped);
        }
        if !self.control.detach.is_cancelled() {
            return None;
        }
        if self.stdin_writer.as_ref().is_none_or(StdinWriter::is_done) {
            return Some(End::Detached);
        }
        // A process is never detached with half of its standard input: it would wait for the rest
        // forever.
        let since = *detaching.get_or_insert(now);
        (now.duration_since(since) >= DETACH_TIMEOUT).then_some(End::Stopped)
    }
}
