//! Invalid messages of all kinds: each is answered, and the socket stays open.

use serde_json::{Value, json};
use surefire::agent::Script;
use surefire::server::ServerLimits;
use surefire_testkit::app::{App, Serving};

/// The id of a session or run that does not exist.
const UNKNOWN_ID: &str = "3f2a8c1e-5b7d-4e90-a1c6-9d8e7f6a5b4c";

/// Sends a message, and returns what arrives before the answer to a ping sent right behind it.
async fn answers(app: &mut App, message: &Value) -> Vec<Value> {
    app.send(message.clone()).await;
    app.so_far().await
}

/// Sends a message, and returns its one answer.
async fn answer(app: &mut App, message: &Value) -> Value {
    let answers = answers(app, message).await;
    assert_eq!(answers.len(), 1, "{message}: {answers:?}");
    answers.into_iter().next().unwrap()
}

/// The message with another value in one field.
fn with(message: &Value, field: &str, value: Value) -> Value {
    let mut message = message.clone();
    message[field] = value;
    message
}

fn without(message: &Value, field: &str) -> Value {
    let mut message = message.clone();
    message.as_object_mut().unwrap().remove(field);
    message
}

/// A field's name, whether it is required, and its type in the words of the error.
type Field = (&'static str, bool, &'static str);

/// A valid message of each kind, and its fields.
fn good_messages() -> Vec<(&'static str, Value, &'static [Field])> {
    let session = || json!({ "session_id": UNKNOWN_ID });
    let start = json!({ "session_id": UNKNOWN_ID, "recipe_id": "implement-and-review", "working_directory": "/" });
    let prompt = json!({ "text": "hi", "new_session_id": UNKNOWN_ID, "working_directory": "/" });
    vec![
        (
            "start_recipe",
            start,
            &[
                ("session_id", false, "a string"),
                ("recipe_id", true, "a string"),
                ("working_directory", false, "a string"),
                ("provider", false, "a string"),
                ("agent", false, "a string"),
                ("model", false, "a string"),
                ("prompt", false, "a string"),
                ("limits", false, "an object"),
            ],
        ),
        (
            "resume_run",
            json!({ "run_id": UNKNOWN_ID }),
            &[("run_id", true, "a string"), ("limits", false, "an object")],
        ),
        (
            "exit_recipe",
            session(),
            &[
                ("session_id", true, "a string"),
                ("reason", false, "`user-requested` or `user_stopped`"),
            ],
        ),
        (
            "prune_runs",
            json!({ "older_than_s": 1e15 }),
            &[("older_than_s", true, "a positive number")],
        ),
        (
            "prune_sessions",
            json!({ "older_than_s": 1e15 }),
            &[("older_than_s", true, "a positive number")],
        ),
        ("kill_session", session(), &[("session_id", true, "a string")]),
        (
            "set_orchestration",
            json!({ "enabled": true }),
            &[("enabled", true, "true or false"), ("session_id", false, "a string")],
        ),
        (
            "prompt",
            prompt,
            &[
                ("text", true, "a string"),
                ("new_session_id", true, "a string"),
                ("working_directory", false, "a string"),
                ("provider", false, "a string"),
                ("system_prompt", false, "a string"),
            ],
        ),
        (
            "subscribe",
            session(),
            &[
                ("session_id", true, "a string"),
                ("from_offset", false, "a whole number"),
                ("last_seq", false, "a whole number"),
            ],
        ),
        (
            "set_max_message_size",
            json!({ "size_kb": 1000 }),
            &[("size_kb", true, "a positive whole number")],
        ),
    ]
}

