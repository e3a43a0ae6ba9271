//! A hundred megabytes of output cost little memory. A test of its own, since it measures the whole process.
#![cfg(all(feature = "engine", target_os = "linux"))]

#[allow(dead_code, reason = "the other tests use the rest of it")]
#[path = "agents/claude/stage.rs"]
mod stage;

use serde_json::json;

/// A line of `/proc/self/status`, in KiB.
fn memory(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim_start_matches(':').trim().trim_end_matches(" kB").parse().unwrap()
}

#[tokio::test]
async fn memory_stays_flat() {
    let small = stage::Stage::with(&json!({}));
    small.take(&small.turn()).await.unwrap();
    let before = memory("VmRSS");

    let stage = stage::Stage::with(&json!({ "act": "huge", "megabytes": 100 }));
    let turn = stage.turn();
    assert_eq!(stage.take(&turn).await.unwrap().text, "Done.\n{\"outcome\":\"complete\"}");
    assert!(std::fs::metadata(turn.scratch.join("stdout.jsonl")).unwrap().len() > 100 << 20);
    let growth = memory("VmHWM").saturating_sub(before);
    assert!(growth < 20 << 10, "it grew by {growth} KiB at its peak");
}
