//! Many kills among eight busy sessions. `scripts/faults` runs it alone, with more of them, and
//! shows its summary.
//!
//! The clients live in the process that is killed, and act by a seeded script: they get the
//! engine's own answers, without a socket that could lose one, and a request can be in any state at
//! the time of the kill. Their requests and the answers are in a [journal](journal) outside of the
//! store, so that the store is compared with what clients know, not with itself. What the agents
//! did is in the fake CLI's log of calls.

mod clients;
mod finish;
mod journal;
mod killing;
mod look;
mod place;
mod prompts;
mod runs;
mod server;
mod wrong;

use std::time::{Duration, Instant};

use self::journal::Entry;
use self::killing::Agents;
use self::place::Crowd;
use crate::campaign::Dice;

/// The longest life of a server, in milliseconds; some are killed while they still start.
const MAX_LIFE_MILLIS: u64 = 1_000;

#[test]
fn kills_among_eight_busy_sessions_leave_nothing_unexplained() {
    let wanted =
        std::env::var("SUREFIRE_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(25);
    let crowd = Crowd::new();
    let mut dice = Dice(0x5eed_0008_c0ff_ee00);
    let began = Instant::now();
    let (mut at_work, mut lone_agents, mut with_agents) = (Vec::new(), 0, 0);
    for life in 1..=wanted {
        let server = crowd.serve(&life.to_string());
        let (first, second) = (dice.throw(MAX_LIFE_MILLIS / 2), dice.throw(MAX_LIFE_MILLIS / 2));
        std::thread::sleep(Duration::from_millis(first));
        // An agent may die while its server lives.
        if dice.throw(2) == 0 {
            lone_agents += crowd.kill_agents(&mut dice, Agents::One);
        }
        std::thread::sleep(Duration::from_millis(second));
        assert!(server.kill(), "server {life} ended before it was killed");
        crowd.journal().write(&Entry::ServerKilled);
        at_work.push(crowd.place.agents().len());
        // Sometimes some or all agents are killed as well, as if the machine had gone down.
        match dice.throw(4) {
            0 => with_agents += crowd.kill_agents(&mut dice, Agents::All),
            1 => with_agents += crowd.kill_agents(&mut dice, Agents::Some),
            _ => {}
        }
        crowd.rotate_calls();
    }
    crowd.finish();
    let findings = look::look(&crowd);
    at_work.sort_unstable();
    let (median, most) = (at_work.get(at_work.len() / 2), at_work.last());
    println!(
        "crowd campaign: {wanted} times kill -9, with {} agents at work in the median and {} at most; \
         {with_agents} agents killed after their server, {lone_agents} before it; in {:.0?}",
        median.unwrap_or(&0),
        most.unwrap_or(&0),
        began.elapsed(),
    );
    println!("{findings}");
    crowd.keep_if(findings.is_anything_wrong());
    assert!(!findings.is_anything_wrong(), "see above");
}
