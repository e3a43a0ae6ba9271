//! Every client message is either read or refused with a reason.

use serde_json::{Map, Value, json};
use surefire::wire::{ClientMessage, DecodeError};

use super::golden::Side;
use super::one_run::{SESSION, session};

/// What a field may hold.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Holds {
    SessionId,
    RunId,
    Text,
    /// A text that is not blank.
    Words,
    Flag,
    Count,
    /// A count that is not too large.
    SmallCount,
    /// One of the reasons that a client can give.
    Reason,
    Positive,
    /// A number above 0 that is a time.
    Seconds,
    Amount,
    Object,
    /// A list of tools.
    Tools,
    /// What to do where a repository is not trusted.
    Untrusted,
    /// Any value is accepted.
    Anything,
}

/// Whether a field may be left out.
#[derive(Clone, Copy, Debug)]
enum May {
    BeLeftOut,
    NotBeLeftOut,
    /// The field is required, but may be `null`.
    BeNull,
    /// One of several fields that name a prompt's session, of which one is required.
    NotBeLeftOutAlone,
}

use Holds::{
    Amount, Anything, Count, Flag, Object, Positive, Reason, RunId, Seconds, SessionId, SmallCount,
    Text, Tools, Untrusted, Words,
};
use May::{BeLeftOut, BeNull, NotBeLeftOut, NotBeLeftOutAlone};