#[tokio::test]
async fn a_field_that_is_missing_or_of_the_wrong_type_is_named() {
    let server = Serving::limited(unthrottled()).await;
    let mut app = App::connect(server.address).await;
    for (kind, good, fields) in good_messages() {
        let good = with(&good, "type", json!(kind));
        for (field, required, expected) in fields {
            let wrong = if *expected == "a string" { json!(7) } else { json!("7") };
            let wrongs = [
                wrong,
                json!([UNKNOWN_ID]),
                if *expected == "an object" { json!(7) } else { json!({ "a": {} }) },
            ];
            for wrong in wrongs {
                let received = answer(&mut app, &with(&good, field, wrong.clone())).await;
                assert_eq!(
                    received["code"], "invalid_message",
                    "{kind} {field} {wrong}: {received}"
                );
                assert_eq!(
                    received["message"],
                    format!("{field} must be {expected} in {kind} message"),
                    "{wrong}"
                );
            }
            if *required {
                for missing in [without(&good, field), with(&good, field, Value::Null)] {
                    let received = answer(&mut app, &missing).await;
                    let name = if *field == "new_session_id" {
                        "new_session_id or resume_session_id"
                    } else {
                        field
                    };
                    assert_eq!(
                        received["message"],
                        format!("{name} required in {kind} message"),
                        "{missing}"
                    );
                    assert_eq!(received["code"], "invalid_message");
                }
            }
        }
    }
    let nothing = answer(&mut app, &json!({ "type": "start_recipe" })).await;
    assert_eq!(
        nothing["message"], "session_id required in start_recipe message",
        "before recipe_id"
    );
}

/// Limits that never throttle the many messages of these tests.
fn unthrottled() -> surefire::server::ServerLimits {
    ServerLimits::default().message_burst(10_000)
}

