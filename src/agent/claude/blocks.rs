//! The blocks of a message: text, tool uses, and tool results.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::event::{Event, Used};
use super::line::{Field, Line};
use crate::agent::RefusedTool;

/// Linux's limit for a path. A longer one cannot name a written file.
const MAX_PATH_BYTES: usize = 4096;

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    content: Vec<&'a RawValue>,
}

/// The events in a message from the agent.
pub(super) fn from_agent(line: &Line<'_>) -> Vec<Event> {
    // Not a tagged enum: serde would buffer it in memory, including the input, which may be a whole
    // file.
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct Block<'a> {
        #[serde(borrow, rename = "type")]
        kind: Field<'a>,
        #[serde(borrow)]
        text: Field<'a>,
        #[serde(borrow)]
        id: Field<'a>,
        #[serde(borrow)]
        name: Field<'a>,
        #[serde(borrow)]
        input: Field<'a>,
    }
    // The CLI reports its own errors as messages of the agent, and again in the result.
    if line.is_api_error_message.read() == Some(true) {
        return line.error.read().map(Event::ServiceError).into_iter().collect();
    }
    // A subagent's text is not part of the conversation, but it shows that the agent is alive.
    let own = line.parent_tool_use_id.is_missing();
    let events = blocks(line).filter_map(|block| {
        let block: Block<'_> = serde_json::from_str(block).ok()?;
        match block.kind.read::<&str>()? {
            "text" => {
                let text: String = block.text.read()?;
                (own && !text.trim().is_empty()).then_some(Event::Passage(text))
            }
            "tool_use" => {
                let name: String = block.name.read()?;
                let (call, writes) = (call(&name, block.input), written(&name, block.input));
                Some(Event::Used(Used { id: block.id.read(), call, writes }))
            }
            _ => None,
        }
    });
    events.collect()
}

/// The events in a message to the agent: only tool results.
pub(super) fn to_agent(line: &Line<'_>) -> Vec<Event> {
    #[derive(Deserialize)]
    struct Block<'a> {
        tool_use_id: String,
        #[serde(borrow, default)]
        is_error: Field<'a>,
        #[serde(borrow, default)]
        content: Field<'a>,
    }
    let done = blocks(line).filter_map(|block| {
        let block: Block<'_> = serde_json::from_str(block).ok()?;
        let is_error = block.is_error.read() == Some(true);
        let is_missing = is_error && says_missing(block.content);
        Some(Event::ToolDone { id: block.tool_use_id, is_error, is_missing })
    });
    done.collect()
}

/// The blocks of a message; a plain text message has none.
fn blocks<'a>(line: &Line<'a>) -> impl Iterator<Item = &'a str> + use<'a> {
    let message = line.message.read::<Message<'a>>();
    message.map(|message| message.content).unwrap_or_default().into_iter().map(RawValue::get)
}

/// Whether the CLI says that the tool does not exist or cannot be called. It says so for disallowed
/// tools too, which are missing from its list of denials.
fn says_missing(content: Field<'_>) -> bool {
    #[derive(Deserialize)]
    struct Block {
        text: String,
    }
    let text =
        content.read().or_else(|| Some(content.read::<Vec<Block>>()?.into_iter().next()?.text));
    let text: String = text.unwrap_or_default();
    // The CLI's own message is in a tag, at the beginning. A tool's output may look similar, but
    // has no such tag there.
    let Some(words) = text.strip_prefix("<tool_use_error>") else { return false };
    ["Error: No such tool available", "Error calling tool"]
        .iter()
        .any(|message| words.starts_with(message))
}

/// A use of a tool, with the most informative field of its input.
pub(super) fn call(tool: &str, input: Field<'_>) -> RefusedTool {
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct Input<'a> {
        #[serde(borrow)]
        command: Field<'a>,
        #[serde(borrow)]
        file_path: Field<'a>,
        #[serde(borrow)]
        notebook_path: Field<'a>,
        #[serde(borrow)]
        url: Field<'a>,
        #[serde(borrow)]
        query: Field<'a>,
        #[serde(borrow)]
        path: Field<'a>,
    }
    let input = input.read::<Input<'_>>().unwrap_or_default();
    let candidates =
        [input.command, input.file_path, input.notebook_path, input.url, input.query, input.path];
    let words = candidates.into_iter().find_map(Field::read::<String>);
    RefusedTool::new(tool, words.as_deref())
}

