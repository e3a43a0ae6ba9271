//! Messages that are wrong in all ways: each is answered, and the socket stays.

use serde_json::{Value, json};
use surefire::agent::Script;
use surefire_testkit::app::{App, Serving};

/// A session that nobody knows.
const NOBODY: &str = "3f2a8c1e-5b7d-4e90-a1c6-9d8e7f6a5b4c";

/// Sends this, and gives back what comes before the answer to a ping that is sent right behind it.
async fn answers(app: &mut App, message: &Value) -> Vec<Value> {
    app.send(message.clone()).await;
    app.so_far().await
}

/// Sends this, and gives back the one answer.
async fn answer(app: &mut App, message: &Value) -> Value {
    let answers = answers(app, message).await;
    assert_eq!(answers.len(), 1, "{message}: {answers:?}");
    answers.into_iter().next().unwrap()
}

/// The message with one field set to something else.
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

/// A field's name, whether it has to be there, and what it has to be.
type Field = (&'static str, bool, &'static str);

#[tokio::test]
async fn a_field_that_is_missing_or_of_the_wrong_type_is_named() {
    let server = Serving::limited(fast()).await;
    let mut app = App::connect(server.address).await;
    let session = || json!({ "session_id": NOBODY });
    let start =
        json!({ "session_id": NOBODY, "recipe_id": "implement-and-review", "working_directory": "/" });
    let prompt = json!({ "text": "hi", "new_session_id": NOBODY, "working_directory": "/" });
    // A good message, and its fields.
    let table: &[(&str, Value, &[Field])] = &[
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
            json!({ "run_id": NOBODY }),
            &[("run_id", true, "a string"), ("limits", false, "an object")],
        ),
        (
            "exit_recipe",
            session(),
            &[("session_id", true, "a string"), ("reason", false, "`user-requested` or `user_stopped`")],
        ),
        ("prune_runs", json!({ "older_than_s": 1e15 }), &[("older_than_s", true, "a positive number")]),
        ("prune_sessions", json!({ "older_than_s": 1e15 }), &[("older_than_s", true, "a positive number")]),
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
        ("set_max_message_size", json!({ "size_kb": 1000 }), &[("size_kb", true, "a positive whole number")]),
    ];
    for (kind, good, fields) in table {
        let good = with(good, "type", json!(kind));
        for (field, required, expected) in *fields {
            let wrong = if *expected == "a string" { json!(7) } else { json!("7") };
            let wrongs = [
                wrong,
                json!([NOBODY]),
                if *expected == "an object" { json!(7) } else { json!({ "a": {} }) },
            ];
            for wrong in wrongs {
                let said = answer(&mut app, &with(&good, field, wrong.clone())).await;
                assert_eq!(said["code"], "invalid_message", "{kind} {field} {wrong}: {said}");
                assert_eq!(
                    said["message"],
                    format!("{field} must be {expected} in {kind} message"),
                    "{wrong}"
                );
            }
            if *required {
                for missing in [without(&good, field), with(&good, field, Value::Null)] {
                    let said = answer(&mut app, &missing).await;
                    let name = if *field == "new_session_id" {
                        "new_session_id or resume_session_id"
                    } else {
                        field
                    };
                    assert_eq!(said["message"], format!("{name} required in {kind} message"), "{missing}");
                    assert_eq!(said["code"], "invalid_message");
                }
            }
        }
    }
    let nothing = answer(&mut app, &json!({ "type": "start_recipe" })).await;
    assert_eq!(nothing["message"], "session_id required in start_recipe message", "before recipe_id");
}

/// No test here is about how much is said.
fn fast() -> surefire::server::ServerLimits {
    surefire::server::ServerLimits { burst: 10_000, ..Default::default() }
}