type Row = (&'static str, &'static [(&'static str, Holds, May)]);

/// The files of valid messages, and what their fields hold.
const MESSAGES: [Row; 43] = [
    (
        "connect",
        &[
            ("/api_key", Anything, BeLeftOut),
            ("/protocol_version", Anything, BeLeftOut),
            ("/recent_sessions_limit", Anything, BeLeftOut),
        ],
    ),
    ("connect.android", &[("/session_id", Anything, BeLeftOut)]),
    ("connect.unspaced", &[("/spacing", Anything, BeLeftOut), ("/work", Anything, BeLeftOut)]),
    ("start_recipe.request_id", &[("/request_id", Anything, BeLeftOut)]),
    ("ping", &[("/mood", Anything, BeLeftOut)]),
    ("get_available_recipes", &[("/session_id", Anything, BeLeftOut)]),
    (
        "start_recipe.full",
        &[
            ("/session_id", SessionId, BeNull),
            ("/recipe_id", Words, NotBeLeftOut),
            ("/working_directory", Text, BeLeftOut),
            ("/provider", Text, BeLeftOut),
            ("/agent", Text, BeLeftOut),
            ("/model", Text, BeLeftOut),
            ("/prompt", Text, BeLeftOut),
            ("/allow_tools", Tools, BeLeftOut),
            ("/limits", Object, BeLeftOut),
            ("/limits/time_s", Seconds, BeLeftOut),
            ("/limits/max_ticks", Positive, BeLeftOut),
            ("/limits/budget_usd", Amount, BeLeftOut),
            ("/limits/auto_resumes", SmallCount, BeLeftOut),
        ],
    ),
    (
        "resume_run.limits",
        &[
            ("/run_id", RunId, NotBeLeftOut),
            ("/limits", Object, BeLeftOut),
            ("/limits/time_s", Seconds, BeLeftOut),
            ("/limits/max_ticks", Positive, BeLeftOut),
            ("/limits/budget_usd", Amount, BeLeftOut),
            ("/limits/auto_resumes", SmallCount, BeLeftOut),
            ("/limits/allow_visits", Positive, BeLeftOut),
            ("/limits/allow_steps", Positive, BeLeftOut),
        ],
    ),
    (
        "start_recipe.permits",
        &[
            ("/allow_dirty", Flag, BeLeftOut),
            ("/allow_deps", Flag, BeLeftOut),
            ("/force_parallel", Flag, BeLeftOut),
            ("/trust", Flag, BeLeftOut),
            ("/untrusted", Untrusted, BeLeftOut),
            ("/isolate", Flag, BeLeftOut),
        ],
    ),
    (
        "resume_run.permits",
        &[("/allow_deps", Flag, BeLeftOut), ("/force_parallel", Flag, BeLeftOut)],
    ),
    ("merge_run", &[("/run_id", RunId, NotBeLeftOut)]),
    ("discard_run", &[("/run_id", RunId, NotBeLeftOut)]),
    ("get_directory_trust", &[("/working_directory", Words, NotBeLeftOut)]),
    ("trust_directory", &[("/working_directory", Words, NotBeLeftOut)]),
    ("untrust_directory", &[("/working_directory", Words, NotBeLeftOut)]),
    ("exit_recipe", &[("/session_id", SessionId, NotBeLeftOut)]),
    (
        "exit_recipe.reason",
        &[("/session_id", SessionId, NotBeLeftOut), ("/reason", Reason, BeLeftOut)],
    ),
    ("prune_runs", &[("/older_than_s", Seconds, NotBeLeftOut)]),
    ("prune_sessions", &[("/older_than_s", Seconds, NotBeLeftOut)]),
    ("stop_recipe", &[("/session_id", SessionId, NotBeLeftOut)]),
    (
        "set_orchestration.session",
        &[("/enabled", Flag, NotBeLeftOut), ("/session_id", SessionId, BeLeftOut)],
    ),
    (
        "prompt.new",
        &[
            ("/text", Words, NotBeLeftOut),
            ("/new_session_id", SessionId, NotBeLeftOutAlone),
            ("/working_directory", Text, BeLeftOut),
            ("/provider", Text, BeLeftOut),
            ("/system_prompt", Text, BeLeftOut),
        ],
    ),
    (
        "prompt.resume",
        &[("/text", Words, NotBeLeftOut), ("/resume_session_id", SessionId, NotBeLeftOutAlone)],
    ),
    (
        "prompt.android",
        &[("/session_id", SessionId, NotBeLeftOutAlone), ("/working_directory", Text, BeLeftOut)],
    ),
    (
        "subscribe",
        &[
            ("/session_id", SessionId, NotBeLeftOut),
            ("/from_offset", Count, BeLeftOut),
            ("/file_signature_seen", Anything, BeLeftOut),
        ],
    ),
    ("subscribe.seq", &[("/session_id", SessionId, NotBeLeftOut), ("/last_seq", Count, BeLeftOut)]),
    ("unsubscribe", &[("/session_id", Anything, BeLeftOut)]),
    ("session_deleted", &[("/session_id", Anything, BeLeftOut)]),
    ("message_ack", &[("/message_id", Anything, BeLeftOut)]),
    ("set_max_message_size", &[("/size_kb", Positive, NotBeLeftOut)]),
    ("refresh_sessions", &[("/recent_sessions_limit", Anything, BeLeftOut)]),
    ("kill_session", &[("/session_id", SessionId, NotBeLeftOut)]),
    ("compact_session", &[("/session_id", Anything, BeLeftOut)]),
    (
        "infer_session_name",
        &[("/session_id", Anything, BeLeftOut), ("/message_text", Anything, BeLeftOut)],
    ),
    ("execute_command", &[("/command_id", Anything, BeLeftOut)]),
    ("get_command_history", &[("/limit", Anything, BeLeftOut)]),
    ("get_command_output", &[("/command_session_id", Anything, BeLeftOut)]),
    ("create_worktree_session", &[("/session_name", Anything, BeLeftOut)]),
    ("upload_file", &[("/filename", Anything, BeLeftOut), ("/content", Anything, BeLeftOut)]),
    ("list_resources", &[("/storage_location", Anything, BeLeftOut)]),
    ("delete_resource", &[("/filename", Anything, BeLeftOut)]),
    ("set_directory", &[("/path", Anything, BeLeftOut)]),
    ("get_git_branch", &[("/working_directory", Anything, BeLeftOut)]),
];

/// What is put into every field in turn; `None` leaves it out.
fn values() -> Vec<Option<Value>> {
    let there = [
        Value::Null,
        json!(0),
        json!(7),
        json!(-1),
        json!(1.5),
        json!(1e300),
        json!(1e-300),
        json!(u64::MAX),
        json!(""),
        json!(" \n"),
        json!("seven"),
        json!("user_stopped"),
        json!("task-committed"),
        json!("skip"),
        json!("\u{0}\u{1b}[31m\u{202e}"),
        json!("x".repeat(300_000)),
        json!(true),
        json!([]),
        json!([SESSION]),
        json!([null]),
        json!([7]),
        json!(["*".repeat(300_000)]),
        json!({}),
        json!({ "time_s": {} }),
        json!({ "surprise": 1 }),
    ];
    std::iter::once(None).chain(there.into_iter().map(Some)).collect()
}

/// The expected result of reading a message.
#[derive(Debug)]
enum Expected {
    Read,
    /// It is refused with exactly this error.
    Refused(String),
    /// It is refused with an error that begins like this.
    RefusedBeginning(String),
}

fn expected_result(
    kind: &str,
    field: &str,
    holds: Holds,
    may: May,
    value: Option<&Value>,
) -> Expected {
    let missing = |field: &str| Expected::Refused(format!("{field} required in {kind} message"));
    let wrong =
        |expected| Expected::Refused(format!("{field} must be {expected} in {kind} message"));
    let read_if = |fits, expected| if fits { Expected::Read } else { wrong(expected) };
    let Some(value) = value.filter(|value| !value.is_null()) else {
        return match (may, value) {
            (BeLeftOut, _) | (BeNull, Some(_)) => Expected::Read,
            (NotBeLeftOut, _) | (BeNull, None) => missing(field),
            (NotBeLeftOutAlone, _) => missing("new_session_id or resume_session_id"),
        };
    };
    let number = value.as_u64();
    let above_0 = value.as_f64().is_some_and(|number| number > 0.0);
    match (holds, value) {
        (Anything, _) => Expected::Read,
        (Words | RunId, Value::String(text)) if text.trim().is_empty() => missing(field),
        (SessionId | RunId, Value::String(_)) => {
            Expected::RefusedBeginning(format!("{field} in {kind} message: `"))
        }
        (Text | Words | SessionId | RunId, value) => read_if(value.is_string(), "a string"),
        (Flag, value) => read_if(value.is_boolean(), "true or false"),
        (Count, _) => read_if(number.is_some(), "a whole number"),
        (SmallCount, _) => read_if(number.is_some_and(|n| n < 1 << 32), "a whole number"),
        (Reason, value) => {
            read_if(*value == json!("user_stopped"), "`user-requested` or `user_stopped`")
        }
        (Untrusted, value) => read_if(*value == json!("skip"), "`refuse` or `skip`"),
        (Positive, _) => {
            read_if(number.is_some_and(|n| n > 0 && n < 1 << 32), "a positive whole number")
        }
        (Seconds, value) => {
            let sensible = |seconds: f64| seconds > 1e-9 && seconds < 1e19;
            read_if(value.as_f64().is_some_and(sensible), "a positive number")
        }
        (Amount, _) => read_if(above_0, "a positive number"),
        (Tools, Value::Array(tools)) => match tools.first() {
            Some(Value::Null) => wrong("a list without null"),
            Some(Value::Number(_)) => wrong("a list, each of it a string"),
            Some(tool) if *tool != json!(SESSION) => {
                Expected::RefusedBeginning(format!("{field} in {kind} message: `"))
            }
            Some(_) | None => Expected::Read,
        },
        (Tools, _) => wrong("a list"),
        (Object, Value::Object(inner)) if inner.contains_key("time_s") => {
            Expected::Refused(format!("time_s must be a positive number in {kind} message"))
        }
        (Object, value) => read_if(value.is_object(), "an object"),
    }
}

/// The message with another value in one of its fields.
fn with(message: &Value, pointer: &str, value: Option<Value>) -> Value {
    let mut message = message.clone();
    let (parent, field) = pointer.rsplit_once('/').expect("pointers begin with a slash");
    let parent =
        message.pointer_mut(parent).and_then(Value::as_object_mut).expect("the file has it");
    match value {
        Some(value) => parent.insert(field.to_owned(), value),
        None => parent.remove(field),
    };
    message
}

fn good(file: &str) -> Value {
    serde_json::from_str(&Side::Client.text(file)).expect("it is JSON")
}

#[test]
fn every_field_is_checked_and_the_error_names_it() {
    for (file, fields) in MESSAGES {
        let message = good(file);
        let kind = message["type"].as_str().expect("it has a type");
        for (pointer, holds, may) in fields {
            let field = pointer.rsplit('/').next().expect("it has a name");
            for value in values() {
                let expected = expected_result(kind, field, *holds, *may, value.as_ref());
                let read = ClientMessage::read(&with(&message, pointer, value.clone()).to_string());
                let words = read.map(drop).map_err(|refused| refused.why.to_string());
                let shown: String = format!("{value:?}").chars().take(60).collect();
                match (&expected, &words) {
                    (Expected::Read, Ok(())) => {}
                    (Expected::Refused(expected), Err(words)) if expected == words => {}
                    (Expected::RefusedBeginning(expected), Err(words))
                        if words.starts_with(expected) => {}
                    _ => panic!("{file} {pointer} {shown}: expected {expected:?}, found {words:?}"),
                }
                let short = words
                    .err()
                    .is_none_or(|words| words.len() < 400 && words.chars().all(is_shown));
                assert!(short, "{file} {pointer} {shown}");
            }
        }
    }
}

fn is_shown(character: char) -> bool {
    !character.is_control() && character != '\u{202e}'
}

/// The table above has the exact errors; this test covers every field of every file.
#[test]
fn any_value_of_a_field_is_read_or_the_error_names_the_field() {
    for file in Side::Client.files() {
        let message = good(&file);
        let kind = message["type"].as_str().expect("it has a type");
        let top = message.as_object().expect("it is an object");
        let inner = top.iter().filter_map(|(outer, value)| Some((outer, value.as_object()?)));
        let inner = inner.flat_map(|(outer, fields)| {
            fields.keys().map(move |field| format!("/{outer}/{field}"))
        });
        let pointers = top
            .keys()
            .filter(|field| *field != "type")
            .map(|field| format!("/{field}"))
            .chain(inner);
        for pointer in pointers {
            let field = pointer.rsplit('/').next().expect("it has a name");
            for value in values() {
                let Err(refused) =
                    ClientMessage::read(&with(&message, &pointer, value).to_string())
                else {
                    continue;
                };
                let words = refused.why.to_string();
                let named = [
                    format!("{field} required in {kind} message"),
                    format!("{field} must be "),
                    format!("{field} in {kind} message: "),
                    // An error may name one of several alternatives, or a field inside of an
                    // object.
                    format!("new_session_id or resume_session_id required in {kind} message"),
                    "time_s must be ".to_owned(),
                ];
                assert!(
                    named.iter().any(|begin| words.starts_with(begin)),
                    "{file} {pointer}: {words}"
                );
                assert!(
                    words.contains(&format!(" in {kind} message")),
                    "{file} {pointer}: {words}"
                );
            }
        }
    }
}

#[test]
fn unknown_fields_are_ignored() {
    for file in Side::Client.files() {
        let message = good(&file);
        let mut more = message.clone();
        for (name, value) in
            [("surprise", json!({ "a": [1, 2] })), ("", json!(null)), ("Type", json!(7))]
        {
            more[name] = value;
        }
        assert_eq!(
            ClientMessage::read(&more.to_string()),
            ClientMessage::read(&message.to_string()),
            "{file}"
        );
    }
}

#[test]
fn the_session_is_checked_before_the_recipe() {
    let table = [
        (json!({}), "session_id required in start_recipe message"),
        (json!({ "recipe_id": 7 }), "session_id required in start_recipe message"),
        (
            json!({ "session_id": 7, "recipe_id": 7 }),
            "session_id must be a string in start_recipe message",
        ),
        (json!({ "session_id": null }), "recipe_id required in start_recipe message"),
        (json!({ "session_id": SESSION }), "recipe_id required in start_recipe message"),
        (
            json!({ "session_id": SESSION, "recipe_id": " " }),
            "recipe_id required in start_recipe message",
        ),
    ];
    for (mut message, words) in table {
        message["type"] = json!("start_recipe");
        let refused = ClientMessage::read(&message.to_string()).expect_err("it is incomplete");
        assert_eq!(refused.why.to_string(), words, "{message}");
    }
}

#[test]
fn a_refusal_names_the_session_that_the_message_was_about() {
    let table = [
        (json!({ "type": "start_recipe", "session_id": SESSION }), true),
        (json!({ "type": "start_recipe", "session_id": SESSION.to_uppercase() }), true),
        (json!({ "type": "prompt", "resume_session_id": SESSION }), true),
        (json!({ "type": "prompt", "new_session_id": SESSION }), true),
        (json!({ "type": "nonsense", "session_id": SESSION }), true),
        (json!({ "session_id": SESSION }), true),
        (json!({ "type": "exit_recipe", "session_id": "7" }), false),
        (json!({ "type": "exit_recipe", "session_id": null }), false),
    ];
    for (message, named) in table {
        let refused = ClientMessage::read(&message.to_string()).expect_err("it is invalid");
        assert_eq!(refused.session, named.then(session), "{message}");
    }
}

#[test]
fn an_invalid_message_is_refused_with_a_reason() {
    let surrogate = r#"{"type":"prompt","text":"\ud800","session_id":"x"}"#;
    let type_twice = r#"{"type":"ping","type":7}"#;
    let table = [
        ("", "message is not valid JSON: EOF while parsing a value at line 1 column 0"),
        ("hello", "message is not valid JSON: expected value at line 1 column 1"),
        (
            "{\"type\":\"ping\"",
            "message is not valid JSON: EOF while parsing an object at line 1 column 14",
        ),
        (
            "{\"type\":\"ping\"} {}",
            "message is not valid JSON: trailing characters at line 1 column 17",
        ),
        (surrogate, "message is not valid JSON: unexpected end of hex escape at line 1 column 32"),
        ("null", "message must be a JSON object"),
        ("7", "message must be a JSON object"),
        ("\"ping\"", "message must be a JSON object"),
        ("[{\"type\":\"ping\"}]", "message must be a JSON object"),
        ("{}", "type required in message"),
        ("{\"type\":null}", "type required in message"),
        ("{\"type\":7}", "type required in message"),
        ("{\"type\":[\"ping\"]}", "type required in message"),
        (type_twice, "type required in message"),
        ("{\"type\":\"\"}", "Unknown message type: "),
        ("{\"type\":\"Ping\"}", "Unknown message type: Ping"),
        ("{\"type\":\"start-recipe\"}", "Unknown message type: start-recipe"),
        ("{\"type\":\"hello\"}", "Unknown message type: hello"),
        ("{\"type\":\"\\u001b[2J\\r\\n\"}", "Unknown message type: \\u{1b}[2J\\r\\n"),
    ];
    for (text, words) in table {
        let refused = ClientMessage::read(text).expect_err("it is invalid");
        assert_eq!(refused.why.to_string(), words, "{text}");
    }
}

#[test]
fn an_unknown_type_is_shortened_in_the_error() {
    for letters in ["x", "\u{0}", "😀", "\u{202e}", "\\", "\""] {
        let message = json!({ "type": letters.repeat(10_000) }).to_string();
        let refused = ClientMessage::read(&message).expect_err("the type is unknown");
        assert!(matches!(refused.why, DecodeError::UnknownType(_)));
        let words = refused.why.to_string();
        assert!(words.chars().count() <= 102 && words.chars().all(is_shown), "{words}");
    }
}

#[test]
fn nesting_that_is_too_deep_is_refused() {
    let depth = 10_000;
    let (open, close) = ("[".repeat(depth), "]".repeat(depth));
    let (objects, ends) = ("{\"a\":".repeat(depth), "}".repeat(depth));
    let frames = [
        open.clone(),
        format!("{open}{close}"),
        format!("{objects}1{ends}"),
        format!("{{\"type\":\"ping\",\"surprise\":{open}{close}}}"),
        format!("{{\"type\":\"ping\",\"surprise\":{objects}1{ends}}}"),
    ];
    for frame in frames {
        let refused = ClientMessage::read(&frame).expect_err("it is too deep");
        let words = refused.why.to_string();
        assert!(
            words.starts_with("message is not valid JSON: recursion limit exceeded"),
            "{words}"
        );
    }
}

#[test]
fn a_message_may_be_127_levels_deep() {
    let nested = |levels: usize| {
        let (open, close) = ("[".repeat(levels - 1), "]".repeat(levels - 1));
        ClientMessage::read(&format!("{{\"type\":\"ping\",\"surprise\":{open}{close}}}"))
    };
    assert_eq!(nested(127), Ok(ClientMessage::Ping));
    assert!(nested(128).is_err());
}

#[test]
fn the_last_of_duplicate_keys_counts() {
    let twice = r#"{"type":"hello","type":"set_max_message_size","size_kb":"x","size_kb":7}"#;
    let once = r#"{"type":"set_max_message_size","size_kb":7}"#;
    assert!(ClientMessage::read(once).is_ok());
    assert_eq!(ClientMessage::read(twice), ClientMessage::read(once));
}

#[test]
fn much_whitespace_and_many_fields_are_accepted() {
    let space = " \n\t\r".repeat(64 * 1024);
    assert!(ClientMessage::read(&space).is_err());
    let spaced = format!("{space}{{\"type\":{space}\"ping\"}}{space}");
    assert_eq!(ClientMessage::read(&spaced), Ok(ClientMessage::Ping));
    let many: Map<_, _> = (0..20_000).map(|n| (format!("field {n}"), json!(n))).collect();
    let mut many = Value::Object(many);
    many["type"] = json!("ping");
    assert_eq!(ClientMessage::read(&many.to_string()), Ok(ClientMessage::Ping));
}
