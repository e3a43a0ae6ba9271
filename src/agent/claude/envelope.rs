//! Reading the lines that the CLI writes.
//!
//! Each is one JSON object; with `--output-format json` the only line may be an array of them. Only the fields that are
//! needed are taken out, each for itself: a field of an unexpected type counts as missing, and what a tool returned is
//! skipped without being built up in memory. Lines that nobody knows are no errors: they stay in the file.

use serde::Deserialize;
use serde_json::value::RawValue;

/// Something that a line says.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Event {
    /// The CLI has begun, and this is its version.
    Began(String),
    /// The agent said something.
    Said(String),
    /// The agent uses a tool.
    Used(String),
    /// The service could not be reached; the CLI tries again.
    Retrying(String),
    /// When the account's limit resets, in seconds since 1970.
    LimitResets(u64),
    /// The kind of an error of the service, in the CLI's spelling.
    ServiceError(String),
    /// The end, as the CLI sees it. The last one counts.
    Ended(Box<Envelope>),
}

/// The result object that closes a turn.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Envelope {
    pub(super) subtype: String,
    pub(super) is_error: bool,
    /// The agent's words, or the CLI's words about what went wrong.
    pub(super) text: String,
    pub(super) session: Option<String>,
    pub(super) rounds: Option<u32>,
    pub(super) cost_usd: Option<f64>,
    pub(super) api_error_status: Option<u64>,
    /// Why the CLI stopped, in one word.
    pub(super) terminal_reason: String,
    /// The tools that were denied, each once.
    pub(super) denied: Vec<String>,
}

/// The fields of any line that we look at, unread.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Line<'a> {
    #[serde(borrow, rename = "type")]
    kind: Field<'a>,
    #[serde(borrow)]
    subtype: Field<'a>,
    #[serde(borrow)]
    message: Field<'a>,
    #[serde(borrow)]
    parent_tool_use_id: Field<'a>,
    #[serde(borrow)]
    is_api_error_message: Field<'a>,
    #[serde(borrow)]
    error: Field<'a>,
    #[serde(borrow)]
    error_status: Field<'a>,
    #[serde(borrow)]
    attempt: Field<'a>,
    #[serde(borrow)]
    max_retries: Field<'a>,
    #[serde(borrow)]
    claude_code_version: Field<'a>,
    #[serde(borrow)]
    rate_limit_info: Field<'a>,
    #[serde(borrow, rename = "resetsAt")]
    resets_at: Field<'a>,
    #[serde(borrow)]
    is_error: Field<'a>,
    #[serde(borrow)]
    result: Field<'a>,
    #[serde(borrow)]
    text: Field<'a>,
    #[serde(borrow)]
    errors: Field<'a>,
    #[serde(borrow)]
    session_id: Field<'a>,
    #[serde(borrow)]
    num_turns: Field<'a>,
    #[serde(borrow)]
    total_cost_usd: Field<'a>,
    #[serde(borrow)]
    api_error_status: Field<'a>,
    #[serde(borrow)]
    terminal_reason: Field<'a>,
    #[serde(borrow)]
    permission_denials: Field<'a>,
}

/// A field that is read when its turn comes.
#[derive(Deserialize, Default, Clone, Copy)]
#[serde(transparent)]
struct Field<'a>(#[serde(borrow)] Option<&'a RawValue>);

impl<'a> Field<'a> {
    fn read<T: Deserialize<'a>>(self) -> Option<T> {
        serde_json::from_str(self.0?.get()).ok()
    }
}

/// What a line says, in order.
pub(super) fn read(line: &[u8]) -> Vec<Event> {
    let text = String::from_utf8_lossy(line);
    let text = text.trim();
    let one =
        |text: &str| serde_json::from_str::<Line<'_>>(text).map(|line| events(&line)).unwrap_or_default();
    if text.starts_with('[') {
        let lines: Vec<&RawValue> = serde_json::from_str(text).unwrap_or_default();
        return lines.into_iter().flat_map(|line| one(line.get())).collect();
    }
    one(text)
}

