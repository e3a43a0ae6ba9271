//! Requests about the worktrees of runs and about trust in repositories.

use std::sync::Arc;

use serde_json::{Value, json};
use surefire::agent::Script;
use surefire::client::{Client, ClientError, Endpoint};
use surefire::wire::{ErrorCode, ErrorMessage, StartRecipe};
use surefire_testkit::app::{App, KEY, Serving};
use surefire_testkit::{Act, FakeAgent, commit, git, make_work_tree};

fn refused<T: std::fmt::Debug>(answer: Result<T, ClientError>) -> ErrorMessage {
    match answer.expect_err("it is refused") {
        ClientError::Refused(error) => *error,
        other => panic!("{other}"),
    }
}

/// A client with the key that connects over the network.
async fn network_client(server: &Serving) -> Client {
    Client::connect(Endpoint::at(server.address, KEY)).await.expect("it has the key")
}

/// A process of the server's own user.
async fn same_user(server: &Serving) -> Client {
    let own = Endpoint::in_directory(server.place.path().join("data"), KEY);
    Client::connect(own).await.expect("it is the same user")
}

#[tokio::test]
async fn a_run_without_a_worktree_cannot_be_merged_or_discarded() {
    let server = Serving::rehearsing(Script::Happy).await;
    let mut app = App::connect(server.address).await;
    app.send(json!({
        "type": "start_recipe", "session_id": null, "recipe_id": "retrospective",
        "working_directory": server.project(),
    }))
    .await;
    let exited = app.until("recipe_exited").await;
    for kind in ["merge_run", "discard_run"] {
        app.send(json!({ "type": kind, "run_id": exited["run_id"], "request_id": kind })).await;
        let error = app.until("error").await;
        assert_eq!(
            (&error["code"], &error["request_id"]),
            (&json!("cannot_end_worktree"), &json!(kind))
        );
        assert_eq!(error["session_id"], exited["session_id"]);
        let words = error["message"].as_str().expect("an error has a message");
        assert!(words.contains("has no worktree of its own"), "{words}");
    }
    let unknown = "00000000-0000-0000-0000-000000000001";
    app.send(json!({ "type": "merge_run", "run_id": unknown })).await;
    assert_eq!(app.until("error").await["code"], "run_not_found");
    server.stop().await;
}

#[tokio::test]
async fn trust_is_looked_up_only_in_repositories_below_the_roots() {
    let server = Serving::rehearsing(Script::Happy).await;
    let mut client = network_client(&server).await;
    let outside = refused(client.directory_trust("/").await);
    assert_eq!(outside.code, Some(ErrorCode::CannotTrust));
    assert!(outside.message.contains("outside of the allowed roots"), "{}", outside.message);
    let missing = refused(client.directory_trust(server.project().join("nowhere")).await);
    assert!(missing.message.contains("does not exist"), "{}", missing.message);
    let plain = refused(client.directory_trust(server.project()).await);
    assert!(plain.message.contains("is not in a git work tree"), "{}", plain.message);
    server.stop().await;
}

#[tokio::test]
async fn trust_in_a_deleted_directory_can_be_revoked() {
    let server = Serving::rehearsing(Script::Happy).await;
    let records = server.place.path().join("data/trust.json");
    let gone = server.place.path().join("gone");
    let record =
        json!({ "directories": { gone.to_str().unwrap(): { "files": { "surefire.toml": "1" } } } });
    std::fs::write(&records, record.to_string()).unwrap();
    let trust = same_user(&server)
        .await
        .untrust_directory(&gone)
        .await
        .unwrap_or_else(|error| panic!("{error}"));
    assert!(!trust.trusted && trust.files.is_empty() && trust.commands.is_empty(), "{trust:?}");
    let left: Value = serde_json::from_slice(&std::fs::read(&records).unwrap()).unwrap();
    assert_eq!(left, json!({ "directories": {} }));
    server.stop().await;
}

