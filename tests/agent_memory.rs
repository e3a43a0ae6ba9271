//! A hundred megabytes of output cost little memory. A binary of its own, since it measures the
//! memory of its whole process, in which no other test may run.
#![cfg(all(feature = "engine", target_os = "linux"))]

use serde_json::json;
use surefire_testkit::sandbox::ClaudeSandbox;

/// A line of `/proc/self/status`, in KiB.
fn memory(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim_start_matches(':').trim().trim_end_matches(" kB").parse().unwrap()
}

#[tokio::test]
async fn memory_stays_flat() {
    let small = ClaudeSandbox::with(&json!({}));
    small.take(&small.turn()).await.unwrap();
    let before = memory("VmRSS");

    let sandbox = ClaudeSandbox::with(&json!({ "act": "huge", "megabytes": 100 }));
    let turn = sandbox.turn();
    assert_eq!(sandbox.take(&turn).await.unwrap().text, "Done.\n{\"outcome\":\"complete\"}");
    assert!(std::fs::metadata(turn.scratch.join("stdout.jsonl")).unwrap().len() > 100 << 20);
    let growth = memory("VmHWM").saturating_sub(before);
    assert!(growth < 20 << 10, "it grew by {growth} KiB at its peak");
}