fn events(line: &Line<'_>) -> Vec<Event> {
    let kind: String = line.kind.read().unwrap_or_default();
    let subtype: String = line.subtype.read().unwrap_or_default();
    match (kind.as_str(), subtype.as_str()) {
        ("system", "init") => line.claude_code_version.read().map(Event::Began).into_iter().collect(),
        ("system", "api_retry") => vec![Event::Retrying(retry(line))],
        ("assistant", _) => message(line),
        ("rate_limit_event", _) => limit(line).map(Event::LimitResets).into_iter().collect(),
        ("result", _) => vec![Event::Ended(Box::new(envelope(line, subtype)))],
        _ => Vec::new(),
    }
}

fn retry(line: &Line<'_>) -> String {
    let what: String = line.error.read().unwrap_or_else(|| "no answer".to_owned());
    let status = line.error_status.read::<u64>().map(|status| format!(" ({status})")).unwrap_or_default();
    let times = match (line.attempt.read::<u64>(), line.max_retries.read::<u64>()) {
        (Some(attempt), Some(most)) => format!(", attempt {attempt} of {most}"),
        _ => String::new(),
    };
    format!("{what}{status}{times}")
}

fn message(line: &Line<'_>) -> Vec<Event> {
    #[derive(Deserialize)]
    struct Message<'a> {
        #[serde(borrow)]
        content: Vec<&'a RawValue>,
    }
    #[derive(Deserialize)]
    #[serde(tag = "type", rename_all = "snake_case")]
    enum Block {
        Text { text: String },
        ToolUse { name: String },
    }
    // The CLI puts its own error messages into the agent's mouth. They come again, as the end of the turn.
    if line.is_api_error_message.read() == Some(true) {
        return line.error.read().map(Event::ServiceError).into_iter().collect();
    }
    // What an agent's own helper says is not said to us; that it works is still a sign of life.
    let own = line.parent_tool_use_id.0.is_none();
    let blocks = line.message.read::<Message<'_>>().map(|message| message.content).unwrap_or_default();
    let known = blocks.into_iter().filter_map(|block| serde_json::from_str(block.get()).ok());
    let told = known.filter_map(|block| match block {
        Block::Text { text } => (own && !text.trim().is_empty()).then_some(Event::Said(text)),
        Block::ToolUse { name } => Some(Event::Used(name)),
    });
    told.collect()
}

fn limit(line: &Line<'_>) -> Option<u64> {
    #[derive(Deserialize)]
    struct Info {
        #[serde(rename = "resetsAt")]
        resets_at: u64,
    }
    line.resets_at.read().or_else(|| line.rate_limit_info.read::<Info>().map(|info| info.resets_at))
}

