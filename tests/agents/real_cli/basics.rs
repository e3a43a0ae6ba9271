//! Replies, errors and conversations, with the newest version.

use std::io::Write;
use std::process::{Command, Stdio};

use surefire::agent::{Agent, AgentEvent, Failure};
use surefire_testkit::sandbox::{alive, ends, is_collected};
use surefire_testkit::{Move, RealCli, Watcher, eventually, link};
use uuid::Uuid;

use super::Real;

/// The newest version, or `None` if tests run without the CLI.
fn newest() -> Option<RealCli> {
    RealCli::all().into_iter().next()
}

#[tokio::test]
async fn without_a_login_any_prompt_fails_as_not_logged_in() {
    for prompt in ["Hello", "--version", "--help\n", &"x".repeat(1 << 20)] {
        let Some(cli) = newest() else { return };
        let real = Real::logged_out(&cli);
        let failure = real.take(&real.turn(prompt)).await.unwrap_err();
        assert!(
            matches!(&failure, Failure::NotLoggedIn { words } if words.contains("/login")),
            "{failure}"
        );
    }
}

#[tokio::test]
async fn a_reply_and_a_second_one_in_the_same_conversation() {
    let Some(cli) = newest() else { return };
    let real = Real::served_by(&cli, Move::says("Done.\n{\"outcome\": \"complete\"}"));
    let first = real.turn("Do it.");
    let watcher = Watcher::new();
    let reply = real.claude.turn(first.clone(), watcher.link.clone()).await.unwrap();
    assert_eq!(reply.text, "Done.\n{\"outcome\": \"complete\"}");
    assert_eq!((reply.version.as_deref(), reply.rounds), (Some(cli.version.as_str()), Some(1)));
    assert!(reply.cost_usd.is_some());
    watcher.receives("said Done.\n{\"outcome\": \"complete\"}").await;

    // The driver does not remember that the conversation was opened, and resumes it from another
    // directory.
    let mut second = real.turn("And now?");
    second.session = first.session;
    second.directory = real.folder.path().to_owned();
    assert_eq!(real.take(&second).await.unwrap().text, reply.text);
}

#[tokio::test]
async fn a_system_prompt_reaches_the_service_with_every_turn() {
    const WORDS: &str = "Answer in one line, and say why.";
    let Some(cli) = newest() else { return };
    let real = Real::served_by(&cli, Move::says("Done."));
    real.take(&real.turn("Do it.")).await.unwrap();
    let mut turn = real.turn("Do it.").system_prompt(Some(WORDS.into()));
    for opened in [false, true] {
        turn.opened = opened;
        real.take(&turn).await.unwrap();
    }
    let requests = real.service().requests();
    let received: Vec<_> =
        requests.iter().map(|request| request.to_string().contains(WORDS)).collect();
    assert_eq!(received, [false, true, true]);
}

#[tokio::test]
async fn a_lost_conversation_is_not_replaced() {
    let Some(cli) = newest() else { return };
    let real = Real::served_by(&cli, Move::says("Done."));
    let mut turn = real.turn("Do it.");
    real.take(&turn).await.unwrap();
    turn.opened = true;
    real.take(&turn).await.expect("it can be resumed");
    let projects = real.folder.path().join("home/.claude/projects");
    let folder = std::fs::read_dir(projects).unwrap().next().unwrap().unwrap().path();
    std::fs::remove_file(folder.join(format!("{}.jsonl", turn.session)))
        .expect("this is where it was kept");
    let failure = real.take(&turn).await.unwrap_err();
    assert!(failure.to_string().contains("the conversation is lost"), "{failure}");
}

