//! Telling a process from a later one that got the same number.

use rustix::process::Pid;
use serde::{Deserialize, Serialize};

/// A process, and enough about it to tell it from a later one with the same number.
///
/// It is what is persisted about a process so that the next supervisor can adopt it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// Its number, which is its group's as well.
    pub pid: i32,
    /// When it started, in whatever unit the system counts; equal for the same process only.
    pub started: String,
}

impl Process {
    /// The process that has this number now, if there is one that has not ended.
    #[must_use]
    pub fn identify(pid: i32) -> Option<Self> {
        started(pid).map(|started| Self { pid, started })
    }

    /// Whether this very process still runs. One that ended and was not yet collected does not.
    #[must_use]
    pub fn is_running(&self) -> bool {
        started(self.pid).is_some_and(|started| is_same(&self.started, &started))
    }

    /// Whether a process that was itself a moment ago is still there: what can be asked many times a second.
    #[cfg(target_os = "linux")]
    pub(super) fn still_exists(&self) -> bool {
        ticks(self.pid).is_some_and(|ticks| self.started.split(BOOT).next() == Some(&ticks))
    }

    /// Describing a process takes a program of its own here, so only its number is asked for. Before anything is done to
    /// the process, it is looked at closely again.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn still_exists(&self) -> bool {
        number(self.pid).is_some_and(|pid| rustix::process::test_kill_process(pid).is_ok())
    }
}

/// The number as the system calls want it; they have no use for 0 and below.
pub(super) fn number(pid: i32) -> Option<Pid> {
    if pid > 0 { Pid::from_raw(pid) } else { None }
}

/// What stands between the two parts of a start time: the ticks since the system booted, and which boot that was. After
/// a boot the same number may soon be given to a process that starts at the same tick.
#[cfg(target_os = "linux")]
const BOOT: char = '@';

/// When the process started, in the system's own unit; `None` for one that has ended.
#[cfg(target_os = "linux")]
fn started(pid: i32) -> Option<String> {
    let ticks = ticks(pid)?;
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok();
    Some(boot.map_or(ticks.clone(), |boot| format!("{ticks}{BOOT}{}", boot.trim())))
}

/// Earlier versions recorded no boot; then the ticks alone have to do.
#[cfg(target_os = "linux")]
fn is_same(recorded: &str, now: &str) -> bool {
    recorded == now || now.split_once(BOOT).is_some_and(|(ticks, _)| ticks == recorded)
}

#[cfg(not(target_os = "linux"))]
fn is_same(recorded: &str, now: &str) -> bool {
    recorded == now
}

#[cfg(target_os = "linux")]
fn ticks(pid: i32) -> Option<String> {
    ticks_of(&std::fs::read(format!("/proc/{pid}/stat")).ok()?)
}

/// Field 22 of `/proc/<pid>/stat`. The second field is a name in parentheses that may hold anything, parentheses and
/// line breaks included, so counting begins after the last one.
#[cfg(target_os = "linux")]
fn ticks_of(stat: &[u8]) -> Option<String> {
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    let rest = str::from_utf8(stat.get(end + 1..)?).ok()?;
    let fields: Vec<_> = rest.split_ascii_whitespace().collect();
    let state = *fields.first()?;
    let ended = state == "Z" || state.eq_ignore_ascii_case("x");
    if ended { None } else { fields.get(19).map(|field| (*field).to_owned()) }
}

/// The locale and the time zone are fixed, so that the same process is described by the same words tomorrow.
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
    fn a_process_is_itself_and_no_other() {
        let own = Process::identify(i32::try_from(std::process::id()).unwrap()).unwrap();
        assert!(own.is_running());
        assert!(!Process { started: "1".to_owned(), ..own.clone() }.is_running());
        assert!(!Process { pid: i32::MAX, ..own }.is_running());
    }

    #[test]
    fn after_a_boot_an_equal_number_and_start_is_another_process() {
        let own = Process::identify(i32::try_from(std::process::id()).unwrap()).unwrap();
        let (ticks, _) = own.started.split_once(BOOT).unwrap();
        let started = |started: String| Process { started, ..own.clone() };
        assert!(!started(format!("{ticks}{BOOT}another")).is_running());
        assert!(started(ticks.to_owned()).is_running(), "recorded by an earlier version");
        assert!(started(ticks.to_owned()).still_exists() && own.still_exists());
    }
}
