//! Points where a test can kill the process: see `tests/faults/`. Without the feature they compile
//! to nothing.

/// Kills this process, if the environment variable `SUREFIRE_CRASH_AT` names this point.
///
/// `name:3` means the third time that the process reaches it.
#[cfg(feature = "__crash-points")]
pub(super) fn point(name: &str) {
    use std::sync::atomic::{AtomicU32, Ordering};

    // The variable names one point, so one counter is enough.
    static REACHED: AtomicU32 = AtomicU32::new(0);

    let Ok(wanted) = std::env::var("SUREFIRE_CRASH_AT") else { return };
    let (point, nth) = wanted.split_once(':').unwrap_or((&wanted, "1"));
    if point == name && REACHED.fetch_add(1, Ordering::SeqCst) + 1 == nth.parse().unwrap_or(1) {
        let _ =
            rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
        // The signal may arrive late; this thread must not do anything until then.
        loop {
            std::thread::park();
        }
    }
}

#[cfg(not(feature = "__crash-points"))]
#[inline]
pub(super) const fn point(_name: &str) {}
