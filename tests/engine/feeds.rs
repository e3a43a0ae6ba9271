//! Listeners: all hear the same, in order, and a slow one catches up.

use surefire::engine::Notice;

use crate::puppet::{Act, Puppet};
use crate::stage::{Stage, hear};

#[tokio::test(start_paused = true)]
async fn all_listeners_hear_the_same_in_order() {
    let stage = Stage::new(Puppet::new([])).await;
    let (mut first, mut second) = (stage.engine.listen(), stage.engine.listen());
    let (started, _) = stage.run().await;
    let written: Vec<_> = stage.events(started.run).iter().map(|recorded| recorded.seq).collect();
    for feed in [&mut first, &mut second] {
        let mut heard = Vec::new();
        while heard.len() < written.len() {
            if let Notice::Happened(recorded) = feed.next().await.unwrap() {
                heard.push(recorded.seq);
            }
        }
        assert_eq!(heard, written);
    }
}

#[tokio::test(start_paused = true)]
async fn a_listener_that_is_too_slow_misses_no_event() {
    let store = std::sync::Arc::new(surefire::store::Memory::default());
    let stage = Stage::with(Puppet::new([]), store, |options| options.backlog = 4).await;
    let mut slow = stage.engine.listen();
    let mut runs = Vec::new();
    for _ in 0..60 {
        runs.push(stage.run().await.0.run);
    }
    let written = stage.store.events_of_all(0, usize::MAX).unwrap();
    assert!(written.len() > 512, "more than a page is missed");
    let (mut heard, mut missed) = (Vec::new(), false);
    while heard.len() < written.len() {
        match slow.next().await.unwrap() {
            Notice::Happened(recorded) => heard.push(recorded.place),
            Notice::Missed => missed = true,
            _ => {}
        }
    }
    assert!(missed, "and it is told that it has missed words");
    assert_eq!(heard, written.iter().map(|recorded| recorded.place).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn the_agents_words_are_told_while_it_works() {
    let stage = Stage::new(Puppet::new([Act::Outcome("no-tasks")])).await;
    let mut feed = stage.engine.listen();
    let started = stage.start().await;
    let text = loop {
        if let Notice::Saying { session, text, .. } = feed.next().await.unwrap() {
            assert_eq!(session, started.session);
            break text;
        }
    };
    assert_eq!(&*text, "Working on it.");
    hear(&mut feed, started.run, "ended").await;
}

#[tokio::test(start_paused = true)]
async fn a_run_goes_on_when_its_listener_is_gone() {
    let stage = Stage::new(Puppet::new([])).await;
    let feed = stage.engine.listen();
    let started = stage.start().await;
    drop(feed);
    assert_eq!(stage.ended(started).await.reason, "task-committed");
}
