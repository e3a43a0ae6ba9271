//! The signals that ask for an end.

use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::connection::brake::Brake;
use super::usage::complaint::Complaint;

/// The exit statuses of a process that a signal ended.
const HUNG_UP: u8 = 129;
const INTERRUPTED: u8 = 130;
const TERMINATED: u8 = 143;

/// How long a command may take that was told twice to stop: to heed the first time, to let go, and to be held up before its agent
/// is seen to for it.
const HEEDING: Duration = Duration::from_secs(1);
const LAST_MOMENT: Duration = Duration::from_millis(100);
const HELD_UP: Duration = Duration::from_secs(2);

/// SIGINT, SIGTERM and SIGHUP, from the moment this is made.
pub(super) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    /// `None` where whoever started us wants us to outlive the terminal.
    hang_up: Option<Signal>,
}

impl Signals {
    pub(super) fn new() -> std::io::Result<Self> {
        // Under `nohup` it is ignored, and listening for it would undo that.
        let hang_up =
            if is_ignored(SignalKind::hangup()) { None } else { Some(signal(SignalKind::hangup())?) };
        let (interrupt, terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        Ok(Self { interrupt, terminate, hang_up })
    }

    /// Waits for one of them, and says which exit status belongs to it.
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

/// Somebody's wish to stop, heard whatever else is going on.
#[derive(Clone)]
pub(super) struct Stop {
    wishes: watch::Receiver<Wishes>,
    heeded: CancellationToken,
    brake: Arc<Mutex<Option<Brake>>>,
}

/// The exit statuses that belong to the first wish and to the second.
#[derive(Clone, Copy, Default)]
struct Wishes {
    first: Option<u8>,
    second: Option<u8>,
}

impl Stop {
    /// Listens from now on, in a task of its own: what the command waits for may take long.
    fn listen() -> std::io::Result<Self> {
        let mut signals = Signals::new()?;
        let (wish, wishes) = watch::channel(Wishes::default());
        let stop = Self { wishes, heeded: CancellationToken::new(), brake: Arc::default() };
        let heard = stop.clone();
        tokio::spawn(async move {
            let first = signals.asked().await;
            wish.send_modify(|wishes| wishes.first = Some(first));
            heard.pull_the_brake();
            let second = signals.asked().await;
            wish.send_modify(|wishes| wishes.second = Some(second));
            // The command itself may be held up, by a terminal that takes nothing, say. Whoever wishes it once more does not want
            // to wait for that; but the first wish is heeded all the same.
            let once_more = async {
                signals.asked().await;
                heard.heeded.cancelled().await;
            };
            let _ = tokio::time::timeout(HELD_UP, once_more).await;
            let brake = heard.brake().take();
            if let Some(brake) = brake {
                brake.let_go().await;
            }
            std::process::exit(second.into());
        });
        Ok(stop)
    }

    /// Says what ends when it is wished, or at once where that was wished already.
    pub(super) fn concerns(&self, brake: Brake) {
        *self.brake() = Some(brake);
        if self.wishes.borrow().first.is_some() {
            self.pull_the_brake();
        }
    }

    /// What it was about is over, and lets go of the data.
    pub(super) fn concerns_nothing(&self) {
        *self.brake() = None;
    }

    fn pull_the_brake(&self) {
        if let Some(brake) = &*self.brake() {
            brake.pull(self.heeded());
        }
    }

    fn brake(&self) -> MutexGuard<'_, Option<Brake>> {
        // Nothing panics while holding it.
        self.brake.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until it is wished, and says which exit status belongs to that. It stays wished.
    pub(super) async fn wished(&mut self) -> u8 {
        self.until(|wishes| wishes.first).await
    }

    /// To be set once what the wish is about has come to its end, or will.
    pub(super) fn heeded(&self) -> CancellationToken {
        self.heeded.clone()
    }

    async fn until(&mut self, wish: impl Fn(&Wishes) -> Option<u8>) -> u8 {
        let wished = self.wishes.wait_for(|wishes| wish(wishes).is_some()).await;
        match wished.ok().and_then(|wishes| wish(&wishes)) {
            Some(status) => status,
            // Only a runtime that ends takes the listener away.
            None => std::future::pending().await,
        }
    }
}

/// Does something that people may want to stop. Whoever wishes it twice does not want to wait: it is dropped where it is, and an
/// agent that was asked to stop and has not yet is killed with it.
pub(super) async fn stoppable(
    doing: impl AsyncFnOnce(Stop) -> Result<ExitCode, Complaint>,
) -> Result<ExitCode, Complaint> {
    let stop = Stop::listen().map_err(|error| {
        Complaint::new("the command cannot begin", error.to_string(), "close some programs, and try again")
    })?;
    let mut insisted = stop.clone();
    let status = {
        let mut doing = std::pin::pin!(doing(stop));
        let status = tokio::select! {
            done = &mut doing => return done,
            status = insisted.until(|wishes| wishes.second) => status,
        };
        // Both wishes may come at once, where a terminal and a wrapper pass on the same Ctrl-C; the first is still heeded,
        // or an agent would be left at work that nobody wants.
        tokio::select! {
            done = doing => return done.map(|_| ExitCode::from(status)),
            () = insisted.heeded.cancelled() => {}
            () = tokio::time::sleep(HEEDING) => {}
        }
        status
    };
    // Agents of guests are let go of meanwhile.
    tokio::time::sleep(LAST_MOMENT).await;
    Ok(ExitCode::from(status))
}

/// Whether a signal is ignored, as far as the system says so.
fn is_ignored(signal: SignalKind) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal.as_raw_value() - 1) & 1 == 1
}