#[tokio::test]
async fn invalid_messages_are_refused_and_unknown_fields_are_ignored() {
    let server = Serving::limited(unthrottled()).await;
    let mut app = App::connect(server.address).await;
    let table = [
        ("", "message is not valid JSON: "),
        ("{", "message is not valid JSON: "),
        ("{}{}", "message is not valid JSON: "),
        ("\u{feff}{}", "message is not valid JSON: "),
        (r#"{"type":"ping","x":NaN}"#, "message is not valid JSON: "),
        (r#"{"type":"ping","x":1e999}"#, "message is not valid JSON: "),
        (r#"{"type":"\ud800"}"#, "message is not valid JSON: "),
        ("[]", "message must be a JSON object"),
        (r#""ping""#, "message must be a JSON object"),
        ("null", "message must be a JSON object"),
        ("{}", "type required in message"),
        (r#"{"type":["ping"]}"#, "type required in message"),
        (r#"{"type":""}"#, "Unknown message type: "),
        (r#"{"type":"PING"}"#, "Unknown message type: PING"),
        (r#"{"type":"a\nb\u0000"}"#, "Unknown message type: a\\nb\\0"),
        (r#"{"type":"pong"}"#, "Unknown message type: pong"),
    ];
    for (text, words) in table {
        app.send_text(text).await;
        let received = app.so_far().await;
        assert_eq!(received.len(), 1, "{text}: {received:?}");
        assert_eq!(received[0]["type"], "error", "{text}");
        assert!(
            received[0]["message"].as_str().unwrap().starts_with(words),
            "{text}: {}",
            received[0]
        );
    }
    let long = answer(&mut app, &json!({ "type": "x".repeat(200_000) })).await;
    assert!(long.to_string().len() < 300, "{long}");
    // Unknown fields and large ones are ignored. Of duplicate keys the last counts.
    let odd = format!(
        r#"{{"type":"nonsense","__proto__":{{}},"x":"{}","type":"ping"}}"#,
        "y".repeat(200_000)
    );
    app.send_text(odd).await;
    assert_eq!(app.next().await["type"], "pong");
    for (kind, reply) in
        [("get_available_recipes", "available_recipes"), ("refresh_sessions", "session_list")]
    {
        for limit in [
            Value::Null,
            json!(0),
            json!(-1),
            json!("five"),
            json!(1e300),
            json!([]),
            json!(4_000_000_000_u64),
        ] {
            let received = answers(
                &mut app,
                &json!({ "type": kind, "recent_sessions_limit": limit, "x": {} }),
            )
            .await;
            assert_eq!(received[0]["type"], reply);
            if kind == "refresh_sessions" {
                assert!(
                    received[1]["limit"].as_u64().is_some_and(|limit| (1..=50).contains(&limit)),
                    "{received:?}"
                );
            }
        }
    }
}

#[tokio::test]
async fn invalid_ids_and_unknown_ids_get_different_answers() {
    let server = Serving::limited(unthrottled()).await;
    let mut app = App::connect(server.address).await;
    let long = "3".repeat(100_000);
    let kinds = [
        ("start_recipe", "session_id", "session"),
        ("exit_recipe", "session_id", "session"),
        ("kill_session", "session_id", "session"),
        ("subscribe", "session_id", "session"),
        ("set_orchestration", "session_id", "session"),
        ("prompt", "resume_session_id", "session"),
        ("prompt", "new_session_id", "session"),
        ("prompt", "session_id", "session"),
        ("resume_run", "run_id", "run"),
    ];
    for (kind, field, of) in kinds {
        let others = json!({ "type": kind, "recipe_id": "rebase", "enabled": true, "text": "hi" });
        for id in [
            "none",
            "../../etc/passwd",
            "3f2a8c1e5b7d4e90a1c69d8e7f6a5b4c",
            &format!("{UNKNOWN_ID} "),
            &long,
        ] {
            let received = answer(&mut app, &with(&others, field, json!(id))).await;
            let words = received["message"].as_str().unwrap();
            let expected = format!("{field} in {kind} message: `");
            assert!(
                words.starts_with(&expected) && words.contains(&format!("is not a {of} id")),
                "{received}"
            );
            assert_eq!(received["code"], "invalid_message");
            assert!(words.len() < 300, "{received}");
        }
    }
    let table = [
        (
            json!({ "type": "prompt", "text": "hi", "resume_session_id": UNKNOWN_ID }),
            "session_not_found",
        ),
        (json!({ "type": "resume_run", "run_id": UNKNOWN_ID }), "run_not_found"),
    ];
    for (message, code) in table {
        let message = with(&message, "session_id", json!(UNKNOWN_ID));
        let received = answer(&mut app, &message).await;
        assert_eq!(
            (&received["type"], &received["code"]),
            (&json!("error"), &json!(code)),
            "{message}: {received}"
        );
    }
    // An unknown session has nothing new at any offset: no error, and no reason for the client to
    // discard what it has.
    for (from, field) in [(0, "from_offset"), (12, "from_offset"), (12, "last_seq")] {
        let subscribe =
            json!({ "type": "subscribe", "session_id": UNKNOWN_ID, "file_signature_seen": "mine" });
        let received = answer(&mut app, &with(&subscribe, field, json!(from))).await;
        assert_eq!(
            (&received["type"], &received["messages"]),
            (&json!("session_history"), &json!([])),
            "{received}"
        );
        assert_eq!(
            (&received["next_offset"], &received["next_seq"]),
            (&json!(from), &json!(from + 1))
        );
        assert_eq!(
            (&received["end_of_file"], &received["is_complete"]),
            (&json!(true), &json!(true))
        );
        assert_eq!(
            (&received["file_signature"], received.get("file_replaced")),
            (&json!("mine"), None)
        );
    }
    let received =
        answer(&mut app, &json!({ "type": "prompt", "text": "hi", "new_session_id": UNKNOWN_ID }))
            .await;
    assert_eq!(received["message"], "working_directory required for new session");
    assert_eq!(received["session_id"], UNKNOWN_ID);
    // An id in upper case is the same id, and exiting a session without a run is not an error.
    app.send(json!({ "type": "exit_recipe", "session_id": UNKNOWN_ID.to_uppercase() })).await;
    let exited = app.until("recipe_exited").await;
    assert_eq!(
        (&exited["session_id"], &exited["reason"]),
        (&json!(UNKNOWN_ID), &json!("user-requested"))
    );
    let killed =
        answers(&mut app, &json!({ "type": "kill_session", "session_id": UNKNOWN_ID })).await;
    assert_eq!(killed[0]["type"], "session_killed", "{killed:?}");
    assert_eq!(
        (&killed[1]["type"], &killed[1]["aborted"]),
        (&json!("turn_complete"), &json!(true))
    );
    for id in [json!(UNKNOWN_ID), json!("none"), json!(7), Value::Null] {
        for kind in ["unsubscribe", "session_deleted", "message_ack"] {
            assert!(answers(&mut app, &json!({ "type": kind, "session_id": id })).await.is_empty());
        }
    }
}

/// Starts a run, and returns the messages until it has ended.
async fn start_and_wait(app: &mut App, message: &Value) -> Vec<Value> {
    let before = app.heard.len();
    app.send(message.clone()).await;
    app.until("recipe_exited").await;
    app.until("turn_complete").await;
    app.heard[before..].to_vec()
}

fn kinds(messages: &[Value]) -> Vec<&str> {
    messages.iter().map(|message| message["type"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn an_unusable_directory_ends_the_run_before_its_first_step() {
    let server = Serving::limited(unthrottled()).await;
    let mut app = App::connect(server.address).await;
    let project = server.project();
    std::fs::write(project.join("file"), "").unwrap();
    std::os::unix::fs::symlink("/", project.join("out")).unwrap();
    std::os::unix::fs::symlink(project.join("round"), project.join("round")).unwrap();
    let inside = |path: &str| json!(project.join(path));
    let sibling = format!("{}-other", server.place.path().display());
    std::fs::create_dir(&sibling).unwrap();
    let table = [
        (json!("project"), "is relative"),
        (json!("./"), "is relative"),
        (json!("~"), "is relative"),
        (inside("missing"), "does not exist"),
        (inside("file"), "is not a directory"),
        (inside("file/below"), "is not a directory"),
        (json!("/"), "is outside of the allowed roots"),
        (json!("/etc"), "is outside of the allowed roots"),
        (inside("../.."), "is outside of the allowed roots"),
        (inside("out/etc"), "is outside of the allowed roots"),
        (json!(sibling), "is outside of the allowed roots"),
        (inside("round"), "cannot be used"),
        (json!("/a\u{0}b"), "cannot be used"),
        (json!(format!("/{}", "d".repeat(100_000))), "cannot be used"),
        (json!(""), "working_directory required for new session"),
        (Value::Null, "working_directory required for new session"),
    ];
    let recipe =
        json!({ "type": "start_recipe", "session_id": null, "recipe_id": "implement-and-review" });
    for (directory, words) in table {
        let messages =
            start_and_wait(&mut app, &with(&recipe, "working_directory", directory.clone())).await;
        let expected =
            ["recipe_started", "recipe_error", "recipe_exited", "error", "turn_complete"];
        assert_eq!(kinds(&messages), expected, "{directory}");
        let [started, _, exited, error, _] = &messages[..] else { unreachable!() };
        assert_eq!((&exited["category"], &exited["goal_met"]), (&json!("error"), &json!(false)));
        assert_eq!(error["code"], "start_failed");
        assert_eq!(
            (&started["run_id"], &started["session_id"]),
            (&exited["run_id"], &exited["session_id"])
        );
        for text in [&exited["error"], &error["message"]] {
            assert!(text.as_str().unwrap().contains(words), "{words}: {text}");
        }
        for message in &messages {
            assert!(
                message.to_string().len() < 4096,
                "all clients get it: {}",
                message.to_string().len()
            );
        }

        let prompt = json!({ "type": "prompt", "text": "hi", "new_session_id": UNKNOWN_ID });
        let received = answer(&mut app, &with(&prompt, "working_directory", directory)).await;
        assert_eq!(received["type"], "error");
        assert!(received["message"].as_str().unwrap().contains(words), "{words}: {received}");
        assert!(received.to_string().len() < 4096, "{}", received.to_string().len());
    }
    std::fs::remove_dir(sibling).unwrap();
}

#[tokio::test]
async fn unknown_agents_are_refused_by_name_and_a_rehearsal_stands_in_for_claude() {
    let server = Serving::limited(unthrottled()).await;
    let mut app = App::connect(server.address).await;
    let start = json!({
        "type": "start_recipe", "session_id": null, "recipe_id": "implement-and-review",
        "working_directory": server.project(),
    });
    let prompt = json!({ "type": "prompt", "text": "hi", "new_session_id": UNKNOWN_ID, "working_directory": server.project() });
    for provider in ["copilot", "cursor", "opencode", "Claude", "gpt\n\u{1b}[31m"] {
        let messages = start_and_wait(&mut app, &with(&start, "provider", json!(provider))).await;
        assert_eq!(
            kinds(&messages)[2..],
            ["recipe_exited", "error", "turn_complete"],
            "{provider}"
        );
        let words = messages[3]["message"].as_str().unwrap();
        assert!(words.contains(provider) && words.contains("rehearsal"), "{words}");
        let received = answer(&mut app, &with(&prompt, "provider", json!(provider))).await;
        assert!(received["message"].as_str().unwrap().contains(provider), "{received}");
    }
    let messages =
        start_and_wait(&mut app, &with(&start, "provider", json!("x".repeat(200_000)))).await;
    assert!(messages.iter().all(|message| message.to_string().len() < 4096), "all clients get it");
    for provider in [json!("claude"), json!("rehearsal"), json!(""), json!("  "), Value::Null] {
        let messages = start_and_wait(&mut app, &with(&start, "provider", provider.clone())).await;
        assert_eq!(messages[0]["rehearsal"], true, "{provider}");
        let exited = messages.iter().find(|message| message["type"] == "recipe_exited").unwrap();
        assert_ne!(exited["category"], "error", "{provider}: {exited}");
    }
}

#[tokio::test]
async fn invalid_limits_are_refused_and_huge_ones_are_accepted() {
    let server = Serving::limited(unthrottled()).await;
    let mut app = App::connect(server.address).await;
    let start = json!({
        "type": "start_recipe", "session_id": null, "recipe_id": "implement-and-review",
        "working_directory": server.project(),
    });
    let resume = json!({ "type": "resume_run", "run_id": UNKNOWN_ID });
    let whole = ["max_ticks", "allow_visits", "allow_steps"];
    for (message, fields) in
        [(&start, &["time_s", "budget_usd", "max_ticks"][..]), (&resume, &whole)]
    {
        for field in fields {
            let expected =
                if whole.contains(field) { "a positive whole number" } else { "a positive number" };
            let mut wrongs = vec![
                json!(0),
                json!(-1),
                json!("NaN"),
                json!("5"),
                json!([]),
                json!({}),
                json!(true),
            ];
            if whole.contains(field) {
                wrongs.extend([json!(1.5), json!(1e99), json!(4_294_967_296_u64)]);
            } else {
                wrongs.extend([json!(-0.0), json!(-1e-300)]);
            }
            for wrong in wrongs {
                let received =
                    answer(&mut app, &with(message, "limits", json!({ *field: wrong }))).await;
                let kind = message["type"].as_str().unwrap();
                assert_eq!(
                    received["message"],
                    format!("{field} must be {expected} in {kind} message"),
                    "{wrong}"
                );
            }
        }
    }
    let huge = [
        json!({ "time_s": 1e19, "max_ticks": u32::MAX, "budget_usd": 1e308 }),
        json!({ "time_s": 1e9, "max_ticks": null, "budget_usd": 1e-300, "unknown": -1 }),
        json!({}),
        Value::Null,
    ];
    for limits in huge {
        let messages = start_and_wait(&mut app, &with(&start, "limits", limits.clone())).await;
        let exited = messages.iter().find(|message| message["type"] == "recipe_exited").unwrap();
        assert_ne!(exited["category"], "error", "{limits}: {exited}");
        let resume = json!({
            "type": "resume_run", "run_id": exited["run_id"],
            "limits": { "allow_visits": u32::MAX, "allow_steps": u32::MAX, "time_s": 1e19 },
        });
        // Either the run has reached its goal, which is an error, or it resumes and ends again.
        let before = app.heard.len();
        app.send(resume).await;
        loop {
            let next = app.next().await;
            if next["type"] == "error" || next["type"] == "recipe_exited" {
                break;
            }
        }
        assert!(
            !app.heard[before..].iter().any(|message| message["code"] == "internal"),
            "{limits}"
        );
    }
}

#[tokio::test]
async fn an_unknown_recipe_is_refused_with_a_suggestion() {
    let server = Serving::limited(unthrottled()).await;
    let mut app = App::connect(server.address).await;
    let mut other = App::connect(server.address).await;
    let start = json!({ "type": "start_recipe", "session_id": UNKNOWN_ID, "recipe_id": "" });
    let table = [
        (
            "implement-and-reveiw",
            "Recipe not found: implement-and-reveiw; did you mean `implement-and-review`?",
        ),
        ("Rebase", "Recipe not found: Rebase; did you mean `rebase`?"),
        ("make-coffee-for-everybody", "Recipe not found: make-coffee-for-everybody"),
        ("a\nb", "Recipe not found: a\\nb"),
    ];
    for (recipe, words) in table {
        let received = answers(&mut app, &with(&start, "recipe_id", json!(recipe))).await;
        assert_eq!(kinds(&received), ["error", "recipe_error"], "{received:?}");
        assert_eq!(
            (&received[0]["message"], &received[0]["code"]),
            (&json!(words), &json!("recipe_not_found"))
        );
        assert_eq!(
            (&received[0]["session_id"], &received[1]["session_id"]),
            (&json!(UNKNOWN_ID), &json!(UNKNOWN_ID))
        );
        assert_eq!(received[1]["error"], "Recipe not found");
    }
    let long = answers(&mut app, &with(&start, "recipe_id", json!("r".repeat(200_000)))).await;
    assert!(long[0].to_string().len() < 400, "{}", long[0]);
    assert!(other.so_far().await.is_empty(), "no other client is notified");
}

#[tokio::test]
async fn unsupported_requests_get_the_answers_that_the_app_expects() {
    let server = Serving::limited(unthrottled()).await;
    let mut app = App::connect(server.address).await;
    let table = [
        ("compact_session", "compaction_error"),
        ("infer_session_name", "infer_name_error"),
        ("execute_command", "command_error"),
        ("get_command_history", "command_history"),
        ("get_command_output", "error"),
        ("create_worktree_session", "worktree_session_error"),
        ("upload_file", "error"),
        ("list_resources", "error"),
        ("delete_resource", "error"),
        ("set_directory", "available_commands"),
        ("get_git_branch", "git_branch"),
    ];
    for (kind, reply) in table {
        let fields = [
            json!({ "session_id": UNKNOWN_ID, "command_id": "git.status" }),
            json!({ "session_id": 7, "command_id": {}, "path": "/etc/passwd", "content": "x".repeat(200_000) }),
            json!({}),
        ];
        for (index, fields) in fields.iter().enumerate() {
            let mut answers = answers(&mut app, &with(fields, "type", json!(kind))).await;
            // The app waits for this list even after an error.
            if kind == "list_resources" {
                assert_eq!(
                    answers.pop(),
                    Some(json!({ "type": "resources_list", "resources": [] }))
                );
            }
            assert_eq!(answers.len(), 1, "{answers:?}");
            let received = &answers[0];
            assert_eq!(received["type"], reply, "{received}");
            match reply {
                "error" => assert_eq!(received["code"], "not_supported"),
                "command_history" => assert_eq!(received["sessions"], json!([])),
                // The answer repeats the directory as the client named it.
                "available_commands" => {
                    assert_eq!(
                        received["working_directory"],
                        if index == 1 { "/etc/passwd" } else { "" }
                    );
                    assert_eq!(
                        (&received["project_commands"], &received["general_commands"]),
                        (&json!([]), &json!([]))
                    );
                }
                "git_branch" => {
                    assert!(
                        received["working_directory"] == "" && received["branch"].is_null(),
                        "{received}"
                    );
                }
                _ => {
                    assert!(
                        received["error"].as_str().is_some_and(|words| !words.is_empty()),
                        "{received}"
                    );
                }
            }
            if reply == "command_error" {
                assert_eq!(received["command_id"], if index == 0 { "git.status" } else { "" });
            }
        }
    }
}

#[tokio::test]
async fn offsets_beyond_the_last_message_mean_the_end() {
    let server = Serving::limited(unthrottled()).await;
    let mut app = App::connect(server.address).await;
    let prompt = json!({ "type": "prompt", "text": "hi", "new_session_id": UNKNOWN_ID, "working_directory": server.project() });
    app.send(prompt).await;
    app.until("turn_complete").await;
    for field in ["from_offset", "last_seq"] {
        for offset in [2, 3, 1 << 53, u64::MAX >> 1, u64::MAX] {
            let message = json!({ "type": "subscribe", "session_id": UNKNOWN_ID, field: offset });
            let received = answer(&mut app, &message).await;
            assert_eq!(received["type"], "session_history", "{offset}: {received}");
            assert_eq!(
                (&received["next_offset"], &received["end_of_file"]),
                (&json!(2), &json!(true)),
                "{offset}"
            );
            assert_eq!(received["messages"], json!([]));
        }
        let all =
            answer(&mut app, &json!({ "type": "subscribe", "session_id": UNKNOWN_ID, field: 0 }))
                .await;
        assert_eq!(all["messages"].as_array().unwrap().len(), 2);
        for wrong in [json!(-1), json!(0.5), json!("0"), json!(1e20)] {
            let message = json!({ "type": "subscribe", "session_id": UNKNOWN_ID, field: wrong });
            assert_eq!(answer(&mut app, &message).await["code"], "invalid_message", "{wrong}");
        }
    }
}

#[tokio::test]
async fn a_client_with_a_message_size_limit_gets_no_larger_message() {
    for script in [Script::OneFix, Script::Garbage, Script::Crash] {
        let server = Serving::rehearsing(script).await;
        let mut large = App::connect(server.address).await;
        let mut app = App::dial(server.address).await;
        app.show_the_key().await;
        for wrong in
            [json!(-1), json!(0), json!("5"), json!(1e99), json!(0.5), json!([1]), Value::Null]
        {
            let received =
                answer(&mut app, &json!({ "type": "set_max_message_size", "size_kb": wrong }))
                    .await;
            assert_eq!(received["code"], "invalid_message", "{wrong}");
        }
        let ack = answer(&mut app, &json!({ "type": "set_max_message_size", "size_kb": 1 })).await;
        assert_eq!(ack["type"], "ack");
        let before = app.heard.len();
        let start = json!({
            "type": "start_recipe", "session_id": UNKNOWN_ID, "recipe_id": "implement-and-review",
            "working_directory": server.project(), "prompt": "Wörds \"and\" \n more. ".repeat(2000),
        });
        large.send(json!({ "type": "subscribe", "session_id": UNKNOWN_ID })).await;
        app.send(start).await;
        app.until("recipe_exited").await;
        app.until("turn_complete").await;
        large.until("recipe_exited").await;
        large.until("turn_complete").await;
        let about_runs = |app: &App, from: usize| -> Vec<(String, u64)> {
            let updates = app.heard[from..].iter().filter_map(|message| {
                Some((message["type"].as_str()?.to_owned(), message["seq"].as_u64()?))
            });
            updates.collect()
        };
        assert_eq!(
            about_runs(&app, before),
            about_runs(&large, 0),
            "no update is left out: {script}"
        );
        app.send(json!({ "type": "refresh_sessions" })).await;
        app.send(json!({ "type": "get_available_recipes" })).await;
        let mut from = 0;
        loop {
            let subscribe =
                json!({ "type": "subscribe", "session_id": UNKNOWN_ID, "from_offset": from });
            let received = answers(&mut app, &subscribe).await;
            let history = received.last().unwrap();
            let next = history["next_offset"].as_u64().unwrap();
            assert!(next > from || history["end_of_file"] == true, "it makes progress");
            from = next;
            if history["end_of_file"] == true {
                break;
            }
        }
        app.send(json!({ "type": "infer_session_name", "session_id": "s".repeat(100_000) })).await;
        app.send(
            json!({ "type": "start_recipe", "session_id": null, "recipe_id": "r".repeat(100_000) }),
        )
        .await;
        let again = json!({ "type": "start_recipe", "session_id": null, "recipe_id": "rebase",
            "working_directory": format!("/{}", "d\"".repeat(50_000)) });
        app.send(again).await;
        app.until("recipe_exited").await;
        app.until("turn_complete").await;
        app.show_the_key().await;
        app.so_far().await;
        for message in &app.heard[before..] {
            let size = message.to_string().len();
            assert!(size < 1024, "{size}: {message}");
        }
        let expected = [
            "recent_sessions",
            "session_list",
            "available_recipes",
            "session_history",
            "infer_name_error",
        ];
        for kind in expected {
            assert!(app.kinds()[before..].contains(&kind), "{kind} is not left out");
        }
    }
}
