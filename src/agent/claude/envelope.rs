//! Parsing the CLI's output lines.
//!
//! Each is one JSON object; with `--output-format json` the only line may be an array of them.
//! Unknown lines are not errors: they are ignored.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::blocks;
use super::event::{Envelope, Event};
use super::line::{Field, Line};

/// The events of a line, in order.
pub(super) fn read(line: &[u8]) -> Vec<Event> {
    let text = String::from_utf8_lossy(line);
    let text = text.trim();
    let one = |text: &str| {
        serde_json::from_str::<Line<'_>>(text).map(|line| events(&line)).unwrap_or_default()
    };
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
        ("system", "init") => {
            line.claude_code_version.read().map(Event::Began).into_iter().collect()
        }
        ("system", "api_retry") => vec![Event::Retrying(retry(line))],
        ("system", "permission_denied") => denied(line).into_iter().collect(),
        ("system", "background_tasks_changed") => {
            let tasks = line.tasks.read::<Vec<IgnoredAny>>();
            tasks.map(|tasks| Event::Background(!tasks.is_empty())).into_iter().collect()
        }
        ("assistant", _) => blocks::from_agent(line),
        ("user", _) => blocks::to_agent(line),
        ("rate_limit_event", _) => limit(line).map(Event::LimitResets).into_iter().collect(),
        ("result", _) => vec![Event::Ended(Box::new(envelope(line, subtype)))],
        _ => Vec::new(),
    }
}

fn retry(line: &Line<'_>) -> String {
    let what: String = line.error.read().unwrap_or_else(|| "no answer".to_owned());
    let status =
        line.error_status.read::<u64>().map(|status| format!(" ({status})")).unwrap_or_default();
    let times = match (line.attempt.read::<u64>(), line.max_retries.read::<u64>()) {
        (Some(attempt), Some(most)) => format!(", attempt {attempt} of {most}"),
        _ => String::new(),
    };
    format!("{what}{status}{times}")
}

fn limit(line: &Line<'_>) -> Option<u64> {
    #[derive(Deserialize)]
    struct Info {
        #[serde(rename = "resetsAt")]
        resets_at: u64,
    }
    line.resets_at.read().or_else(|| line.rate_limit_info.read::<Info>().map(|info| info.resets_at))
}

fn denied(line: &Line<'_>) -> Option<Event> {
    Some(Event::Denied { id: line.tool_use_id.read()?, tool: line.tool_name.read()? })
}

