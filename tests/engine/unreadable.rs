//! Rows that cannot be read when an engine starts: each affects only its own run or chat.

use std::sync::Arc;

use rusqlite::Connection;
use surefire::engine::{NewSessionSpec, SendPrompt, Started};
use surefire::process::{Command, Files, ProcessLimits, ProcessMark, TextLines};
use surefire::run::SessionId;
use surefire::store::{Change, Commit, ProcessRecord, Sqlite, Store};
use surefire_testkit::{Act, FakeAgent, Harness};
use tempfile::TempDir;
use uuid::Uuid;

/// A run and a chat, each with an agent at work, in a store on disk.
struct Left {
    harness: Harness,
    disk: TempDir,
    run: Started,
    chat: SessionId,
}

impl Left {
    async fn new() -> Self {
        let disk = tempfile::tempdir().unwrap();
        let store: Arc<dyn Store> = Arc::new(Sqlite::open(disk.path()).unwrap().store);
        let harness = Harness::with(FakeAgent::new([Act::Hangs, Act::Hangs]), store, |_| ()).await;
        let run = harness.start().await;
        let chat = Uuid::new_v4().into();
        let begin = Some(NewSessionSpec::default().directory(Some(harness.directory())));
        harness
            .engine
            .send_prompt(SendPrompt::new(chat, "Is it green?").begin(begin))
            .await
            .unwrap();
        harness.agent.asked(2).await;
        for attempt in harness.store.open_attempts().unwrap() {
            let directory = harness.place.path().join("data/attempts").join(attempt.id.to_string());
            std::fs::create_dir_all(directory).unwrap();
        }
        Self { harness, disk, run, chat }
    }

    fn tamper(&self, sql: &str) {
        let other = Connection::open(self.disk.path().join("surefire.db")).unwrap();
        other.execute_batch("DROP TRIGGER IF EXISTS events_never_change").unwrap();
        other.execute_batch(sql).unwrap();
    }
}

#[tokio::test]
async fn an_engine_starts_whichever_table_has_a_row_that_cannot_be_read() {
    let damages = [
        "UPDATE attempts SET began_at = -5",
        "UPDATE sessions SET created_at = -1",
        "UPDATE runs SET steps = -1",
        "UPDATE events SET body = 'x'",
        "UPDATE messages SET role = 'narrator'",
        "UPDATE prompts SET at = -1",
    ];
    for damage in damages {
        let left = Left::new().await;
        left.tamper(damage);
        let harness = left.harness.again().await;
        let (_, ending) = harness.run().await;
        assert_eq!(ending.reason, "task-committed", "{damage}");
    }
}

#[tokio::test]
async fn a_turn_whose_row_cannot_be_read_is_not_repeated() {
    let left = Left::new().await;
    let attempts = left.harness.store.open_attempts().unwrap();
    left.tamper("UPDATE attempts SET began_at = -5");
    let Left { harness, run, chat, disk: _disk } = left;
    let harness = harness.again().await;
    assert_eq!(harness.agent.turns().len(), 2, "no agent is asked again");
    // Both agents are found by the files they left, and stopped.
    let stopped: Vec<_> = harness.agent.recovered().iter().map(|call| call.turn.attempt).collect();
    assert!(attempts.iter().all(|attempt| stopped.contains(&attempt.id.uuid())), "{stopped:?}");
    assert_eq!(harness.record(run.run).ending.unwrap().reason, "storage_error");
    // Its session can be used again, and so can the other one.
    for session in [run.session, chat] {
        let next = harness.engine.start(harness.start_request().session(Some(session))).await;
        assert_eq!(harness.ended(next.unwrap()).await.reason, "task-committed");
    }
}

#[tokio::test]
async fn a_chat_whose_prompt_cannot_be_read_ends_and_its_session_can_be_used() {
    let left = Left::new().await;
    left.tamper("UPDATE prompts SET at = -1");
    let Left { harness, chat, disk: _disk, .. } = left;
    let harness = harness.again().await;
    let next = harness.engine.start(harness.start_request().session(Some(chat))).await;
    assert_eq!(harness.ended(next.unwrap()).await.reason, "task-committed");
}

#[tokio::test]
async fn the_agent_of_a_quarantined_run_is_stopped() {
    let left = Left::new().await;
    let attempts = left.harness.store.open_attempts().unwrap();
    let attempt = attempts.iter().find(|attempt| attempt.run.is_some()).unwrap().id;
    let files = Files::at(left.harness.place.path().join("files"));
    let command = Command::new("sleep", ProcessMark::new(attempt.uuid())).arguments(["600"]);
    let held = command.start(files, ProcessLimits::default(), TextLines).await.unwrap();
    let (pid, started) = (held.process().pid, held.process().started.clone());
    let process = ProcessRecord { pid, started };
    left.harness
        .store
        .commit(&Commit { changes: vec![Change::Spawned { attempt, process }] })
        .unwrap();

    left.tamper("UPDATE sessions SET created_at = -1");
    let Left { harness, run, disk: _disk, .. } = left;
    let harness = harness.again().await;
    assert_eq!(harness.record(run.run).ending.unwrap().reason, "storage_error");
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    assert!(status.is_empty() || status.contains(") Z "), "its process is gone: {status}");
    drop(held);
}
