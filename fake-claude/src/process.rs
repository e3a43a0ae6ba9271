//! What the fake does as a process, apart from its output.

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGKILL, SIGTERM};

use crate::act::Status;

/// Longer than any test waits.
const HANG_DURATION: Duration = Duration::from_secs(10 * 60);

pub(crate) fn hang() -> Status {
    std::thread::sleep(HANG_DURATION);
    Status::Success
}

pub(crate) fn mutter() -> Status {
    loop {
        eprintln!("still here");
        std::thread::sleep(Duration::from_millis(10));
    }
}

pub(crate) fn ignore_signals() -> Status {
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)))
            .expect("it can be caught");
    }
    Status::Success
}

/// Registers for SIGINT, and returns a function that waits for the next one.
pub(crate) fn interruption() -> impl FnOnce() -> Status {
    let interrupted = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(SIGINT, Arc::clone(&interrupted)).expect("it can be caught");
    move || {
        while !interrupted.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(5));
        }
        Status::Success
    }
}

pub(crate) fn die() -> Status {
    signal_hook::low_level::raise(SIGKILL).expect("a process may kill itself");
    hang()
}

pub(crate) fn leave_in_group() -> Status {
    (0..3).for_each(|_| leave(Command::new("sleep").arg("600")));
    Status::Success
}

pub(crate) fn leave_in_session() -> Status {
    leave(Command::new("setsid").args(["sleep", "600"]));
    Status::Success
}

/// The child inherits the fake's output, like anything that an agent starts.
fn leave(command: &mut Command) {
    if let Err(error) = command.stdin(Stdio::null()).spawn() {
        eprintln!("no child: {error}");
    }
}

pub(crate) fn kill_parent() -> Status {
    let parent = std::os::unix::process::parent_id().to_string();
    Command::new("kill").args(["-9", &parent]).status().expect("there is a `kill`");
    Status::Success
}
