//! Places where a test can kill the process: see `tests/faults/`. Without the feature they are nothing.

/// Kills this process, if the environment variable `SUREFIRE_CRASH_AT` names this place.
///
/// `name:3` means the third time it is passed.
#[cfg(feature = "crash-points")]
pub(super) fn point(name: &str) {
    use std::sync::atomic::{AtomicU32, Ordering};

    // Only one place is ever named, so one count is enough.
    static PASSED: AtomicU32 = AtomicU32::new(0);

    let Ok(wanted) = std::env::var("SUREFIRE_CRASH_AT") else { return };
    let (place, time) = wanted.split_once(':').unwrap_or((&wanted, "1"));
    if place == name && PASSED.fetch_add(1, Ordering::SeqCst) + 1 == time.parse().unwrap_or(1) {
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
        // The signal may take a moment; nothing more may happen here.
        loop {
            std::thread::park();
        }
    }
}

#[cfg(not(feature = "crash-points"))]
#[inline]
pub(super) const fn point(_name: &str) {}
