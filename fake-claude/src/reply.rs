//! The lines that the CLI prints, and the reply inside them.

use fake_claude::{Act, Answer};
use serde_json::{Value, json};

use crate::call::Call;

/// The text before the outcomes in a step's prompt.
const OFFER: &str = "Your possible outcomes for this step: ";

/// The reply to a prompt.
pub(crate) fn text(prompt: &str, answer: &Answer) -> String {
    if let Some(text) = &answer.text {
        return text.clone();
    }
    let Some(outcome) = answer.pick.clone().or_else(|| first_offered(prompt)) else {
        return "Done.".to_owned();
    };
    match answer.act {
        Act::ProseOnly | Act::Denied => "I looked at everything, and it is fine.".to_owned(),
        Act::WrongOutcome => closing("all-is-well"),
        Act::TwoOutcomes => format!("{}\nOr rather:\n{}", closing(&outcome), closing("other")),
        Act::TruncatedJson => format!("Done.\n{{\"outcome\": \"{outcome}"),
        Act::DuplicateKeys => {
            format!("Done.\n{{\"outcome\": \"{outcome}\", \"outcome\": \"other\"}}")
        }
        Act::DeepNesting => {
            let (open, close) = ("[".repeat(100_000), "]".repeat(100_000));
            format!("Done.\n{open}{{\"outcome\": \"{outcome}\"}}{close}")
        }
        _ => closing(&outcome),
    }
}

fn closing(outcome: &str) -> String {
    let mut object = json!({ "outcome": outcome });
    if outcome == "other" {
        object["otherDescription"] = json!("something that the plan asked for");
    }
    format!("Done.\n{object}")
}

fn first_offered(prompt: &str) -> Option<String> {
    let offer = prompt.lines().rev().find_map(|line| line.strip_prefix(OFFER))?;
    offer.split(',').map(str::trim).find(|name| !name.is_empty()).map(ToOwned::to_owned)
}

/// The first line of a call.
pub(crate) fn init(call: &Call) -> Value {
    let tools = ["Bash", "Edit", "NotebookEdit", "Read", "WebFetch", "WebSearch", "Write"];
    let tools: Vec<_> = tools
        .into_iter()
        .filter(|tool| !call.disallowed_tools.iter().any(|name| name == tool))
        .collect();
    json!({
        "type": "system", "subtype": "init", "session_id": call.session,
        "claude_code_version": call.version.number(),
        "model": call.model.as_deref().unwrap_or("claude-opus-5-5"), "permissionMode": call.permission_mode,
        "tools": tools,
    })
}

/// A message of the agent.
pub(crate) fn said(call: &Call, text: &str) -> Value {
    json!({
        "type": "assistant", "session_id": call.session, "parent_tool_use_id": null,
        "message": { "role": "assistant", "content": [{ "type": "text", "text": text }] },
    })
}

/// A tool that the agent uses.
pub(crate) fn used(call: &Call, id: &str, tool: &str, input: &Value) -> Value {
    let block = json!({ "type": "tool_use", "id": id, "name": tool, "input": input });
    json!({
        "type": "assistant", "session_id": call.session, "parent_tool_use_id": null,
        "message": { "role": "assistant", "content": [block] },
    })
}

/// The result of a tool.
pub(crate) fn tool_result(call: &Call, id: &str, content: &str, is_error: bool) -> Value {
    let block = json!({ "type": "tool_result", "tool_use_id": id, "content": content, "is_error": is_error });
    json!({
        "type": "user", "session_id": call.session, "parent_tool_use_id": null,
        "message": { "role": "user", "content": [block] },
    })
}

/// The last line of a successful call, without its costs.
pub(crate) fn success(call: &Call, text: &str, denials: &[Value]) -> Value {
    json!({
        "type": "result", "subtype": "success", "is_error": false, "result": text, "session_id": call.session,
        "num_turns": 1, "permission_denials": denials, "api_error_status": null,
        "usage": { "input_tokens": 1, "output_tokens": 1 },
    })
}

/// The last line of a failed call, without its costs.
pub(crate) fn error(
    call: &Call,
    subtype: &str,
    status: Option<u64>,
    text: &str,
    denials: &[Value],
) -> Value {
    let mut line = success(call, text, denials);
    line["subtype"] = json!(subtype);
    line["is_error"] = json!(true);
    line["api_error_status"] = json!(status);
    line
}
