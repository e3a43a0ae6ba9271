//! Killing agents, and recording which.

use rustix::process::{Pid, Signal, kill_process};

use super::journal::Entry;
use super::place::Crowd;
use crate::campaign::Dice;

/// Which agents to kill.
#[derive(Clone, Copy)]
pub(super) enum Agents {
    /// One, while its server lives.
    One,
    /// Some, after their server was killed.
    Some,
    /// All, after their server was killed.
    All,
}

impl Crowd {
    /// Kills agents that are at work, and returns how many.
    pub(super) fn kill_agents(&self, dice: &mut Dice, which: Agents) -> usize {
        let mut pids = self.place.agents();
        match which {
            Agents::One if pids.is_empty() => {}
            Agents::One => {
                let chosen = usize::try_from(dice.throw(pids.len() as u64)).unwrap_or_default();
                pids = vec![pids[chosen]];
            }
            Agents::Some => pids.retain(|_| dice.throw(2) == 0),
            Agents::All => {}
        }
        let mut killed = 0;
        for pid in pids {
            // It may end by itself at the same moment.
            let (Some(attempt), Some(number)) = (attempt_of(pid), Pid::from_raw(pid)) else {
                continue;
            };
            // A running server may hand over the prompt right after this check, even to a process
            // that is dead by then.
            let may_have_prompt = matches!(which, Agents::One) || !self.is_withheld(&attempt);
            self.journal().write(&Entry::AgentKilled { attempt, may_have_prompt });
            let _ = kill_process(number, Signal::KILL);
            killed += 1;
        }
        killed
    }
}

impl Crowd {
    /// Whether there is evidence that an agent got no prompt: the process room keeps this state
    /// from before the spawn until right before the first byte.
    fn is_withheld(&self, attempt: &str) -> bool {
        let state = self.place.data().join("attempts").join(attempt).join("stdin.state");
        std::fs::read(state).is_ok_and(|state| state == b"withheld\n")
    }
}

/// The attempt that a process works on.
fn attempt_of(pid: i32) -> Option<String> {
    let environment = std::fs::read(format!("/proc/{pid}/environ")).ok()?;
    let mark = environment
        .split(|byte| *byte == 0)
        .find_map(|it| it.strip_prefix(b"SUREFIRE_ATTEMPT="))?;
    String::from_utf8(mark.to_vec()).ok()
}