#[tokio::test]
async fn what_is_no_message_is_refused_and_what_is_one_is_read_whatever_else_is_in_it() {
    let server = Serving::limited(fast()).await;
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
        let said = app.so_far().await;
        assert_eq!(said.len(), 1, "{text}: {said:?}");
        assert_eq!(said[0]["type"], "error", "{text}");
        assert!(said[0]["message"].as_str().unwrap().starts_with(words), "{text}: {}", said[0]);
    }
    let long = answer(&mut app, &json!({ "type": "x".repeat(200_000) })).await;
    assert!(long.to_string().len() < 300, "{long}");
    // Unknown fields, large ones, and keys that come twice: the last counts.
    let odd =
        format!(r#"{{"type":"nonsense","__proto__":{{}},"x":"{}","type":"ping"}}"#, "y".repeat(200_000));
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
            let said =
                answers(&mut app, &json!({ "type": kind, "recent_sessions_limit": limit, "x": {} })).await;
            assert_eq!(said[0]["type"], reply);
            if kind == "refresh_sessions" {
                assert!(said[1]["limit"].as_u64().is_some_and(|limit| (1..=50).contains(&limit)), "{said:?}");
            }
        }
    }
}

#[tokio::test]
async fn ids_that_are_none_or_that_nobody_knows_are_told_apart() {
    let server = Serving::limited(fast()).await;
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
        for id in
            ["none", "../../etc/passwd", "3f2a8c1e5b7d4e90a1c69d8e7f6a5b4c", &format!("{NOBODY} "), &long]
        {
            let said = answer(&mut app, &with(&others, field, json!(id))).await;
            let words = said["message"].as_str().unwrap();
            let expected = format!("{field} in {kind} message: `");
            assert!(words.starts_with(&expected) && words.contains(&format!("is not a {of} id")), "{said}");
            assert_eq!(said["code"], "invalid_message");
            assert!(words.len() < 300, "{said}");
        }
    }
    let table = [
        (json!({ "type": "prompt", "text": "hi", "resume_session_id": NOBODY }), "session_not_found"),
        (json!({ "type": "resume_run", "run_id": NOBODY }), "run_not_found"),
    ];
    for (message, code) in table {
        let message = with(&message, "session_id", json!(NOBODY));
        let said = answer(&mut app, &message).await;
        assert_eq!((&said["type"], &said["code"]), (&json!("error"), &json!(code)), "{message}: {said}");
    }
    // A session that is not there has nothing new, wherever the client is: no error, and nothing that it would throw away.
    for (from, field) in [(0, "from_offset"), (12, "from_offset"), (12, "last_seq")] {
        let subscribe = json!({ "type": "subscribe", "session_id": NOBODY, "file_signature_seen": "mine" });
        let said = answer(&mut app, &with(&subscribe, field, json!(from))).await;
        assert_eq!((&said["type"], &said["messages"]), (&json!("session_history"), &json!([])), "{said}");
        assert_eq!((&said["next_offset"], &said["next_seq"]), (&json!(from), &json!(from + 1)));
        assert_eq!((&said["end_of_file"], &said["is_complete"]), (&json!(true), &json!(true)));
        assert_eq!((&said["file_signature"], said.get("file_replaced")), (&json!("mine"), None));
    }
    let said = answer(&mut app, &json!({ "type": "prompt", "text": "hi", "new_session_id": NOBODY })).await;
    assert_eq!(said["message"], "working_directory required for new session");
    assert_eq!(said["session_id"], NOBODY);
    // Also an id in capitals is the same one, and nothing to exit is no error.
    app.send(json!({ "type": "exit_recipe", "session_id": NOBODY.to_uppercase() })).await;
    let exited = app.until("recipe_exited").await;
    assert_eq!((&exited["session_id"], &exited["reason"]), (&json!(NOBODY), &json!("user-requested")));
    let killed = answers(&mut app, &json!({ "type": "kill_session", "session_id": NOBODY })).await;
    assert_eq!(killed[0]["type"], "session_killed", "{killed:?}");
    assert_eq!((&killed[1]["type"], &killed[1]["aborted"]), (&json!("turn_complete"), &json!(true)));
    for id in [json!(NOBODY), json!("none"), json!(7), Value::Null] {
        for kind in ["unsubscribe", "session_deleted", "message_ack"] {
            assert!(answers(&mut app, &json!({ "type": kind, "session_id": id })).await.is_empty());
        }
    }
}