#[tokio::test]
async fn errors_of_the_service_are_distinguished() {
    type Expected = fn(&Failure) -> bool;
    let table: [(Move, Expected); 6] = [
        (Move::Fails(401, "authentication_error", "invalid x-api-key"), |failure| {
            matches!(failure, Failure::NotLoggedIn { .. })
        }),
        (
            Move::Fails(403, "permission_error", "OAuth token does not meet scope requirement"),
            |failure| matches!(failure, Failure::NotLoggedIn { .. }),
        ),
        (Move::Fails(529, "overloaded_error", "Overloaded"), |failure| {
            matches!(failure, Failure::Overloaded { .. })
        }),
        (
            Move::Fails(
                400,
                "invalid_request_error",
                "prompt is too long: 250000 tokens > 200000 maximum",
            ),
            |failure| matches!(failure, Failure::ContextFull { .. }),
        ),
        (
            Move::Fails(429, "rate_limit_error", "This request would exceed your rate limit"),
            |failure| matches!(failure, Failure::UsageLimit { .. }),
        ),
        (
            Move::Fails(
                400,
                "invalid_request_error",
                "Your credit balance is too low to access the API",
            ),
            |failure| matches!(failure, Failure::Refused { words } if words.contains("Credit balance")),
        ),
    ];
    for (answer, expected) in table {
        let Some(cli) = newest() else { return };
        let real = Real::served_by(&cli, answer);
        let failure = real.take(&real.turn("Do it.")).await.unwrap_err();
        assert!(expected(&failure), "{failure:?}");
    }
}

#[tokio::test]
async fn it_can_be_stopped_while_it_waits_for_the_service() {
    let Some(cli) = newest() else { return };
    let real = Real::served_by(&cli, Move::Hangs);
    let (turn, watcher) = (real.turn("Do it."), Watcher::new());
    let doing = tokio::spawn(real.claude.turn(turn.clone(), watcher.link.clone()));
    let output = turn.scratch.join("stdout.jsonl");
    eventually("it has begun", || {
        std::fs::metadata(&output).is_ok_and(|metadata| metadata.len() > 0)
    })
    .await;
    watcher.link.stop.cancel();
    assert_eq!(doing.await.unwrap(), Err(Failure::Stopped));
    assert_eq!(alive(turn.attempt), [0; 0]);
    assert!(is_collected(&watcher.process().unwrap()));
}

/// It waits 3 s for the first byte of its prompt, and then ends without having done anything.
#[tokio::test]
async fn a_prompt_that_comes_too_late_is_given_to_another_process() {
    let Some(cli) = newest() else { return };
    let real = Real::served_by(&cli, Move::says("Done."));
    let (link, mut events) = link(4);
    let turn = real.turn("Do it.");
    let doing = tokio::spawn(real.claude.turn(turn.clone(), link));
    let Some(AgentEvent::Spawned { process, go }) = events.recv().await else { panic!() };
    ends(&process).await;
    go.send(()).unwrap();
    let Some(AgentEvent::Spawned { go, .. }) = events.recv().await else { panic!() };
    go.send(()).unwrap();
    assert_eq!(doing.await.unwrap().unwrap().text, "Done.");
}

/// This happens after a crash between the start of a process and its record: the CLI refuses an
/// empty prompt.
#[tokio::test]
async fn a_process_that_gets_no_prompt_ends_by_itself() {
    let Some(cli) = newest() else { return };
    let real = Real::logged_out(&cli);
    let (status, stderr) = without_the_driver(&real, Uuid::new_v4(), Stdio::null());
    assert_eq!(status, (Some(1), true));
    assert!(stderr.contains("Input must be provided"), "{stderr}");
}

/// The message from which the driver knows that nothing was done and that it may retry with
/// `--resume`.
#[tokio::test]
async fn an_id_that_is_in_use_is_refused_with_this_message() {
    let Some(cli) = newest() else { return };
    let real = Real::logged_out(&cli);
    let turn = real.turn("Do it.");
    real.take(&turn).await.expect_err("there is no login, but the conversation exists now");
    let (reader, mut writer) = std::io::pipe().unwrap();
    writer.write_all(b"Do it.").unwrap();
    drop(writer);
    let (status, stderr) = without_the_driver(&real, turn.session, reader.into());
    assert_eq!(status, (Some(1), true));
    assert!(stderr.contains(&format!("Session ID {} is already in use", turn.session)), "{stderr}");
}

/// Runs the CLI without the driver: its exit status, whether its standard output is empty, and its
/// standard error.
fn without_the_driver(real: &Real, session: Uuid, stdin: Stdio) -> ((Option<i32>, bool), String) {
    let mut command = Command::new(real.claude.path());
    command.args([
        "-p",
        "--output-format",
        "stream-json",
        "--verbose",
        "--session-id",
        &session.to_string(),
    ]);
    command
        .env_clear()
        .env("HOME", real.folder.path().join("home"))
        .env("PATH", std::env::var_os("PATH").unwrap());
    let output =
        command.current_dir(real.folder.path().join("project")).stdin(stdin).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    ((output.status.code(), output.stdout.is_empty()), stderr)
}
