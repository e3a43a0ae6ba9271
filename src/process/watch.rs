//! Watching a process until it ends, or until there is a reason to end it.

use std::time::Duration;

use tokio::time::Instant;

use super::control::Control;
use super::end::End;
use super::limits::Limits;
use super::observer::Observer;
use super::output::Output;
use super::running::Running;
use super::stdin::Handover;
use super::watchdog::Watchdog;

/// How long a process that is to be detached has to take the rest of its standard input.
const DETACH_TIMEOUT: Duration = Duration::from_secs(1);

/// Everything that watching one process needs, beside its output.
pub(super) struct Watch<'a, E> {
    pub(super) running: &'a Running,
    /// Its standard input, where it still has to be handed over.
    pub(super) handover: Option<Handover>,
    pub(super) control: &'a Control<E>,
    pub(super) limits: Limits,
}

impl<E: Send + 'static> Watch<'_, E> {
    /// Watches until there is something to be done. Only after [`End::Exited`] is the process already gone.
    pub(super) async fn until_end<O: Observer<Event = E>>(
        mut self,
        mut output: Output<O>,
    ) -> (Output<O>, End) {
        let mut watchdog = Watchdog::new(Instant::now(), self.limits);
        let mut pause = self.limits.min_poll_interval;
        let mut detaching = None;
        loop {
            if let Some(handover) = &mut self.handover {
                handover.push();
            }
            // Asked before reading: what an ended process has written is then complete.
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
                watchdog.heard(now);
            }
            let bites = watchdog.bites(now, output.has_answer(), output.is_busy());
            if let Some(end) = bites.or_else(|| self.directed(now, &mut detaching)) {
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

    /// What the caller wants by now.
    fn directed(&self, now: Instant, detaching: &mut Option<Instant>) -> Option<End> {
        // Asked before `detach`: a process that is to stop is never left running.
        if self.control.stop.is_cancelled() {
            return Some(End::Stopped);
        }
        if !self.control.detach.is_cancelled() {
            return None;
        }
        if self.handover.as_ref().is_none_or(Handover::is_done) {
            return Some(End::Detached);
        }
        // A process is never left with half of its standard input: it would wait for the rest, and nothing would come.
        let since = *detaching.get_or_insert(now);
        (now.duration_since(since) >= DETACH_TIMEOUT).then_some(End::Stopped)
    }
}
