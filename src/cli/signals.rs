//! SIGINT, SIGTERM and SIGHUP: the first asks to stop, the second exits.

use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::connection::run_canceller::RunCanceller;
use super::usage::cli_error::CliError;

/// Exit statuses of a process ended by a signal: 128 plus the signal's number.
const HUNG_UP: u8 = 129;
const INTERRUPTED: u8 = 130;
const TERMINATED: u8 = 143;

/// Timeouts after the second signal: for the stop request to be persisted, for agents to detach,
/// and for a blocked command before its agent is stopped on its behalf.
const ACCEPT_TIMEOUT: Duration = Duration::from_secs(1);
const DETACH_TIMEOUT: Duration = Duration::from_millis(100);
const BLOCKED_TIMEOUT: Duration = Duration::from_secs(2);

/// Listens for SIGINT, SIGTERM and SIGHUP from its creation.
pub(super) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    /// `None` if the parent process had SIGHUP ignored, so that we outlive the terminal.
    hang_up: Option<Signal>,
}

impl Signals {
    pub(super) fn new() -> std::io::Result<Self> {
        // `nohup` ignores SIGHUP, and a handler would undo that.
        let hang_up = if is_ignored(SignalKind::hangup()) {
            None
        } else {
            Some(signal(SignalKind::hangup())?)
        };
        let (interrupt, terminate) =
            (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        Ok(Self { interrupt, terminate, hang_up })
    }

    /// Waits for a signal and returns its exit status.
    pub(super) async fn asked(&mut self) -> u8 {
        let hang_up = async {
            match &mut self.hang_up {
                Some(signal) => drop(signal.recv().await),
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.interrupt.recv() => INTERRUPTED,
            _ = self.terminate.recv() => TERMINATED,
            () = hang_up => HUNG_UP,
        }
    }
}

/// The user's request to stop, received whatever the command is doing.
#[derive(Clone)]
pub(super) struct Stop {
    signals_seen: watch::Receiver<StopSignals>,
    accepted: CancellationToken,
    canceller: Arc<Mutex<Option<RunCanceller>>>,
}

/// The exit statuses of the first and the second signal.
#[derive(Clone, Copy, Default)]
struct StopSignals {
    first: Option<u8>,
    second: Option<u8>,
}

impl Stop {
    /// Listens from now on, in its own task, because the command may be waiting for long.
    fn listen() -> std::io::Result<Self> {
        let mut signals = Signals::new()?;
        let (request, signals_seen) = watch::channel(StopSignals::default());
        let stop =
            Self { signals_seen, accepted: CancellationToken::new(), canceller: Arc::default() };
        let listener = stop.clone();
        tokio::spawn(async move {
            let first = signals.asked().await;
            request.send_modify(|signals_seen| signals_seen.first = Some(first));
            listener.cancel_run();
            let second = signals.asked().await;
            request.send_modify(|signals_seen| signals_seen.second = Some(second));
            // The command itself may be blocked, for example by a terminal that accepts no output.
            // A third signal shortens the wait, but the first stop request is still persisted.
            let once_more = async {
                signals.asked().await;
                listener.accepted.cancelled().await;
            };
            let _ = tokio::time::timeout(BLOCKED_TIMEOUT, once_more).await;
            let canceller = listener.canceller().take();
            if let Some(canceller) = canceller {
                canceller.detach().await;
            }
            std::process::exit(second.into());
        });
        Ok(stop)
    }

    /// Sets the run that a signal cancels. If a signal has already arrived, cancels it at once.
    pub(super) fn arm(&self, canceller: RunCanceller) {
        *self.canceller() = Some(canceller);
        if self.signals_seen.borrow().first.is_some() {
            self.cancel_run();
        }
    }

    /// Removes the canceller: the run is over and the data directory can be released.
    pub(super) fn disarm(&self) {
        *self.canceller() = None;
    }

    fn cancel_run(&self) {
        if let Some(canceller) = &*self.canceller() {
            canceller.cancel(self.accepted());
        }
    }

    fn canceller(&self) -> MutexGuard<'_, Option<RunCanceller>> {
        // No code panics while it holds this lock.
        self.canceller.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the first signal and returns its exit status. Later calls return at once.
    pub(super) async fn requested(&mut self) -> u8 {
        self.until(|signals_seen| signals_seen.first).await
    }

    /// To be cancelled once the stop request has been accepted.
    pub(super) fn accepted(&self) -> CancellationToken {
        self.accepted.clone()
    }

    async fn until(&mut self, request: impl Fn(&StopSignals) -> Option<u8>) -> u8 {
        let seen = self.signals_seen.wait_for(|signals_seen| request(signals_seen).is_some()).await;
        match seen.ok().and_then(|signals_seen| request(&signals_seen)) {
            Some(status) => status,
            // The listener is gone only while the runtime shuts down.
            None => std::future::pending().await,
        }
    }
}

/// Runs an operation that signals can stop. After a second signal it is dropped, and an agent that
/// is still stopping is killed.
pub(super) async fn stoppable(
    doing: impl AsyncFnOnce(Stop) -> Result<ExitCode, CliError>,
) -> Result<ExitCode, CliError> {
    let stop = Stop::listen().map_err(|error| {
        CliError::new(
            "the command cannot start",
            error.to_string(),
            "close some programs, and try again",
        )
    })?;
    let mut insisted = stop.clone();
    let status = {
        let mut doing = std::pin::pin!(doing(stop));
        let status = tokio::select! {
            done = &mut doing => return done,
            status = insisted.until(|signals_seen| signals_seen.second) => status,
        };
        // Both signals may arrive at once, if a terminal and a wrapper pass on the same Ctrl-C. The
        // first still has to be processed, or its agent would keep working.
        tokio::select! {
            done = doing => return done.map(|_| ExitCode::from(status)),
            () = insisted.accepted.cancelled() => {}
            () = tokio::time::sleep(ACCEPT_TIMEOUT) => {}
        }
        status
    };
    // Leaves time to detach from other runs' agents.
    tokio::time::sleep(DETACH_TIMEOUT).await;
    Ok(ExitCode::from(status))
}

/// Whether a signal is ignored, according to `/proc`; `false` on a system without it.
fn is_ignored(signal: SignalKind) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal.as_raw_value() - 1) & 1 == 1
}
