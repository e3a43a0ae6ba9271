//! What a run changed, over HTTP.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use surefire::agent::Script;
use surefire::engine::MAX_DIFF_BYTES;
use surefire_testkit::app::{App, Serving};
use surefire_testkit::{Act, FakeAgent, git, make_work_tree};
use tokio::sync::Notify;

use crate::raw::{Answer, ask, read};

const UNKNOWN: &str = "3f2a8c1e-5b7d-4e90-a1c6-9d8e7f6a5b4c";

/// A server with this agent, whose project is a git work tree with one file that is not committed.
async fn serving(agent: &FakeAgent) -> Serving {
    let server = Serving::with(Arc::new(agent.clone()), |builder| builder).await;
    make_work_tree(&server.project(), &[]);
    std::fs::write(server.project().join("mine.txt"), "mine\n").unwrap();
    server
}

async fn start(server: &Serving, app: &mut App) -> String {
    let start = json!({
        "type": "start_recipe", "session_id": null, "recipe_id": "implement-and-review",
        "working_directory": server.project(),
    });
    app.send(start).await;
    app.until("recipe_started").await["run_id"].as_str().unwrap().to_owned()
}

/// Runs the recipe to its end.
async fn run(server: &Serving) -> String {
    let mut app = App::connect(server.address).await;
    let run = start(server, &mut app).await;
    app.until("recipe_exited").await;
    run
}

async fn request_diff(server: &Serving, run: &str, query: &str) -> Answer {
    read(server.address, &format!("/api/runs/{run}/diff{query}")).await
}

async fn diff(server: &Serving, run: &str, query: &str) -> Value {
    let answer = request_diff(server, run, query).await;
    assert_eq!(answer.status(), 200, "{answer:?}");
    answer.json()
}

