//! Ending what a process left running outside its process group.
//!
//! A process that called `setsid` is no longer reached through the group, but it still carries the mark in its
//! environment. (One that also threw its environment away is not found; nothing short of a container would find it.)

use std::time::{Duration, Instant};

use super::mark::Mark;

/// How long to look again: a process may start another one while it is being ended, and on a busy machine a killed process
/// is still there for a while.
const SWEEP_TIMEOUT: Duration = Duration::from_secs(5);

const ROUND_INTERVAL: Duration = Duration::from_millis(2);

/// Ends all processes with this mark, on a thread that may block.
pub(super) async fn sweep(mark: Mark) {
    // It fails only while the runtime goes down, and then the next supervisor sweeps.
    let _ = tokio::task::spawn_blocking(move || sweep_blocking(mark)).await;
}

/// Ends all processes with this mark. Reads files of the system and waits a little between rounds.
pub(super) fn sweep_blocking(mark: Mark) {
    let mark = mark.to_string();
    let begun = Instant::now();
    while kill_marked(&mark) > 0 && begun.elapsed() < SWEEP_TIMEOUT {
        std::thread::sleep(ROUND_INTERVAL);
    }
}

/// Kills what carries the mark, and says how many those were.
#[cfg(target_os = "linux")]
fn kill_marked(mark: &str) -> usize {
    let own = std::process::id();
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    numbers.filter(|pid| *pid != own && kill_if_marked(*pid, mark)).count()
}

/// The handle is taken first and the mark read second, so the process that is killed is the one that was read about,
/// even if the number changes hands in between.
#[cfg(target_os = "linux")]
fn kill_if_marked(pid: u32, mark: &str) -> bool {
    use rustix::process::{PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

    let Some(number) = i32::try_from(pid).ok().and_then(super::identity::number) else { return false };
    let Ok(handle) = pidfd_open(number, PidfdFlags::empty()) else { return false };
    environment(pid).split(|byte| *byte == 0).any(|pair| pair == mark.as_bytes())
        && pidfd_send_signal(&handle, Signal::KILL).is_ok()
}

/// The environment of a process; empty for one that has ended, and for those of other users, which cannot be read.
///
/// In the middle of `exec` a process has neither arguments nor an environment for a moment. One that is looked at right
/// then is looked at again, or it would be passed over.
#[cfg(target_os = "linux")]
fn environment(pid: u32) -> Vec<u8> {
    const MAX_LOOKS: usize = 20;
    const LOOK_INTERVAL: Duration = Duration::from_millis(1);

    let read = |name: &str| std::fs::read(format!("/proc/{pid}/{name}"));
    let is_empty = |name: &str| read(name).is_ok_and(|content| content.is_empty());
    for look in 0..MAX_LOOKS {
        match read("environ") {
            Ok(environment) if environment.is_empty() => {}
            read => return read.unwrap_or_default(),
        }
        // Neither what has ended nor a thread of the kernel has any memory; and a few programs run without environment.
        let has_memory = read("statm").is_ok_and(|pages| !pages.starts_with(b"0 "));
        if !has_memory || (look > 0 && !is_empty("cmdline")) {
            break;
        }
        std::thread::sleep(LOOK_INTERVAL);
    }
    Vec::new()
}

#[cfg(not(target_os = "linux"))]
fn kill_marked(mark: &str) -> usize {
    use rustix::process::{Signal, kill_process};

    // `-E` shows the environment of one's own processes behind the command.
    let output = std::process::Command::new("/bin/ps").args(["-axEww", "-o", "pid=,command="]).output();
    let Ok(output) = output else { return 0 };
    let own = std::process::id().to_string();
    let text = String::from_utf8_lossy(&output.stdout);
    let marked = text.lines().filter(|line| line.split_whitespace().any(|word| word == mark));
    let numbers = marked.filter_map(|line| line.split_whitespace().next()).filter(|pid| *pid != own);
    let numbers = numbers.filter_map(|pid| super::identity::number(pid.parse().ok()?));
    numbers.filter(|pid| kill_process(*pid, Signal::KILL).is_ok()).count()
}