/// The file that this use writes, if it is one of the CLI's editing tools.
fn written(tool: &str, input: Field<'_>) -> Option<PathBuf> {
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct Input<'a> {
        #[serde(borrow)]
        file_path: Field<'a>,
        #[serde(borrow)]
        notebook_path: Field<'a>,
    }
    let input = || input.read::<Input<'_>>().unwrap_or_default();
    let path: String = match tool {
        "Edit" | "MultiEdit" | "Write" => input().file_path.read()?,
        "NotebookEdit" => input().notebook_path.read()?,
        _ => return None,
    };
    (!path.is_empty() && path.len() <= MAX_PATH_BYTES).then(|| path.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(block: &str) -> Vec<Event> {
        let line = format!(r#"{{"type":"user","message":{{"content":[{block}]}}}}"#);
        to_agent(&serde_json::from_str(&line).unwrap())
    }

    #[test]
    fn a_missing_tool_is_recognized_by_the_clis_message() {
        let error = |words: &str| format!(r#""content":"{words}","is_error":true"#);
        let table = [
            (
                // 2.1.325
                error("<tool_use_error>Error: No such tool available: Write. Write is disabled for this session, in subagents as well as here.</tool_use_error>"),
                true,
            ),
            (
                // 2.1.197
                error("<tool_use_error>Error: No such tool available: Write. Write exists but is not enabled in this context. Use one of the available tools instead.</tool_use_error>"),
                true,
            ),
            (error("<tool_use_error>Error calling tool (Write): it is broken</tool_use_error>"), true),
            (
                r#""is_error":true,"content":[{"type":"text","text":"<tool_use_error>Error: No such tool available: X</tool_use_error>"}]"#.to_owned(),
                true,
            ),
            // Denials are listed in the result, so they are not reported here.
            (error("This command requires approval"), false),
            (error("Exit code 1\\n<tool_use_error>Error: No such tool available: X"), false),
            (error("Error: No such tool available: X"), false),
            (
                r#""content":"<tool_use_error>Error: No such tool available: X","is_error":false"#.to_owned(),
                false,
            ),
            (r#""content":7,"is_error":true"#.to_owned(), false),
            (r#""content":"x","is_error":null"#.to_owned(), false),
        ];
        for (fields, is_missing) in table {
            let block = format!(r#"{{"type":"tool_result","tool_use_id":"t1",{fields}}}"#);
            let is_error = fields.contains(r#""is_error":true"#);
            let expected = Event::ToolDone { id: "t1".to_owned(), is_error, is_missing };
            assert_eq!(done(&block), [expected], "{block}");
        }
        assert_eq!(
            done(r#"{"type":"text","text":"<tool_use_error>Error: No such tool available"}"#),
            []
        );
    }

    #[test]
    fn only_the_most_informative_field_of_an_input_is_kept() {
        let table = [
            ("Bash", r#"{"description":"d","command":"git push"}"#, Some("git push")),
            ("Write", r#"{"content":"x","file_path":"/a/b"}"#, Some("/a/b")),
            ("NotebookEdit", r#"{"notebook_path":"n.ipynb"}"#, Some("n.ipynb")),
            ("WebFetch", r#"{"prompt":"p","url":"http://x/"}"#, Some("http://x/")),
            ("WebSearch", r#"{"query":"q"}"#, Some("q")),
            ("Grep", r#"{"pattern":"p","path":"/etc"}"#, Some("/etc")),
            ("Bash", r#"{"command":7,"path":["x"]}"#, None),
            ("mcp__x__y", r#"{"id":1}"#, None),
            ("Bash", "[]", None),
            ("Bash", "null", None),
        ];
        for (tool, input, words) in table {
            let field: Field<'_> = serde_json::from_str(input).unwrap();
            assert_eq!(call(tool, field), RefusedTool::new(tool, words), "{input}");
        }
    }

    #[test]
    fn only_editing_tools_write_a_file() {
        let long = format!(r#"{{"file_path":"/{}"}}"#, "x".repeat(MAX_PATH_BYTES));
        let table = [
            ("Write", r#"{"content":"x","file_path":"/a/b"}"#, Some("/a/b")),
            ("Edit", r#"{"file_path":"/a/b","old_string":"x","new_string":"y"}"#, Some("/a/b")),
            ("MultiEdit", r#"{"edits":[],"file_path":"/a/b"}"#, Some("/a/b")),
            ("NotebookEdit", r#"{"notebook_path":"/n.ipynb","file_path":"/a"}"#, Some("/n.ipynb")),
            ("Write", r#"{"notebook_path":"/n.ipynb"}"#, None),
            ("Write", r#"{"file_path":""}"#, None),
            ("Write", r#"{"file_path":["/a"]}"#, None),
            ("Write", &long, None),
            ("Edit", "null", None),
            ("Read", r#"{"file_path":"/a/b"}"#, None),
            ("Bash", r#"{"command":"touch /a/b"}"#, None),
            ("mcp__files__Write", r#"{"file_path":"/a/b"}"#, None),
        ];
        for (tool, input, path) in table {
            let field: Field<'_> = serde_json::from_str(input).unwrap();
            assert_eq!(written(tool, field), path.map(PathBuf::from), "{tool} {input:.60}");
        }
    }
}