/// Why there is no diff.
async fn unavailable(server: &Serving, run: &str) -> String {
    let answer = diff(server, run, "").await;
    assert_eq!((&answer["text"], &answer["cut"]), (&json!(""), &json!(false)), "{answer}");
    answer["unavailable"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

/// The files that a diff is about.
fn files(answer: &Value) -> Vec<&str> {
    answer["text"]
        .as_str()
        .unwrap()
        .lines()
        .filter_map(|line| line.strip_prefix("+++ b/"))
        .collect()
}

#[tokio::test]
async fn a_run_and_each_of_its_turns_has_a_diff() {
    let agent = FakeAgent::default();
    let server = serving(&agent).await;
    agent.then(Act::Writes(server.project().join("one.txt"), "complete"));
    agent.then(Act::Writes(server.project().join("two.txt"), "no-issues"));
    agent.then(Act::Outcome("committed"));
    let run = run(&server).await;
    assert_eq!(git(&server.project(), &["status", "--porcelain"]), "", "everything is committed");

    let whole = diff(&server, &run, "").await;
    assert_eq!(files(&whole), ["one.txt", "two.txt"], "earlier changes are not part of the diff");
    assert!(whole["text"].as_str().unwrap().contains("\n@@ -0,0 +1 @@\n+written\n"), "{whole}");
    assert_eq!((&whole["turn"], &whole["cut"]), (&Value::Null, &json!(false)));
    assert!(whole.get("unavailable").is_none());
    let turns = json!([
        { "turn": 1, "visit": 1, "step": "implement", "changed": true },
        { "turn": 2, "visit": 2, "step": "code-review", "changed": true },
        { "turn": 3, "visit": 3, "step": "commit", "changed": false },
    ]);
    assert_eq!(whole["turns"], turns);
    for (turn, expected) in [(1, vec!["one.txt"]), (2, vec!["two.txt"]), (3, vec![])] {
        let part = diff(&server, &run, &format!("?turn={turn}")).await;
        assert_eq!((files(&part), &part["turn"], &part["turns"]), (expected, &json!(turn), &turns));
    }
    for turn in [0, 4, u32::MAX] {
        let missing = request_diff(&server, &run, &format!("?turn={turn}")).await;
        assert_eq!(missing.status(), 404, "{missing:?}");
        let words = missing.json()["error"].as_str().unwrap().to_owned();
        assert!(words.contains(&format!("after turn {turn}")), "{words}");
    }
    for wrong in ["?turn=-1", "?turn=first", "?turn=", "?turn=1&turn=2", "?turn=4294967296"] {
        assert_eq!(request_diff(&server, &run, wrong).await.status(), 400, "{wrong}");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_long_diff_is_cut_after_a_line_and_a_running_turn_has_none_yet() {
    let (written, agent) = (Arc::new(Notify::new()), FakeAgent::default());
    agent.then(Act::Waits(Arc::clone(&written), "complete"));
    agent.then(Act::Hangs);
    let server = serving(&agent).await;
    let mut app = App::connect(server.address).await;
    let run = start(&server, &mut app).await;
    agent.asked(1).await;
    assert!(unavailable(&server, &run).await.contains("no snapshot"), "no turn has ended");

    let line = "a line of a long file, with \u{2764}\n";
    std::fs::write(server.project().join("long.txt"), line.repeat(40_000)).unwrap();
    written.notify_one();
    agent.asked(2).await;
    for query in ["", "?turn=1"] {
        let answer = diff(&server, &run, query).await;
        let text = answer["text"].as_str().unwrap();
        assert_eq!(answer["cut"], true);
        assert!(
            text.len() > MAX_DIFF_BYTES - 100 && text.len() <= MAX_DIFF_BYTES,
            "{}",
            text.len()
        );
        assert!(text.ends_with(&format!("\n+{line}")), "it ends with a whole line");
    }
    assert_eq!(request_diff(&server, &run, "?turn=2").await.status(), 404, "it has not ended");
    server.stop().await;
}

#[tokio::test]
async fn a_run_outside_of_git_and_a_rehearsal_say_why_there_is_no_diff() {
    let server = Serving::with(Arc::new(FakeAgent::default()), |builder| builder).await;
    let outside = run(&server).await;
    let words = unavailable(&server, &outside).await;
    assert!(words.contains("was not in a git work tree"), "{words}");
    assert_eq!(diff(&server, &outside, "?turn=1").await["turns"], json!([]));
    server.stop().await;

    let server = Serving::rehearsing(Script::NoTasks).await;
    make_work_tree(&server.project(), &[]);
    let rehearsed = run(&server).await;
    let words = unavailable(&server, &rehearsed).await;
    assert!(words.contains("is a rehearsal"), "{words}");
    server.stop().await;
}

#[tokio::test]
async fn an_unknown_run_has_no_diff_and_reading_one_needs_the_key() {
    let server = Serving::rehearsing(Script::NoTasks).await;
    let unknown = request_diff(&server, UNKNOWN, "").await;
    assert_eq!(unknown.status(), 404);
    assert!(unknown.json()["error"].as_str().unwrap().contains(UNKNOWN));
    assert_eq!(request_diff(&server, "none", "").await.status(), 400);
    let path = format!("GET /api/runs/{UNKNOWN}/diff");
    assert_eq!(ask(server.address, &path, &[]).await.status(), 401);
    assert_eq!(
        ask(server.address, &path, &[("Authorization", "Bearer wrong")]).await.status(),
        401
    );
    server.stop().await;
}

#[tokio::test]
async fn a_diff_names_what_was_deleted_in_the_meantime() {
    let agent = FakeAgent::default();
    let server = serving(&agent).await;
    let (project, data) = (server.project(), server.place.path().join("data"));
    agent.then(Act::Writes(project.join("one.txt"), "complete"));
    agent.then(Act::Outcome("no-issues"));
    agent.then(Act::Claims("committed"));
    let run = run(&server).await;
    let objects = data.join("runs").join(&run).join("objects");
    assert_eq!(files(&diff(&server, &run, "").await), ["one.txt"]);

    let rename = |from: &Path, to: &Path| std::fs::rename(from, to).unwrap();
    let (away, repository) = (server.place.path().join("away"), project.join(".git"));
    rename(&repository, &away);
    let words = unavailable(&server, &run).await;
    assert!(words.contains("is not in a git work tree any more"), "{words}");
    rename(&away, &repository);
    rename(&project, &away);
    let words = unavailable(&server, &run).await;
    assert!(words.contains(project.to_str().unwrap()), "{words}");
    rename(&away, &project);

    rename(&objects, &away);
    assert_eq!(unavailable(&server, &run).await, "the snapshots of this run have been deleted");
    assert!(!objects.exists(), "reading creates nothing");
    std::fs::create_dir(&objects).unwrap();
    let words = unavailable(&server, &run).await;
    assert!(words.contains("cannot be compared: `git diff-tree` failed"), "{words}");
    std::fs::remove_dir(&objects).unwrap();
    rename(&away, &objects);
    assert_eq!(files(&diff(&server, &run, "").await), ["one.txt"]);
    server.stop().await;
}