#[tokio::test]
async fn a_repository_is_trusted_until_its_files_change_and_every_client_can_see_that() {
    let server = Serving::rehearsing(Script::Happy).await;
    let project = server.project();
    make_work_tree(&project, &[]);
    std::fs::write(
        project.join("surefire.toml"),
        "verify = [\"make check\"]\nsetup = [\"make deps\"]\n",
    )
    .unwrap();
    commit(&project, "Add surefire.toml");
    let (mut own, mut other) = (same_user(&server).await, network_client(&server).await);
    let before = other.directory_trust(&project).await.unwrap_or_else(|error| panic!("{error}"));
    assert!(!before.trusted && before.changed.is_empty(), "{before:?}");
    assert_eq!(before.files, ["surefire.toml"]);
    assert_eq!(before.commands, ["make check", "make deps"]);

    assert!(own.trust_directory(&project).await.unwrap_or_else(|error| panic!("{error}")).trusted);
    assert!(
        other.directory_trust(&project).await.unwrap_or_else(|error| panic!("{error}")).trusted
    );

    std::fs::write(project.join(".mcp.json"), "{}").unwrap();
    commit(&project, "Servers");
    let changed = other.directory_trust(&project).await.unwrap_or_else(|error| panic!("{error}"));
    assert!(!changed.trusted, "{changed:?}");
    assert_eq!(changed.changed, [".mcp.json"]);
    server.stop().await;
}

#[tokio::test]
async fn a_mistake_in_the_file_is_reported_with_its_line() {
    let server = Serving::rehearsing(Script::Happy).await;
    let project = server.project();
    make_work_tree(&project, &[]);
    std::fs::write(project.join("surefire.toml"), "\nverfy = [\"make\"]\n").unwrap();
    commit(&project, "A mistake");
    let error = refused(same_user(&server).await.trust_directory(&project).await);
    assert_eq!(error.code, Some(ErrorCode::CannotTrust));
    assert!(error.message.contains("line 2, column 1"), "{}", error.message);
    server.stop().await;
}

/// Isolation does not widen what a run may do, so the key is enough.
#[tokio::test]
async fn a_network_client_may_start_an_isolated_run_and_merge_it() {
    let agent = FakeAgent::new([Act::Outcome("no-issues"), Act::Outcome("committed")]);
    let server = Serving::with(Arc::new(agent), |builder| builder).await;
    let project = server.project();
    make_work_tree(&project, &[]);
    let mut app = App::connect(server.address).await;
    app.send(json!({
        "type": "start_recipe", "session_id": null, "recipe_id": "review-and-commit",
        "working_directory": project, "isolate": true,
    }))
    .await;
    let exited = app.until("recipe_exited").await;
    assert_eq!(exited["reason"], "changes-committed", "{exited}");
    let before = git(&project, &["rev-parse", "HEAD"]);
    app.send(json!({ "type": "merge_run", "run_id": exited["run_id"] })).await;
    let ended = app.until("worktree_ended").await;
    assert_eq!((&ended["how"], &ended["into"]), (&json!("merged"), &json!("main")), "{ended}");
    assert_ne!(git(&project, &["rev-parse", "HEAD"]), before);
    assert_eq!(git(&project, &["branch", "--list", "surefire/*"]), "");
    app.send(json!({ "type": "discard_run", "run_id": exited["run_id"] })).await;
    let error = app.until("error").await;
    assert!(
        error["message"].as_str().expect("an error has a message").contains("was merged already"),
        "{error}"
    );
    server.stop().await;
}

#[tokio::test]
async fn an_isolated_run_needs_a_repository() {
    let server = Serving::with(Arc::new(FakeAgent::default()), |builder| builder).await;
    let start = StartRecipe::new("review-and-commit")
        .working_directory(Some(server.project()))
        .isolate(true);
    let refused = network_client(&server).await.start_recipe(start).await;
    let Err(ClientError::NotStarted { error, .. }) = refused else { panic!("{refused:?}") };
    assert!(error.message.contains("needs a git repository"), "{}", error.message);
    server.stop().await;
}
