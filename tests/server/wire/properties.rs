//! What holds for arbitrary messages, and for every limit that a message has to fit.

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use surefire::recipes::ImplementAndReview;
use surefire::wire::{
    ClientMessage, HistoryMessage, HistoryPart, Request, ServerMessage, Stamp, history_page,
    shrink_to_fit,
};
use uuid::Uuid;

use super::one_run::{OneRun, SESSION, session};

/// The fields of all messages.
const FIELDS: [&str; 30] = [
    "api_key",
    "protocol_version",
    "recent_sessions_limit",
    "session_id",
    "recipe_id",
    "working_directory",
    "provider",
    "agent",
    "model",
    "reason",
    "older_than_s",
    "prompt",
    "limits",
    "time_s",
    "max_ticks",
    "budget_usd",
    "auto_resumes",
    "allow_visits",
    "run_id",
    "enabled",
    "text",
    "new_session_id",
    "resume_session_id",
    "from_offset",
    "file_signature_seen",
    "last_seq",
    "size_kb",
    "request_id",
    "spacing",
    "work",
];

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        Just(json!(SESSION)),
    ];
    let field =
        prop_oneof![proptest::sample::select(&FIELDS[..]).prop_map(str::to_owned), any::<String>()];
    leaf.prop_recursive(4, 32, 6, move |inner| {
        let object = btree_map(field.clone(), inner.clone(), 0..6);
        prop_oneof![
            vec(inner, 0..6).prop_map(Value::from),
            object.prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// Texts of all kinds, even those that get much longer in JSON.
fn text() -> impl Strategy<Value = String> {
    let letters = prop_oneof![
        Just('a'),
        Just('"'),
        Just('\u{1}'),
        Just('\n'),
        Just('ä'),
        Just('😀'),
        any::<char>()
    ];
    vec(letters, 0..800).prop_map(|letters| letters.into_iter().collect())
}

fn said(offset: u64, text: String) -> HistoryMessage {
    let uuid = Uuid::from_u128(u128::from(offset));
    HistoryMessage {
        session_id: session(),
        uuid,
        role: "assistant".into(),
        kind: "assistant".into(),
        text,
        timestamp: Stamp(1_750_000_000_000),
        offset,
        seq: offset + 1,
        id: uuid,
        provider: "claude".into(),
        mark: None,
        delivered: true,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn reading_never_panics_and_what_is_read_can_be_written(
        kind in proptest::sample::select(ClientMessage::TYPES),
        fields in btree_map(proptest::sample::select(&FIELDS[..]), any_json(), 0..8),
    ) {
        let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), value));
        let mut message: Map<_, _> = fields.collect();
        message.insert("type".to_owned(), kind.into());
        match Request::read(&Value::Object(message).to_string()) {
            Ok(request) => prop_assert_eq!(Request::read(&request.to_json()), Ok(request)),
            Err(refused) => {
                let words = refused.why.to_string();
                prop_assert!(words.contains(kind) && words.len() < 800, "{words}");
            }
        }
    }

    #[test]
    fn reading_any_text_never_panics(text in any::<String>(), json in any_json()) {
        let _ = ClientMessage::read(&text);
        let _ = ClientMessage::read(&json.to_string());
    }

    #[test]
    fn a_history_page_stays_below_its_limit_and_makes_progress(
        texts in vec(text(), 1..8),
        from in 0..1_000_000_000_000_u64,
        behind in 0..1000_u64,
        limit in 1024..8192_usize,
        replaced in any::<bool>(),
    ) {
        let messages: Vec<_> = (from..).zip(texts).map(|(offset, text)| said(offset, text)).collect();
        let total = from + messages.len() as u64 + behind;
        let part = HistoryPart { session: session(), signature: SESSION.into(), replaced, total, messages: messages.clone() };
        let frame = history_page(part, limit);
        let size = ServerMessage::SessionHistory(frame.clone()).to_json().len();
        prop_assert!(size < limit, "{size} of {limit}");
        prop_assert!(!frame.messages.is_empty());
        prop_assert_eq!(frame.next_offset, from + frame.messages.len() as u64);
        prop_assert_eq!(frame.end_of_file, frame.next_offset == total);
        for (sent, meant) in frame.messages.iter().zip(&messages) {
            prop_assert_eq!(sent.uuid, meant.uuid);
            prop_assert!(sent.text == meant.text || frame.messages.len() == 1, "only a lone message is cut");
        }
    }

    #[test]
    fn a_shrunk_message_is_still_valid(texts in [text(), text(), text(), text()], limit in 1024..4096_usize) {
        let run = OneRun::start(&ImplementAndReview).reports(["complete", "no-issues", "committed"]);
        let ServerMessage::RecipeExited(mut exited) = run.latest("recipe_exited") else { panic!("it is one") };
        let [message, diagnosis, error, description] = texts;
        (exited.message, exited.diagnosis) = (message, diagnosis);
        (exited.error, exited.description) = (Some(error), Some(description));
        let small = shrink_to_fit(&ServerMessage::RecipeExited(exited.clone()).to_json(), limit).expect("its fixed part is small");
        prop_assert!(small.len() < limit, "{} of {limit}", small.len());
        let read: ServerMessage = serde_json::from_str(&small).expect("it is still a message");
        let ServerMessage::RecipeExited(read) = read else { panic!("its type has changed") };
        prop_assert_eq!((read.session_id, read.reason, read.of), (exited.session_id, exited.reason, exited.of));
    }

    #[test]
    fn shrunk_json_stays_below_the_limit(json in any_json(), limit in 0..2048_usize) {
        let text = json.to_string();
        match shrink_to_fit(&text, limit) {
            Some(small) => prop_assert!(small.len() < limit && serde_json::from_str::<Value>(&small).is_ok()),
            None => prop_assert!(text.len() >= limit),
        }
    }
}
