//! Rules that hold for everything that a client receives, in every situation. The app relies on
//! them.

use std::collections::{HashMap, HashSet};

use serde_json::Value;
use surefire_testkit::app::App;

/// Fields that are timestamps, written as text.
const TIMESTAMP_FIELDS: [&str; 3] = ["timestamp", "at", "resume_at"];

/// Checks everything that the client received on its socket.
pub(crate) fn hold_for(app: &App) {
    let mut conversations: HashMap<String, Conversation> = HashMap::new();
    for message in &app.heard {
        check_timestamps(message);
        match text(message, "type") {
            "session_list" => each(message, "sessions", session_entry),
            "session_created" => session_entry(message),
            "recent_sessions" => each(message, "sessions", recent_session),
            "available_recipes" => each(message, "recipes", |recipe| {
                for field in ["id", "label", "description"] {
                    text(recipe, field);
                }
            }),
            "recipe_started" => recipe_started(message),
            "recipe_step_started" => {
                text(message, "step");
                assert!(count(message, "step_count") >= 1, "{message}");
            }
            "recipe_exited" => {
                for field in ["reason", "category", "message", "title", "diagnosis"] {
                    text(message, field);
                }
                let failed = message["category"] == "error";
                assert_eq!(
                    message.get("error").is_some(),
                    failed,
                    "only failures have an error: {message}"
                );
            }
            "turn_complete" => {
                assert!(matches!(message.get("aborted"), None | Some(Value::Bool(true))));
            }
            "session_history" => {
                let session = text(message, "session_id").to_owned();
                conversations.entry(session).or_default().add(message);
            }
            _ => {}
        }
    }
}

fn recipe_started(message: &Value) {
    for field in ["session_id", "recipe_id", "recipe_label", "current_step", "run_id"] {
        text(message, field);
    }
    assert_eq!(message["step"], message["current_step"], "{message}");
    assert!(count(message, "step_count") >= 1 && count(message, "seq") >= 1, "{message}");
}

fn session_entry(entry: &Value) {
    for field in ["session_id", "name", "working_directory", "provider"] {
        text(entry, field);
    }
    assert!(count(entry, "last_modified") > 1_700_000_000_000, "in milliseconds: {entry}");
    count(entry, "message_count");
}

fn recent_session(entry: &Value) {
    for field in ["session_id", "name", "working_directory", "provider"] {
        text(entry, field);
    }
    assert!(is_timestamp(text(entry, "last_modified")), "{entry}");
}

fn each(message: &Value, list: &str, check: impl Fn(&Value)) {
    message[list]
        .as_array()
        .unwrap_or_else(|| panic!("`{list}` is a list in {message}"))
        .iter()
        .for_each(check);
}

/// A text that is not empty.
fn text<'m>(message: &'m Value, field: &str) -> &'m str {
    let text = message[field].as_str().filter(|text| !text.is_empty());
    text.unwrap_or_else(|| panic!("`{field}` is not empty in {message}"))
}

fn count(message: &Value, field: &str) -> u64 {
    message[field].as_u64().unwrap_or_else(|| panic!("`{field}` is a number in {message}"))
}

/// Every timestamp in a message has exactly three digits after the second.
fn check_timestamps(value: &Value) {
    match value {
        Value::Array(values) => values.iter().for_each(check_timestamps),
        Value::Object(fields) => {
            for (name, value) in fields {
                if TIMESTAMP_FIELDS.contains(&name.as_str()) {
                    assert!(value.as_str().is_some_and(is_timestamp), "{name}: {value}");
                }
                check_timestamps(value);
            }
        }
        _ => {}
    }
}

fn is_timestamp(text: &str) -> bool {
    let shape = |letter: char| if letter.is_ascii_digit() { '0' } else { letter };
    text.chars().map(shape).eq("0000-00-00T00:00:00.000Z".chars())
}

/// A conversation as a client puts it together.
#[derive(Default)]
struct Conversation {
    messages: Vec<Value>,
    ids: HashSet<String>,
    next_offset: u64,
    signature: Option<Value>,
}

impl Conversation {
    fn add(&mut self, frame: &Value) {
        let signature = self.signature.get_or_insert_with(|| frame["file_signature"].clone());
        assert_eq!(*signature, frame["file_signature"], "it is one conversation");
        text(frame, "file_signature");
        each_known(frame);
        for message in frame["messages"].as_array().expect("it is a list") {
            self.message(message);
        }
        let next = count(frame, "next_offset");
        assert!(next >= self.next_offset, "the app would delete what it has: {frame}");
        self.next_offset = next;
    }

    fn message(&mut self, message: &Value) {
        assert!(matches!(text(message, "role"), "user" | "assistant"), "{message}");
        assert!(message["text"].is_string(), "{message}");
        text(message, "timestamp");
        text(message, "provider");
        assert_eq!(message["id"], message["uuid"], "{message}");
        let offset = count(message, "offset");
        assert_eq!(count(message, "seq"), offset + 1, "{message}");
        let Some(last) = self.messages.last() else {
            self.ids.insert(text(message, "uuid").to_owned());
            return self.messages.push(message.clone());
        };
        let end = count(last, "offset") + 1;
        if offset == end {
            assert!(
                self.ids.insert(text(message, "uuid").to_owned()),
                "no id comes twice: {message}"
            );
            // In this format, text order is chronological order.
            assert!(
                text(last, "timestamp") <= text(message, "timestamp"),
                "{last} is before {message}"
            );
            return self.messages.push(message.clone());
        }
        let known = self.messages.iter().find(|known| known["offset"] == message["offset"]);
        match known {
            Some(known) => assert_eq!(known, message, "what is sent again is the same"),
            // A client that has only the tail may request what is before it.
            None => assert!(offset < end, "offset {offset} comes right after {end}"),
        }
    }
}

/// The fields of the envelope that both versions of the protocol read.
fn each_known(frame: &Value) {
    let messages = frame["messages"].as_array().expect("it is a list");
    let total = count(frame, "total_count");
    let (first, last) = (messages.first(), messages.last());
    assert_eq!(
        frame["first_seq"],
        first.map_or(Value::Null, |first| first["seq"].clone()),
        "{frame}"
    );
    assert_eq!(frame["last_seq"], last.map_or(Value::Null, |last| last["seq"].clone()), "{frame}");
    assert_eq!(count(frame, "next_seq"), total + 1, "{frame}");
    assert_eq!(
        (frame.get("gap"), &frame["is_complete"]),
        (Some(&Value::Null), &frame["end_of_file"])
    );
    assert_eq!(frame["end_of_file"], Value::Bool(count(frame, "next_offset") >= total), "{frame}");
    if let Some(last) = last {
        assert_eq!(count(frame, "next_offset"), count(last, "offset") + 1, "{frame}");
    }
}