/// Starts, and gives back what is told of it until it is over.
async fn story(app: &mut App, message: &Value) -> Vec<Value> {
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
async fn directories_that_cannot_be_worked_in_end_the_run_before_it_begins() {
    let server = Serving::limited(fast()).await;
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
    let recipe = json!({ "type": "start_recipe", "session_id": null, "recipe_id": "implement-and-review" });
    for (directory, words) in table {
        let told = story(&mut app, &with(&recipe, "working_directory", directory.clone())).await;
        let expected = ["recipe_started", "recipe_error", "recipe_exited", "error", "turn_complete"];
        assert_eq!(kinds(&told), expected, "{directory}");
        let [started, _, exited, error, _] = &told[..] else { unreachable!() };
        assert_eq!((&exited["category"], &exited["goal_met"]), (&json!("error"), &json!(false)));
        assert_eq!(error["code"], "start_failed");
        assert_eq!((&started["run_id"], &started["session_id"]), (&exited["run_id"], &exited["session_id"]));
        for text in [&exited["error"], &error["message"]] {
            assert!(text.as_str().unwrap().contains(words), "{words}: {text}");
        }
        for message in &told {
            assert!(message.to_string().len() < 4096, "everybody hears it: {}", message.to_string().len());
        }

        let prompt = json!({ "type": "prompt", "text": "hi", "new_session_id": NOBODY });
        let said = answer(&mut app, &with(&prompt, "working_directory", directory)).await;
        assert_eq!(said["type"], "error");
        assert!(said["message"].as_str().unwrap().contains(words), "{words}: {said}");
        assert!(said.to_string().len() < 4096, "{}", said.to_string().len());
    }
    std::fs::remove_dir(sibling).unwrap();
}

#[tokio::test]
async fn agents_that_are_not_here_are_refused_by_name_and_a_rehearsal_stands_in_for_claude() {
    let server = Serving::limited(fast()).await;
    let mut app = App::connect(server.address).await;
    let start = json!({
        "type": "start_recipe", "session_id": null, "recipe_id": "implement-and-review",
        "working_directory": server.project(),
    });
    let prompt = json!({ "type": "prompt", "text": "hi", "new_session_id": NOBODY, "working_directory": server.project() });
    for provider in ["copilot", "cursor", "opencode", "Claude", "gpt\n\u{1b}[31m"] {
        let told = story(&mut app, &with(&start, "provider", json!(provider))).await;
        assert_eq!(kinds(&told)[2..], ["recipe_exited", "error", "turn_complete"], "{provider}");
        let words = told[3]["message"].as_str().unwrap();
        assert!(words.contains(provider) && words.contains("rehearsal"), "{words}");
        let said = answer(&mut app, &with(&prompt, "provider", json!(provider))).await;
        assert!(said["message"].as_str().unwrap().contains(provider), "{said}");
    }
    let told = story(&mut app, &with(&start, "provider", json!("x".repeat(200_000)))).await;
    assert!(told.iter().all(|message| message.to_string().len() < 4096), "everybody hears it");
    for provider in [json!("claude"), json!("rehearsal"), json!(""), json!("  "), Value::Null] {
        let told = story(&mut app, &with(&start, "provider", provider.clone())).await;
        assert_eq!(told[0]["rehearsal"], true, "{provider}");
        let exited = told.iter().find(|message| message["type"] == "recipe_exited").unwrap();
        assert_ne!(exited["category"], "error", "{provider}: {exited}");
    }
}

#[tokio::test]
async fn limits_that_make_no_sense_are_refused_and_huge_ones_are_none() {
    let server = Serving::limited(fast()).await;
    let mut app = App::connect(server.address).await;
    let start = json!({
        "type": "start_recipe", "session_id": null, "recipe_id": "implement-and-review",
        "working_directory": server.project(),
    });
    let resume = json!({ "type": "resume_run", "run_id": NOBODY });
    let whole = ["max_ticks", "allow_visits", "allow_steps"];
    for (message, fields) in [(&start, &["time_s", "budget_usd", "max_ticks"][..]), (&resume, &whole)] {
        for field in fields {
            let expected =
                if whole.contains(field) { "a positive whole number" } else { "a positive number" };
            let mut wrongs =
                vec![json!(0), json!(-1), json!("NaN"), json!("5"), json!([]), json!({}), json!(true)];
            if whole.contains(field) {
                wrongs.extend([json!(1.5), json!(1e99), json!(4_294_967_296_u64)]);
            } else {
                wrongs.extend([json!(-0.0), json!(-1e-300)]);
            }
            for wrong in wrongs {
                let said = answer(&mut app, &with(message, "limits", json!({ *field: wrong }))).await;
                let kind = message["type"].as_str().unwrap();
                assert_eq!(
                    said["message"],
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
        let told = story(&mut app, &with(&start, "limits", limits.clone())).await;
        let exited = told.iter().find(|message| message["type"] == "recipe_exited").unwrap();
        assert_ne!(exited["category"], "error", "{limits}: {exited}");
        let resume = json!({
            "type": "resume_run", "run_id": exited["run_id"],
            "limits": { "allow_visits": u32::MAX, "allow_steps": u32::MAX, "time_s": 1e19 },
        });
        // It has reached its goal, or goes on: both are answers.
        let before = app.heard.len();
        app.send(resume).await;
        loop {
            let next = app.next().await;
            if next["type"] == "error" || next["type"] == "recipe_exited" {
                break;
            }
        }
        assert!(!app.heard[before..].iter().any(|message| message["code"] == "internal"), "{limits}");
    }
}

#[tokio::test]
async fn a_recipe_that_nobody_knows_is_answered_with_the_one_that_was_meant() {
    let server = Serving::limited(fast()).await;
    let mut app = App::connect(server.address).await;
    let mut other = App::connect(server.address).await;
    let start = json!({ "type": "start_recipe", "session_id": NOBODY, "recipe_id": "" });
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
        let said = answers(&mut app, &with(&start, "recipe_id", json!(recipe))).await;
        assert_eq!(kinds(&said), ["error", "recipe_error"], "{said:?}");
        assert_eq!((&said[0]["message"], &said[0]["code"]), (&json!(words), &json!("recipe_not_found")));
        assert_eq!((&said[0]["session_id"], &said[1]["session_id"]), (&json!(NOBODY), &json!(NOBODY)));
        assert_eq!(said[1]["error"], "Recipe not found");
    }
    let long = answers(&mut app, &with(&start, "recipe_id", json!("r".repeat(200_000)))).await;
    assert!(long[0].to_string().len() < 400, "{}", long[0]);
    assert!(other.so_far().await.is_empty(), "nobody else hears of it");
}

#[tokio::test]
async fn what_this_server_does_not_do_is_refused_in_the_words_that_the_app_knows() {
    let server = Serving::limited(fast()).await;
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
            json!({ "session_id": NOBODY, "command_id": "git.status" }),
            json!({ "session_id": 7, "command_id": {}, "path": "/etc/passwd", "content": "x".repeat(200_000) }),
            json!({}),
        ];
        for (index, fields) in fields.iter().enumerate() {
            let mut answers = answers(&mut app, &with(fields, "type", json!(kind))).await;
            // The app waits for this list, whatever else it is told.
            if kind == "list_resources" {
                assert_eq!(answers.pop(), Some(json!({ "type": "resources_list", "resources": [] })));
            }
            assert_eq!(answers.len(), 1, "{answers:?}");
            let said = &answers[0];
            assert_eq!(said["type"], reply, "{said}");
            match reply {
                "error" => assert_eq!(said["code"], "not_supported"),
                "command_history" => assert_eq!(said["sessions"], json!([])),
                // Which directory it is about, as it was named.
                "available_commands" => {
                    assert_eq!(said["working_directory"], if index == 1 { "/etc/passwd" } else { "" });
                    assert_eq!(
                        (&said["project_commands"], &said["general_commands"]),
                        (&json!([]), &json!([]))
                    );
                }
                "git_branch" => {
                    assert!(said["working_directory"] == "" && said["branch"].is_null(), "{said}");
                }
                _ => assert!(said["error"].as_str().is_some_and(|words| !words.is_empty()), "{said}"),
            }
            if reply == "command_error" {
                assert_eq!(said["command_id"], if index == 0 { "git.status" } else { "" });
            }
        }
    }
}

#[tokio::test]
async fn offsets_beyond_everything_are_the_end() {
    let server = Serving::limited(fast()).await;
    let mut app = App::connect(server.address).await;
    let prompt = json!({ "type": "prompt", "text": "hi", "new_session_id": NOBODY, "working_directory": server.project() });
    app.send(prompt).await;
    app.until("turn_complete").await;
    for field in ["from_offset", "last_seq"] {
        for offset in [2, 3, 1 << 53, u64::MAX >> 1, u64::MAX] {
            let message = json!({ "type": "subscribe", "session_id": NOBODY, field: offset });
            let said = answer(&mut app, &message).await;
            assert_eq!(said["type"], "session_history", "{offset}: {said}");
            assert_eq!((&said["next_offset"], &said["end_of_file"]), (&json!(2), &json!(true)), "{offset}");
            assert_eq!(said["messages"], json!([]));
        }
        let all = answer(&mut app, &json!({ "type": "subscribe", "session_id": NOBODY, field: 0 })).await;
        assert_eq!(all["messages"].as_array().unwrap().len(), 2);
        for wrong in [json!(-1), json!(0.5), json!("0"), json!(1e20)] {
            let message = json!({ "type": "subscribe", "session_id": NOBODY, field: wrong });
            assert_eq!(answer(&mut app, &message).await["code"], "invalid_message", "{wrong}");
        }
    }
}

#[tokio::test]
async fn a_client_of_small_messages_gets_no_others() {
    for script in [Script::OneFix, Script::Garbage, Script::Crash] {
        let server = Serving::rehearsing(script).await;
        let mut large = App::connect(server.address).await;
        let mut app = App::dial(server.address).await;
        app.show_the_key().await;
        for wrong in [json!(-1), json!(0), json!("5"), json!(1e99), json!(0.5), json!([1]), Value::Null] {
            let said = answer(&mut app, &json!({ "type": "set_max_message_size", "size_kb": wrong })).await;
            assert_eq!(said["code"], "invalid_message", "{wrong}");
        }
        let ack = answer(&mut app, &json!({ "type": "set_max_message_size", "size_kb": 1 })).await;
        assert_eq!(ack["type"], "ack");
        let before = app.heard.len();
        let start = json!({
            "type": "start_recipe", "session_id": NOBODY, "recipe_id": "implement-and-review",
            "working_directory": server.project(), "prompt": "Wörds \"and\" \n more. ".repeat(2000),
        });
        large.send(json!({ "type": "subscribe", "session_id": NOBODY })).await;
        app.send(start).await;
        app.until("recipe_exited").await;
        app.until("turn_complete").await;
        large.until("recipe_exited").await;
        large.until("turn_complete").await;
        let about_runs = |app: &App, from: usize| -> Vec<(String, u64)> {
            let told = app.heard[from..]
                .iter()
                .filter_map(|message| Some((message["type"].as_str()?.to_owned(), message["seq"].as_u64()?)));
            told.collect()
        };
        assert_eq!(about_runs(&app, before), about_runs(&large, 0), "nothing is left out: {script}");
        app.send(json!({ "type": "refresh_sessions" })).await;
        app.send(json!({ "type": "get_available_recipes" })).await;
        let mut from = 0;
        loop {
            let subscribe = json!({ "type": "subscribe", "session_id": NOBODY, "from_offset": from });
            let said = answers(&mut app, &subscribe).await;
            let history = said.last().unwrap();
            let next = history["next_offset"].as_u64().unwrap();
            assert!(next > from || history["end_of_file"] == true, "it gets ahead");
            from = next;
            if history["end_of_file"] == true {
                break;
            }
        }
        app.send(json!({ "type": "infer_session_name", "session_id": "s".repeat(100_000) })).await;
        app.send(json!({ "type": "start_recipe", "session_id": null, "recipe_id": "r".repeat(100_000) }))
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
        let expected =
            ["recent_sessions", "session_list", "available_recipes", "session_history", "infer_name_error"];
        for kind in expected {
            assert!(app.kinds()[before..].contains(&kind), "{kind} is not left out");
        }
    }
}
