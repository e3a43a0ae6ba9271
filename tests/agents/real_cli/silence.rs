//! An agent whose tool runs long without output is not silent.

use std::time::Duration;

use surefire::agent::{Agent, Failure, Fate};
use surefire_testkit::sandbox::alive;
use surefire_testkit::{Move, RealCli, Watcher};

use super::{RELEASED, Real, WAIT};

/// Shorter than the tool takes. It is in force only while the tool is open, so that the test does
/// not depend on how fast the CLI is.
const SILENCE_TIMEOUT: Duration = Duration::from_millis(500);

/// The tool begins under one server and outlives it; a second server finds it open, and a third
/// receives the reply.
#[tokio::test]
async fn a_long_tool_does_not_make_an_adopted_turn_silent() {
    for cli in RealCli::all() {
        let real = Real::scripted(&cli);
        let released = real.project().join(RELEASED);
        real.service().play([Move::runs(WAIT), Move::says("Done.")]);
        let (mut turn, first) = (real.step(&[WAIT]), Watcher::new());
        let taking = tokio::spawn(real.claude.turn(turn.clone(), first.link.clone()));
        first.receives("used Bash").await;
        first.link.detach.cancel();
        assert_eq!(taking.await.unwrap(), Err(Failure::Detached), "{cli:?}");

        turn.limits.silence = SILENCE_TIMEOUT;
        let second = Watcher::new();
        let process = first.process();
        let watching =
            tokio::spawn(real.claude.recover(turn.clone(), process.clone(), second.link.clone()));
        second.receives("used Bash").await;
        tokio::time::sleep(4 * SILENCE_TIMEOUT).await;
        assert!(!watching.is_finished(), "{cli:?}: {:?}", watching.await);
        second.link.detach.cancel();
        assert!(matches!(watching.await.unwrap(), Fate::Ended(Err(Failure::Detached))), "{cli:?}");

        turn.limits.silence = Duration::from_secs(60);
        let third = Watcher::new();
        let watching = tokio::spawn(real.claude.recover(turn.clone(), process, third.link.clone()));
        std::fs::write(released, "").unwrap();
        match watching.await.unwrap() {
            Fate::Ended(Ok(reply)) => {
                assert_eq!((reply.text.as_str(), reply.refused.len()), ("Done.", 0));
            }
            other => panic!("{cli:?}: {other:?}"),
        }
        assert_eq!(alive(turn.attempt), [0; 0], "{cli:?}");
    }
}
