//! Killing the processes that a process left outside its process group.
//!
//! A process that called `setsid` has left the group, but still carries the mark in its
//! environment. (One that also cleared its environment is not found; only a container could find
//! it.)

use std::time::{Duration, Instant};

use super::blocking::try_blocking;
use super::mark::ProcessMark;

/// How long to repeat the search: a process may start another one while it is being killed, and on
/// a busy machine a killed process takes a while to disappear.
const SWEEP_TIMEOUT: Duration = Duration::from_secs(5);

const ROUND_INTERVAL: Duration = Duration::from_millis(2);

/// Kills all processes with this mark, on a blocking thread.
pub(super) async fn sweep(mark: ProcessMark) {
    // Fails only while the runtime shuts down; the next supervisor then sweeps.
    let _ = try_blocking(move || sweep_blocking(mark)).await;
}

/// Kills all processes with this mark. Blocks.
pub(super) fn sweep_blocking(mark: ProcessMark) {
    let mark = mark.to_string();
    let begun = Instant::now();
    while kill_marked(&mark) > 0 && begun.elapsed() < SWEEP_TIMEOUT {
        std::thread::sleep(ROUND_INTERVAL);
    }
}

/// Kills the processes with this mark, and returns how many there were.
#[cfg(target_os = "linux")]
fn kill_marked(mark: &str) -> usize {
    let own = std::process::id();
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    numbers.filter(|pid| *pid != own && kill_if_marked(*pid, mark)).count()
}

/// The pidfd is opened before the mark is read, so the killed process is the marked one, even if
/// its pid is reused in between.
#[cfg(target_os = "linux")]
fn kill_if_marked(pid: u32, mark: &str) -> bool {
    use rustix::process::{PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

    let Some(number) = i32::try_from(pid).ok().and_then(super::identity::system_pid) else {
        return false;
    };
    let Ok(handle) = pidfd_open(number, PidfdFlags::empty()) else { return false };
    environment(pid).split(|byte| *byte == 0).any(|pair| pair == mark.as_bytes())
        && pidfd_send_signal(&handle, Signal::KILL).is_ok()
}

/// The environment of a process; empty if it has ended or belongs to another user.
///
/// During `exec` a process briefly has neither arguments nor an environment. The environment is
/// read again then, so that the process is not missed.
#[cfg(target_os = "linux")]
fn environment(pid: u32) -> Vec<u8> {
    const MAX_READS: usize = 20;
    const READ_INTERVAL: Duration = Duration::from_millis(1);

    let read = |name: &str| std::fs::read(format!("/proc/{pid}/{name}"));
    let is_empty = |name: &str| read(name).is_ok_and(|content| content.is_empty());
    for attempt in 0..MAX_READS {
        match read("environ") {
            Ok(environment) if environment.is_empty() => {}
            read => return read.unwrap_or_default(),
        }
        // Zombies and kernel threads have no memory, and a few programs run without an environment.
        let has_memory = read("statm").is_ok_and(|pages| !pages.starts_with(b"0 "));
        if !has_memory || (attempt > 0 && !is_empty("cmdline")) {
            break;
        }
        std::thread::sleep(READ_INTERVAL);
    }
    Vec::new()
}

#[cfg(not(target_os = "linux"))]
fn kill_marked(mark: &str) -> usize {
    use rustix::process::{Signal, kill_process};

    // `-E` shows the environment of the user's own processes after the command.
    let output =
        std::process::Command::new("/bin/ps").args(["-axEww", "-o", "pid=,command="]).output();
    let Ok(output) = output else { return 0 };
    let own = std::process::id().to_string();
    let text = String::from_utf8_lossy(&output.stdout);
    let marked = text.lines().filter(|line| line.split_whitespace().any(|word| word == mark));
    let numbers =
        marked.filter_map(|line| line.split_whitespace().next()).filter(|pid| *pid != own);
    let numbers = numbers.filter_map(|pid| super::identity::system_pid(pid.parse().ok()?));
    numbers.filter(|pid| kill_process(*pid, Signal::KILL).is_ok()).count()
}
