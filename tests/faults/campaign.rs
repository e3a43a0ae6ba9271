//! Many kills at random moments. `scripts/faults` runs it alone, with more of them, and shows its
//! summary.

use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::findings::{PASSAGE, look};
use crate::server::Place;

/// A seeded random number generator.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn throw(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % below
    }
}

#[test]
fn a_hundred_random_kills_lose_nothing_and_double_nothing() {
    let wanted =
        std::env::var("SUREFIRE_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(100);
    let place = Place::new(&json!({ "default": { "delay_ms": 25, "passages": [PASSAGE] } }));
    let mut dice = Dice(0x5eed_0004_dead_beef);
    let (mut kills, mut with_agents, mut servers) = (0, 0, 0);
    let began = Instant::now();
    // A run that was interrupted twice without progress is resumed only on request, with
    // `--resume`.
    let mut needs_resume = false;
    while kills < wanted {
        let server = place.serve(None, needs_resume);
        servers += 1;
        std::thread::sleep(Duration::from_millis(dice.throw(260)));
        if server.kill() {
            kills += 1;
            // Sometimes the machine goes down, not only the server.
            if dice.throw(4) == 0 {
                with_agents += 1;
                for pid in place.agents().into_iter().filter_map(Pid::from_raw) {
                    // It may end by itself at the same moment.
                    let _ = kill_process(pid, Signal::KILL);
                }
                place.remove_git_locks();
            }
        }
        needs_resume = is_waiting_for_a_user(&place);
    }
    while !place.serve(None, needs_resume).wait().success() {
        servers += 1;
        needs_resume = is_waiting_for_a_user(&place);
    }
    let findings = look(&place);
    println!(
        "fault campaign: {kills} times kill -9 ({with_agents} of them with the agent), {servers} servers"
    );
    println!("  in {:.0?}: {findings:#?}", began.elapsed());
    findings.assert_nothing_wrong();
    assert!(findings.runs > 1 && findings.transitions == findings.runs * 2);
}

/// Whether the last run has ended without reaching its goal and will not resume automatically.
fn is_waiting_for_a_user(place: &Place) -> bool {
    use surefire::store::{RunFilter, Sqlite, Store};
    let Ok(opened) = Sqlite::open(&place.data()) else { return false };
    assert!(opened.quarantined.is_none(), "no kill damages the store");
    let last = RunFilter::default().limit(Some(1));
    let last = opened.store.runs(&last).expect("the store works").into_iter().next();
    let ended = last.and_then(|run| run.ending);
    ended.is_some_and(|ending| !ending.goal_met && ending.resume_at.is_none())
}
