//! The server's command line: what it prints to which stream, and its exit status.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::PermissionsExt;
use std::process::{Output, Stdio};
use std::time::Duration;

use rustix::process::Signal;
use surefire_testkit::app::App;
use surefire_testkit::eventually_async;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;

use super::program::{Place, Running};

/// The output of a command that exits by itself.
async fn output(command: &mut Command) -> Output {
    let ended = tokio::time::timeout(Duration::from_secs(20), command.output()).await;
    ended.expect("it ends by itself").expect("the command can be run")
}

/// The exit status of a command that fails, and its error message, which is all that it prints.
async fn failure(command: &mut Command) -> (Option<i32>, String) {
    let output = output(command).await;
    assert_eq!(output.stdout, b"", "errors go to standard error");
    (output.status.code(), String::from_utf8(output.stderr).expect("it is text"))
}

#[tokio::test]
async fn wrong_usage_has_its_own_exit_status() {
    let place = Place::new();
    for wrong in [
        &["--nonsense"][..],
        &["--agent", "x"],
        &["--listen", "here"],
        &["run"],
        &["serve", "--port", "1"],
    ] {
        let (status, words) = failure(place.bare().args(wrong)).await;
        assert_eq!(status, Some(64), "{wrong:?}: {words}");
        assert!(words.contains("--help"), "{words}");
    }
    assert!(output(place.bare().arg("--help")).await.status.success());
    assert!(!place.home().join(".local").exists());
}

/// If they were, `--data` would have no effect and the server would use the default data directory.
#[tokio::test]
async fn options_before_the_command_are_not_ignored() {
    let place = Place::new();
    let (status, words) = failure(place.command().arg("serve")).await;
    assert_eq!(status, Some(64), "{words}");
    assert!(!place.home().join(".local").exists(), "nothing was created");
}

#[tokio::test]
async fn a_failed_start_names_its_cause() {
    let place = Place::new();
    let first = place.serve("happy", Duration::ZERO).await;

    let (status, words) = failure(&mut place.command()).await;
    let holder = first.address.to_string();
    assert!(
        status == Some(1) && words.contains("is in use by") && words.contains(&holder),
        "{words}"
    );

    // If the port is taken too, another port would not help.
    let (status, words) =
        failure(place.bare().args(["--listen", &holder, "--data"]).arg(place.data())).await;
    assert!(
        status == Some(1) && words.contains("is in use by") && words.contains(&holder),
        "{words}"
    );

    let other = Place::new();
    let (status, words) = failure(other.bare().args(["--listen", &holder])).await;
    assert!(status == Some(1) && words.contains(&format!("cannot listen at {holder}")), "{words}");

    let (status, words) = failure(other.bare().args(["--listen", "0.0.0.0:0"])).await;
    assert!(status == Some(1) && words.contains("--lan"), "{words}");

    std::fs::write(other.data(), "").unwrap();
    let (status, words) = failure(&mut other.command()).await;
    assert!(status == Some(1) && words.contains("cannot be used"), "{words}");

    let key = place.project().join("key");
    std::fs::write(&key, "").unwrap();
    std::fs::set_permissions(&key, PermissionsExt::from_mode(0o644)).unwrap();
    let other = Place::new();
    let (status, words) = failure(other.command().arg("--key-file").arg(&key)).await;
    assert!(status == Some(1) && words.contains("chmod 600"), "{words}");
}

#[tokio::test]
async fn listening_on_the_lan_warns_about_missing_encryption() {
    for lan in [true, false] {
        let place = Place::new();
        let mut command = place.bare();
        command.args(["--agent", "rehearsal", "--json", "--lan", "--data"]).arg(place.data());
        command.args(["--listen", if lan { "0.0.0.0:0" } else { "127.0.0.1:0" }]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the command can be run");
        let mut ready = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        ready.next_line().await.unwrap().expect("it prints its ready line");
        child.start_kill().unwrap();
        let output = child.wait_with_output().await.unwrap();
        assert_eq!(ready.next_line().await.unwrap(), None, "one line, and no more");
        let words = String::from_utf8(output.stderr).unwrap();
        assert_eq!(words.contains("not encrypted"), lan, "{words}");
    }
}

/// The reader may exit after the first line, or the terminal may be closed.
#[tokio::test]
async fn a_server_keeps_running_when_its_output_is_closed() {
    let place = Place::new();
    let mut command = place.command();
    command.env("RUST_LOG", "debug").arg("--json").stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut server = Running::begin(command).await;
    drop(server.child.stderr.take());
    let mut app = server.app().await;
    app.send(place.start_request()).await;
    app.until("recipe_exited").await;
    server.signal(Signal::TERM);
    app.closed().await.expect("it sends a close frame");
    assert!(server.ended().await.success());

    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = place.bare();
    command
        .args(["--agent", "rehearsal", "--listen", &free.to_string(), "--data"])
        .arg(place.data());
    let mut child = command.stdout(writer).spawn().expect("the command can be run");
    eventually_async("it serves", async || {
        assert_eq!(child.try_wait().unwrap(), None, "it keeps running");
        tokio::net::TcpStream::connect(free).await.is_ok()
    })
    .await;
    App::dial(free).await;
}

#[tokio::test]
async fn a_data_directory_whose_name_is_not_utf_8_works() {
    let place = Place::new();
    let data = place.project().join(OsString::from_vec(b"d\xff".to_vec()));
    let mut command = place.bare();
    command
        .args(["--agent", "rehearsal", "--json", "--listen", "127.0.0.1:0", "--data"])
        .arg(&data);
    let mut child = command.stdout(Stdio::piped()).spawn().expect("the command can be run");
    let mut lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
    let ready =
        tokio::time::timeout(Duration::from_secs(20), lines.next_line()).await.unwrap().unwrap();
    let ready: serde_json::Value = serde_json::from_str(&ready.expect("it is ready")).unwrap();
    assert!(ready["ws_url"].is_string() && data.join("api-key").exists(), "{ready}");
}
