//! `surefire read`: a reply on standard input, an outcome on standard output.

use std::io::Write;
use std::process::{Output, Stdio};

use serde_json::{Value, json};

use crate::command::Place;
use crate::terminal::in_terminal;

/// The status, and the one line of JSON that was printed.
fn read(place: &Place, words: &[&str], reply: &[u8]) -> (i32, Value) {
    let Output { status, stdout, stderr } = run_with_input(place, words, reply);
    assert_eq!(String::from_utf8_lossy(&stderr), "", "it prints nothing else");
    let line = String::from_utf8(stdout).expect("it is text");
    assert_eq!(line.lines().count(), 1, "{line}");
    (status.code().unwrap(), serde_json::from_str(&line).expect("it is JSON"))
}

fn run_with_input(place: &Place, words: &[&str], reply: &[u8]) -> Output {
    let mut command = place.surefire(words);
    let mut child = command.stdin(Stdio::piped()).spawn().expect("the command can be run");
    let mut input = child.stdin.take().expect("it is piped");
    std::thread::scope(|scope| {
        // The command may stop reading before the end of the reply.
        scope.spawn(move || drop(input.write_all(reply)));
        child.wait_with_output().expect("it ends")
    })
}

#[test]
fn an_outcome_is_read() {
    let place = Place::new();
    let words = ["read", "--outcomes", "complete, no-tasks,other"];
    let table: [(&[u8], Value); 5] = [
        (
            b"Done.\n{\"outcome\": \"complete\"}\n",
            json!({"outcome": "complete", "description": null, "repaired": []}),
        ),
        (
            br#"{"outcome": "other", "otherDescription": "a \u001b[2J \u007f bell"}"#,
            json!({"outcome": "other", "description": "a \u{1b}[2J \u{7f} bell", "repaired": []}),
        ),
        (
            b"```json\n{\"outcome\": \"complete\",}\n```",
            json!({"outcome": "complete", "description": null, "repaired": ["trailing-comma"]}),
        ),
        (
            b"\xff\xfe {\"outcome\": \"no-tasks\"}",
            json!({"outcome": "no-tasks", "description": null, "repaired": []}),
        ),
        (
            b"{\"outcome\": \"other\", \"otherDescription\": \"\xff!\"}",
            json!({"outcome": "other", "description": "\u{fffd}!", "repaired": []}),
        ),
    ];
    for (reply, reading) in table {
        assert_eq!(read(&place, &words, reply), (0, reading), "{}", String::from_utf8_lossy(reply));
    }
}

#[test]
fn a_reply_without_outcome_has_the_status_of_an_unreadable_one() {
    let place = Place::new();
    let table = [
        ("", "no-json"),
        ("All done!", "no-json"),
        (r#"{"outcome": "compl"#, "not-json"),
        (r#"{"result": "complete"}"#, "no-outcome"),
        (r#"{"outcome": "Complete"}"#, "unknown-outcome"),
        (r#"{"outcome": "other"}"#, "other-without-description"),
    ];
    for (reply, kind) in table {
        let (status, output) =
            read(&place, &["read", "--outcomes", "complete,other"], reply.as_bytes());
        assert_eq!((status, output["unread"].as_str()), (13, Some(kind)), "{reply}");
        assert!(output["message"].as_str().unwrap().contains("; "), "it says what to do: {output}");
        assert_eq!(output.as_object().unwrap().len(), 2, "{output}");
    }
}

#[test]
fn a_reply_is_read_as_a_step_of_a_recipe_would() {
    let place = Place::new();
    let step = |step| ["read", "--recipe", "implement-and-review", "--step", step];
    let reply = br#"{"outcome": "no-tasks"}"#;
    let (status, output) = read(&place, &step("implement"), reply);
    assert_eq!((status, &output["outcome"]), (0, &json!("no-tasks")));
    let (status, output) = read(&place, &step("fix"), reply);
    assert_eq!((status, &output["unread"]), (13, &json!("unknown-outcome")));
    assert!(
        output["message"].as_str().unwrap().contains("`complete`, `other`"),
        "in their order: {output}"
    );
}

#[test]
fn a_reply_is_limited_to_16_mib() {
    let place = Place::new();
    let answer = br#"{"outcome": "a"}"#;
    let mut reply = vec![b' '; (16 << 20) - answer.len()];
    reply.extend_from_slice(answer);
    assert_eq!(read(&place, &["read", "--outcomes", "a"], &reply).0, 0, "16 MiB are read");
    reply.push(b'\n');
    let output = run_with_input(&place, &["read", "--outcomes", "a"], &reply);
    assert_eq!((output.status.code(), output.stdout), (Some(1), Vec::new()));
    assert!(String::from_utf8_lossy(&output.stderr).contains("larger than 16 MiB"));
}

#[test]
fn reading_from_a_terminal_says_that_it_waits() {
    let place = Place::new();
    let mut command = place.surefire(&["read", "--outcomes", "a"]);
    let (status, output) = in_terminal(&mut command, 80, "{\"outcome\": \"a\"}\n\u{4}");
    assert_eq!(status, 0, "{output}");
    assert!(output.contains("Reading a reply from the terminal; end it with Ctrl-D"), "{output}");
    assert!(
        output.ends_with("{\"outcome\":\"a\",\"description\":null,\"repaired\":[]}\n"),
        "{output}"
    );
}