fn envelope(line: &Line<'_>, subtype: String) -> Envelope {
    #[derive(Deserialize)]
    struct Denial {
        tool_name: String,
    }
    let errors = || line.errors.read::<Vec<String>>().map(|errors| errors.join("; "));
    let mut denied: Vec<String> = Vec::new();
    for denial in line.permission_denials.read::<Vec<Denial>>().unwrap_or_default() {
        if !denied.contains(&denial.tool_name) {
            denied.push(denial.tool_name);
        }
    }
    Envelope {
        subtype,
        is_error: line.is_error.read().unwrap_or(false),
        // `result` today, `text` once; a CLI that could not even begin has neither, and lists `errors`.
        text: line.result.read().or_else(|| line.text.read()).or_else(errors).unwrap_or_default(),
        session: line.session_id.read(),
        rounds: line.num_turns.read(),
        cost_usd: line.total_cost_usd.read(),
        api_error_status: line.api_error_status.read(),
        terminal_reason: line.terminal_reason.read().unwrap_or_default(),
        denied,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(line: &str) -> Envelope {
        match read(line.as_bytes()).pop() {
            Some(Event::Ended(envelope)) => *envelope,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn signs_of_life() {
        let said = |text: &str| Event::Said(text.to_owned());
        let table: [(&str, Vec<Event>); 9] = [
            (
                r#"{"type":"system","subtype":"init","claude_code_version":"2.1.325"}"#,
                vec![Event::Began("2.1.325".to_owned())],
            ),
            (
                r#"{"type":"assistant","message":{"content":[{"type":"text","text":"Hi"},{"type":"thinking"},{"type":"tool_use","name":"Bash","input":{}}]}}"#,
                vec![said("Hi"), Event::Used("Bash".to_owned())],
            ),
            (
                r#"{"type":"assistant","parent_tool_use_id":"x","message":{"content":[{"type":"text","text":"Hi"}]}}"#,
                vec![],
            ),
            (
                r#"{"type":"assistant","is_api_error_message":true,"error":"authentication_failed","message":{"content":[{"type":"text","text":"Hi"}]}}"#,
                vec![Event::ServiceError("authentication_failed".to_owned())],
            ),
            (
                r#"{"type":"system","subtype":"api_retry","attempt":1,"max_retries":10,"error_status":529,"error":"overloaded"}"#,
                vec![Event::Retrying("overloaded (529), attempt 1 of 10".to_owned())],
            ),
            (
                r#"{"type":"system","subtype":"api_retry","error_status":null,"error":"unknown"}"#,
                vec![Event::Retrying("unknown".to_owned())],
            ),
            (r#"{"type":"rate_limit_event","resetsAt":5}"#, vec![Event::LimitResets(5)]),
            (r#"{"type":"rate_limit_event","rate_limit_info":{"resetsAt":6}}"#, vec![Event::LimitResets(6)]),
            (r#"{"type":"system","subtype":"compact_boundary"}"#, vec![]),
        ];
        for (line, events) in table {
            assert_eq!(read(line.as_bytes()), events, "{line}");
        }
    }

    #[test]
    fn the_result_in_all_its_forms() {
        let object = r#"{"type":"result","subtype":"success","is_error":false,"result":"Done.","session_id":"s",
            "num_turns":3,"total_cost_usd":0.5,"permission_denials":[{"tool_name":"Bash"},{"tool_name":"Bash"}]}"#
            .replace('\n', "");
        let envelope = ended(&object);
        assert_eq!(
            (envelope.text.as_str(), envelope.rounds, envelope.cost_usd),
            ("Done.", Some(3), Some(0.5))
        );
        assert_eq!(envelope.denied, ["Bash"]);
        assert_eq!(ended(&format!("[{{\"type\":\"system\"}}, {object}]")), envelope);
        assert_eq!(ended(r#"{"type":"result","text":"Old."}"#).text, "Old.");
        assert_eq!(ended(r#"{"type":"result","errors":["No conversation","x"]}"#).text, "No conversation; x");
    }

    #[test]
    fn a_field_of_another_type_is_a_missing_field() {
        let envelope = ended(
            r#"{"type":"result","result":7,"is_error":"yes","num_turns":-1,"session_id":null,"total_cost_usd":"1"}"#,
        );
        assert_eq!(envelope, Envelope::default());
    }

    #[test]
    fn what_nobody_knows_says_nothing() {
        let deep = format!(r#"{{"type":"user","message":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
        for line in
            ["", "   ", "plain words", "{", "[", "[1,2]", "7", "null", r#"{"type":"brand_new"}"#, &deep]
        {
            assert_eq!(read(line.as_bytes()), [], "{line:.40}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_spoil_only_themselves() {
        assert_eq!(
            read(b"{\"type\":\"result\",\"result\":\"a\xff\xfeb\"}"),
            [Event::Ended(Box::new(Envelope {
                text: "a\u{fffd}\u{fffd}b".to_owned(),
                ..Envelope::default()
            }))]
        );
    }
}
