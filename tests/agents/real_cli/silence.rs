//! A tool that takes long without a word is not a silent agent.

use std::time::Duration;

use surefire::agent::{Agent, Failure, Fate};
use surefire_testkit::sandbox::alive;
use surefire_testkit::{Move, RealCli, Watcher};

use super::{RELEASED, Real, WAIT};

/// Shorter than the tool takes. It counts while the tool is open and at no other time, so that no test waits for how fast the
/// CLI is.
const SILENCE: Duration = Duration::from_millis(500);

/// The tool is begun under one server and outlives it; the next one finds it open, and one more hears the answer.
#[tokio::test]
async fn a_long_tool_does_not_stall_a_turn_after_an_adoption_either() {
    for cli in RealCli::all() {
        let real = Real::scripted(&cli);
        let released = real.project().join(RELEASED);
        real.service().play([Move::runs(WAIT), Move::says("Done.")]);
        let (mut turn, first) = (real.step(&[WAIT]), Watcher::new());
        let taking = tokio::spawn(real.claude.turn(turn.clone(), first.link.clone()));
        first.hears("used Bash").await;
        first.link.leave.cancel();
        assert_eq!(taking.await.unwrap(), Err(Failure::Left), "{cli:?}");

        turn.limits.silence = SILENCE;
        let second = Watcher::new();
        let process = first.process();
        let watching = tokio::spawn(real.claude.recover(turn.clone(), process.clone(), second.link.clone()));
        second.hears("used Bash").await;
        tokio::time::sleep(4 * SILENCE).await;
        assert!(!watching.is_finished(), "{cli:?}: {:?}", watching.await);
        second.link.leave.cancel();
        assert!(matches!(watching.await.unwrap(), Fate::Ended(Err(Failure::Left))), "{cli:?}");

        turn.limits.silence = Duration::from_mins(1);
        let third = Watcher::new();
        let watching = tokio::spawn(real.claude.recover(turn.clone(), process, third.link.clone()));
        std::fs::write(released, "").unwrap();
        match watching.await.unwrap() {
            Fate::Ended(Ok(reply)) => assert_eq!((reply.text.as_str(), reply.refused.len()), ("Done.", 0)),
            other => panic!("{cli:?}: {other:?}"),
        }
        assert_eq!(alive(turn.attempt), [0; 0], "{cli:?}");
    }
}
