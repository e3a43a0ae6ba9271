//! Distinguishing a process from a later one with the same process id.

use rustix::process::Pid;
use serde::{Deserialize, Serialize};

/// A process id, and a start time that distinguishes the process from a later one with the same id.
///
/// Persist it, so that the next supervisor can adopt the process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessIdentity {
    /// Its process id, which is also the id of its process group.
    pub pid: i32,
    /// When it started, in the operating system's own format; no two processes with one id share
    /// it.
    pub started: String,
}

impl ProcessIdentity {
    /// The running process with this id, if there is one.
    #[must_use]
    pub fn identify(pid: i32) -> Option<Self> {
        started(pid).map(|started| Self { pid, started })
    }

    /// Whether this very process is still running. A zombie is not running.
    #[must_use]
    pub fn is_running(&self) -> bool {
        started(self.pid).is_some_and(|started| is_same(&self.started, &started))
    }

    /// Whether a process that was identified a moment ago still exists. Cheap enough to be called
    /// many times a second.
    #[cfg(target_os = "linux")]
    pub(super) fn still_exists(&self) -> bool {
        ticks(self.pid)
            .is_some_and(|ticks| self.started.split(BOOT_SEPARATOR).next() == Some(&ticks))
    }

    /// Here the start time would cost a call of `ps`, so only the process id is checked. Before the
    /// process is signalled, it is identified again.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn still_exists(&self) -> bool {
        system_pid(self.pid).is_some_and(|pid| rustix::process::test_kill_process(pid).is_ok())
    }
}

/// The process id for system calls; to them, 0 and negative numbers mean groups of processes.
pub(super) fn system_pid(pid: i32) -> Option<Pid> {
    if pid > 0 { Pid::from_raw(pid) } else { None }
}

/// Separates the two parts of a start time: the ticks since the system booted, and the id of that
/// boot. After a reboot, another process may get the same process id and start at the same tick.
#[cfg(target_os = "linux")]
const BOOT_SEPARATOR: char = '@';

/// When the process started, in the operating system's own format; `None` if it has ended.
#[cfg(target_os = "linux")]
fn started(pid: i32) -> Option<String> {
    let ticks = ticks(pid)?;
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok();
    Some(boot.map_or(ticks.clone(), |boot| format!("{ticks}{BOOT_SEPARATOR}{}", boot.trim())))
}

/// Earlier versions did not record the boot id; for them the ticks alone are compared.
#[cfg(target_os = "linux")]
fn is_same(recorded: &str, now: &str) -> bool {
    recorded == now || now.split_once(BOOT_SEPARATOR).is_some_and(|(ticks, _)| ticks == recorded)
}

#[cfg(not(target_os = "linux"))]
fn is_same(recorded: &str, now: &str) -> bool {
    recorded == now
}

#[cfg(target_os = "linux")]
fn ticks(pid: i32) -> Option<String> {
    ticks_of(&std::fs::read(format!("/proc/{pid}/stat")).ok()?)
}

/// Field 22 of `/proc/<pid>/stat`. The second field is a name in parentheses that may
/// contain parentheses and line breaks, so counting begins after the last parenthesis.
#[cfg(target_os = "linux")]
fn ticks_of(stat: &[u8]) -> Option<String> {
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    let rest = str::from_utf8(stat.get(end + 1..)?).ok()?;
    let fields: Vec<_> = rest.split_ascii_whitespace().collect();
    let state = *fields.first()?;
    let ended = state == "Z" || state.eq_ignore_ascii_case("x");
    if ended { None } else { fields.get(19).map(|field| (*field).to_owned()) }
}

/// The locale and the time zone are fixed, so that `ps` prints the same start time for a process
/// every time.
#[cfg(not(target_os = "linux"))]
fn started(pid: i32) -> Option<String> {
    let mut ps = std::process::Command::new("/bin/ps");
    ps.args(["-o", "stat=,lstart=", "-p", &pid.to_string()]).env("LC_ALL", "C").env("TZ", "UTC");
    let output = ps.output().ok()?;
    let line = String::from_utf8(output.stdout).ok()?;
    let (state, started) = line.trim().split_once(char::is_whitespace)?;
    if state.starts_with('Z') { None } else { Some(started.trim().to_owned()) }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_start_time_is_found_behind_any_name() {
        let rest = "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4711 20 21";
        for name in ["claude", "a b", "x) S 1 (y", "\n)", "\u{fe0f}"] {
            assert_eq!(
                ticks_of(format!("12 ({name}) S {rest}").as_bytes()),
                Some("4711".to_owned()),
                "{name}"
            );
            assert_eq!(ticks_of(format!("12 ({name}) Z {rest}").as_bytes()), None, "{name}");
        }
        for broken in ["", "12", "12 (claude", "12 (claude)", "12 (claude) S 1 2"] {
            assert_eq!(ticks_of(broken.as_bytes()), None, "{broken}");
        }
    }

    #[test]
    fn a_process_is_told_apart_by_its_id_and_its_start() {
        let own = ProcessIdentity::identify(i32::try_from(std::process::id()).unwrap()).unwrap();
        assert!(own.is_running());
        assert!(!ProcessIdentity { started: "1".to_owned(), ..own.clone() }.is_running());
        assert!(!ProcessIdentity { pid: i32::MAX, ..own }.is_running());
    }

    #[test]
    fn after_a_reboot_an_equal_id_and_start_tick_mean_another_process() {
        let own = ProcessIdentity::identify(i32::try_from(std::process::id()).unwrap()).unwrap();
        let (ticks, _) = own.started.split_once(BOOT_SEPARATOR).unwrap();
        let started = |started: String| ProcessIdentity { started, ..own.clone() };
        assert!(!started(format!("{ticks}{BOOT_SEPARATOR}another")).is_running());
        assert!(started(ticks.to_owned()).is_running(), "recorded by an earlier version");
        assert!(started(ticks.to_owned()).still_exists() && own.still_exists());
    }
}