fn envelope(line: &Line<'_>, subtype: String) -> Envelope {
    #[derive(Deserialize)]
    struct Denial<'a> {
        tool_name: String,
        #[serde(borrow, default)]
        tool_input: Field<'a>,
    }
    #[derive(Deserialize)]
    struct Usage<'a> {
        #[serde(borrow, default, rename = "costUSD")]
        cost_usd: Field<'a>,
    }
    let errors = || line.errors.read::<Vec<String>>().map(|errors| errors.join("; "));
    let denials = line.permission_denials.read::<Vec<Denial<'_>>>().unwrap_or_default();
    let by_model = line.model_usage_since_last_result.read::<BTreeMap<String, Usage<'_>>>();
    let sum = |models: BTreeMap<String, Usage<'_>>| {
        models
            .values()
            .filter_map(|usage| usage.cost_usd.read::<f64>())
            .fold(0.0, |sum, cost| sum + cost)
    };
    Envelope {
        subtype,
        is_error: line.is_error.read().unwrap_or(false),
        // `result` today, `text` in old versions; a CLI that could not begin lists `errors`
        // instead.
        text: line.result.read().or_else(|| line.text.read()).or_else(errors).unwrap_or_default(),
        session: line.session_id.read(),
        rounds: line.num_turns.read(),
        total_cost_usd: line.total_cost_usd.read(),
        cost_since_last_usd: by_model.map(sum),
        api_error_status: line.api_error_status.read(),
        terminal_reason: line.terminal_reason.read().unwrap_or_default(),
        refused: denials
            .iter()
            .map(|denial| blocks::call(&denial.tool_name, denial.tool_input))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::event::Used;
    use super::*;
    use crate::agent::RefusedTool;

    fn ended(line: &str) -> Envelope {
        match read(line.as_bytes()).pop() {
            Some(Event::Ended(envelope)) => *envelope,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn lines_become_events() {
        let said = |text: &str| Event::Passage(text.to_owned());
        let used = |id: Option<&str>, tool, input| {
            Event::Used(Used {
                id: id.map(str::to_owned),
                call: RefusedTool::new(tool, input),
                writes: None,
            })
        };
        let table: [(&str, Vec<Event>); 15] = [
            (
                r#"{"type":"system","subtype":"init","claude_code_version":"2.1.325"}"#,
                vec![Event::Began("2.1.325".to_owned())],
            ),
            (
                r#"{"type":"assistant","message":{"content":[{"type":"text","text":"Hi"},{"type":"thinking"},{"type":"tool_use","name":"Bash","input":{}}]}}"#,
                vec![said("Hi"), used(None, "Bash", None)],
            ),
            (
                r#"{"type":"assistant","parent_tool_use_id":"x","message":{"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}]}}"#,
                vec![used(Some("t1"), "Bash", Some("ls"))],
            ),
            (
                r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"x"}]}}"#,
                vec![Event::ToolDone { id: "t1".to_owned(), is_error: false, is_missing: false }],
            ),
            (r#"{"type":"user","message":{"content":"words"}}"#, vec![]),
            (
                r#"{"type":"system","subtype":"permission_denied","tool_name":"Bash","tool_use_id":"t1"}"#,
                vec![Event::Denied { id: "t1".to_owned(), tool: "Bash".to_owned() }],
            ),
            (
                r#"{"type":"system","subtype":"background_tasks_changed","tasks":[{"task_id":"b"}]}"#,
                vec![Event::Background(true)],
            ),
            (
                r#"{"type":"system","subtype":"background_tasks_changed","tasks":[]}"#,
                vec![Event::Background(false)],
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
            (
                r#"{"type":"rate_limit_event","rate_limit_info":{"resetsAt":6}}"#,
                vec![Event::LimitResets(6)],
            ),
            (r#"{"type":"system","subtype":"compact_boundary"}"#, vec![]),
        ];
        for (line, events) in table {
            assert_eq!(read(line.as_bytes()), events, "{line}");
        }
    }

    #[test]
    fn the_result_in_all_its_forms() {
        let object = r#"{"type":"result","subtype":"success","is_error":false,"result":"Done.","session_id":"s",
            "num_turns":3,"total_cost_usd":0.5,
            "permission_denials":[{"tool_name":"Bash","tool_input":{"command":"git push"}},{"tool_name":"Edit"}],
            "model_usage_since_last_result":{"opus":{"costUSD":0.125,"x":1},"haiku":{"costUSD":0.0625}}}"#
            .replace('\n', "");
        let envelope = ended(&object);
        assert_eq!((envelope.text.as_str(), envelope.rounds), ("Done.", Some(3)));
        assert_eq!(
            (envelope.total_cost_usd, envelope.cost_since_last_usd),
            (Some(0.5), Some(0.1875))
        );
        let refused = [RefusedTool::new("Bash", Some("git push")), RefusedTool::new("Edit", None)];
        assert_eq!(envelope.refused, refused);
        assert_eq!(ended(&format!("[{{\"type\":\"system\"}}, {object}]")), envelope);
        assert_eq!(ended(r#"{"type":"result","text":"Old."}"#).text, "Old.");
        assert_eq!(
            ended(r#"{"type":"result","errors":["No conversation","x"]}"#).text,
            "No conversation; x"
        );
    }

    #[test]
    fn a_field_of_another_type_is_a_missing_field() {
        let envelope = ended(
            r#"{"type":"result","result":7,"is_error":"yes","num_turns":-1,"session_id":null,"total_cost_usd":"1"}"#,
        );
        assert_eq!(envelope, Envelope::default());
    }

    #[test]
    fn unknown_lines_are_ignored() {
        let deep = format!(
            r#"{{"type":"user","message":{}{}}}"#,
            "[".repeat(100_000),
            "]".repeat(100_000)
        );
        for line in [
            "",
            "   ",
            "plain words",
            "{",
            "[",
            "[1,2]",
            "7",
            "null",
            r#"{"type":"brand_new"}"#,
            &deep,
        ] {
            assert_eq!(read(line.as_bytes()), [], "{line:.40}");
        }
    }

    #[test]
    fn invalid_utf8_is_replaced_and_the_rest_is_read() {
        assert_eq!(
            read(b"{\"type\":\"result\",\"result\":\"a\xff\xfeb\"}"),
            [Event::Ended(Box::new(Envelope {
                text: "a\u{fffd}\u{fffd}b".to_owned(),
                ..Envelope::default()
            }))]
        );
    }
}
