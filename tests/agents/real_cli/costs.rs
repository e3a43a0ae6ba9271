//! What a turn costs, as each version reports it.

use surefire::agent::Agent;
use surefire_testkit::{Move, RealCli, Watcher};

use super::{RELEASED, Real, WAIT};

/// What one answer of the scripted service costs.
const ANSWER_USD: f64 = 0.024;

fn is_about(cost_usd: f64, expected: f64) -> bool {
    (cost_usd - expected).abs() < 1e-9
}

#[tokio::test]
async fn five_turns_of_one_conversation_cost_five_times_one() {
    for cli in RealCli::all() {
        let real = Real::scripted(&cli);
        let first = real.turn("Do it.");
        let mut sum = 0.0;
        for number in 0..5 {
            real.service().play([Move::says("Done.")]);
            let turn = real.turn("Do it.").session(first.session).opened(number > 0);
            let reply = real.take(&turn).await.unwrap();
            let cost = reply.cost_usd.unwrap();
            assert!(is_about(cost, ANSWER_USD), "{cli:?}, turn {number}: {cost}");
            assert_eq!(reply.rounds, Some(1), "{cli:?}");
            sum += cost;
        }
        assert!(is_about(sum, 0.12), "{cli:?}: {sum}");
    }
}

/// The CLI answers at once, waits for the command, and answers again.
#[tokio::test]
async fn after_a_command_in_the_background_the_last_answer_counts_and_both_are_paid() {
    for cli in RealCli::all() {
        let real = Real::scripted(&cli);
        let input =
            serde_json::json!({ "command": WAIT, "description": "x", "run_in_background": true });
        real.service().play([
            Move::runs("git push"),
            Move::uses("Bash", input),
            Move::says("I wait for it."),
            Move::runs("git pull"),
            Move::says("Done."),
        ]);
        let watcher = Watcher::new();
        let taking = tokio::spawn(real.claude.turn(real.step(&[WAIT]), watcher.link.clone()));
        watcher.receives("said I wait for it.").await;
        std::fs::write(real.project().join(RELEASED), "").unwrap();
        let reply = taking.await.unwrap().unwrap();
        assert_eq!(reply.text, "Done.", "{cli:?}");
        let cost = reply.cost_usd.unwrap();
        assert!(is_about(cost, 5.0 * ANSWER_USD), "{cli:?}: {cost}");
        let refused: Vec<_> = reply.refused.iter().map(ToString::to_string).collect();
        assert_eq!(refused, ["Bash: git push", "Bash: git pull"], "of both parts: {cli:?}");
        assert_eq!(reply.rounds, Some(5), "{cli:?}");
    }
}
