//! A client in JavaScript, with the most common WebSocket library there.

use std::path::Path;
use std::time::Duration;

use tokio::process::Command;

use super::program::Place;

#[tokio::test]
async fn a_client_in_another_language_works_the_same() {
    let own = std::env::current_exe().expect("a running test has a path");
    let target = own.ancestors().nth(3).expect("a test lies in <target>/<profile>/deps");
    let folder = target.join("node-client");
    assert!(
        folder.join("node_modules/ws/package.json").is_file(),
        "there is no WebSocket library for node at {}: run `scripts/install-node-client`",
        folder.display()
    );
    let (first, second) = (Place::new(), Place::new());
    let retrying = first.serve("garbage-once", Duration::ZERO).await;
    // Slow enough for a client to disconnect and reconnect during the run.
    let guarded = second.serve("never-satisfied", Duration::from_millis(400)).await;
    let mut node = Command::new("node");
    node.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/walk/node/walk.mjs"))
        .arg(folder)
        .args([&retrying.line, &guarded.line])
        .kill_on_drop(true);
    let output =
        node.output().await.expect("node can be run; `scripts/install-node-client` installs it");
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stdout}\n{stderr}");
    let last = stdout.lines().last().unwrap_or_default();
    assert!(last.starts_with("ok: ") && last.ends_with(" checks"), "{stdout}");
    println!("{stdout}");
}
