//! The state of a turn, from the lines read so far.

use std::path::PathBuf;

use super::cost::Cost;
use super::envelope;
use super::event::{Envelope, Event};
use super::open_tools::{Open, OpenTools};
use crate::agent::{AgentEvent, RefusedTool};
use crate::process::Observer;

/// The size limit of a passage: more than a model writes in one piece. The reply itself is never
/// cut.
const MAX_PASSAGE_BYTES: usize = 256 << 10;

/// How many distinct refusals are reported per turn: an agent that keeps trying must not flood the
/// event log.
const MAX_REFUSED_TOOLS: usize = 100;

/// How many distinct written files are reported per turn, for the same reason.
const MAX_WRITTEN_FILES: usize = 200;

/// The state of a turn, from the lines read so far.
#[derive(Debug, Default)]
pub(super) struct Transcript {
    pub(super) version: Option<String>,
    /// The last result object.
    pub(super) envelope: Option<Envelope>,
    pub(super) limit_resets: Option<u64>,
    pub(super) service_error: Option<String>,
    /// The sum over all results.
    pub(super) rounds: Option<u32>,
    /// The refused tools, in the order in which they were reported.
    pub(super) refused: Vec<RefusedTool>,
    /// The files that its editing tools wrote, each once.
    pub(super) written: Vec<PathBuf>,
    pub(super) cost: Cost,
    pub(super) open: OpenTools,
    /// Whether there was no activity since the last result.
    pub(super) is_at_rest: bool,
    /// Whether commands run in the background.
    pub(super) has_background: bool,
}

impl Transcript {
    /// The cost of the turn, as far as it is known.
    pub(super) fn cost_usd(&self) -> Option<f64> {
        self.cost.of_the_turn()
    }

    /// Applies one event of the CLI, and returns the agent's events for it.
    fn apply(&mut self, event: Event) -> Vec<AgentEvent> {
        match event {
            Event::Passage(text) => {
                self.is_at_rest = false;
                return vec![AgentEvent::Passage(shortened(text))];
            }
            Event::Used(used) => {
                self.is_at_rest = false;
                let tool = used.call.tool.clone();
                self.open.open(used);
                return vec![AgentEvent::Used { tool }];
            }
            Event::ToolDone { id, is_error, is_missing } => {
                let Some(Open { call, writes }) = self.open.close(&id) else { return Vec::new() };
                let event = match writes {
                    _ if is_missing => self.refuse(call),
                    Some(file) if !is_error => self.write(file),
                    Some(_) | None => None,
                };
                return event.into_iter().collect();
            }
            Event::Denied { id, tool } => {
                let open = self.open.get(&id).map(|open| open.call.clone());
                let call = open.unwrap_or_else(|| RefusedTool::new(&tool, None));
                return self.refuse(call).into_iter().collect();
            }
            Event::Retrying(why) => return vec![AgentEvent::Retrying { why }],
            Event::Began(version) => self.version = Some(version),
            Event::Background(is_running) => self.has_background = is_running,
            Event::LimitResets(at) => self.limit_resets = Some(at),
            Event::ServiceError(kind) => self.service_error = Some(kind),
            Event::Ended(mut envelope) => {
                self.is_at_rest = true;
                self.cost.add(&envelope);
                if let Some(rounds) = envelope.rounds {
                    self.rounds = Some(self.rounds.unwrap_or(0).saturating_add(rounds));
                }
                let refused = std::mem::take(&mut envelope.refused);
                self.envelope = Some(*envelope);
                return refused.into_iter().filter_map(|call| self.refuse(call)).collect();
            }
        }
        Vec::new()
    }

    /// Records a refusal. Only the first of its kind is an event, since most are reported twice:
    /// immediately and in the result.
    fn refuse(&mut self, call: RefusedTool) -> Option<AgentEvent> {
        if self.refused.len() >= MAX_REFUSED_TOOLS || self.refused.contains(&call) {
            return None;
        }
        self.refused.push(call.clone());
        Some(AgentEvent::Refused(call))
    }

    /// Records a written file. It is an event only the first time.
    fn write(&mut self, file: PathBuf) -> Option<AgentEvent> {
        if self.written.len() >= MAX_WRITTEN_FILES || self.written.contains(&file) {
            return None;
        }
        self.written.push(file.clone());
        Some(AgentEvent::Wrote(file))
    }
}

impl Observer for Transcript {
    type Event = AgentEvent;

    fn line(&mut self, line: &[u8]) -> Vec<AgentEvent> {
        envelope::read(line).into_iter().flat_map(|event| self.apply(event)).collect()
    }

    /// The CLI may wait for a command in the background and reply again; the last reply counts.
    fn has_answer(&self) -> bool {
        self.envelope.is_some()
    }

    /// A tool may be silent for long, and so may a command in the background after a reply. An
    /// agent that will reply again once its test is done must not be stopped before.
    fn is_busy(&self) -> bool {
        if self.is_at_rest { self.has_background } else { !self.open.is_empty() }
    }
}

/// The event channel is bounded by count, so each event has to be small.
fn shortened(mut text: String) -> String {
    if text.len() > MAX_PASSAGE_BYTES {
        let end = (0..=MAX_PASSAGE_BYTES).rev().find(|at| text.is_char_boundary(*at));
        text.truncate(end.unwrap_or(0));
        text.push('…');
        text.shrink_to_fit();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn use_of(id: &str, tool: &str, input: &str) -> String {
        let block = format!(r#"{{"type":"tool_use","id":"{id}","name":"{tool}","input":{input}}}"#);
        format!(r#"{{"type":"assistant","message":{{"content":[{block}]}}}}"#)
    }

    fn end_of(id: &str, content: &str) -> String {
        let block = format!(
            r#"{{"type":"tool_result","tool_use_id":"{id}","is_error":true,"content":"{content}"}}"#
        );
        format!(r#"{{"type":"user","message":{{"content":[{block}]}}}}"#)
    }

    fn refusals(events: &[AgentEvent]) -> Vec<String> {
        let refused = events.iter().filter_map(|event| match event {
            AgentEvent::Refused(refused) => Some(refused.to_string()),
            _ => None,
        });
        refused.collect()
    }

    #[test]
    fn the_last_result_counts_and_long_passages_are_cut() {
        let mut transcript = Transcript::default();
        transcript.line(br#"{"type":"result","result":"first","num_turns":3}"#);
        transcript.line(br#"{"type":"result","result":"second","num_turns":2}"#);
        assert_eq!(
            transcript.envelope.as_ref().map(|envelope| envelope.text.as_str()),
            Some("second")
        );
        assert_eq!(transcript.rounds, Some(5));

        let long = "ä".repeat(MAX_PASSAGE_BYTES);
        let line = format!(
            r#"{{"type":"assistant","message":{{"content":[{{"type":"text","text":"{long}"}}]}}}}"#
        );
        let events = transcript.line(line.as_bytes());
        assert!(matches!(
            &events[0],
            AgentEvent::Passage(text)
                if text.ends_with("ä…") && text.len() < MAX_PASSAGE_BYTES + 4
        ));
    }

    #[test]
    fn it_is_busy_while_a_tool_is_open() {
        let mut transcript = Transcript::default();
        let mut apply = |line: &str| {
            transcript.line(line.as_bytes());
            transcript.is_busy()
        };
        assert!(!apply(r#"{"type":"system","subtype":"init"}"#));
        assert!(apply(&use_of("t1", "Bash", "{}")));
        assert!(apply(&use_of("t2", "Task", "{}")), "two tools are open");
        assert!(apply(&end_of("t1", "done")));
        let subagent =
            use_of("t3", "Bash", "{}").replacen('{', r#"{"parent_tool_use_id":"t2","#, 1);
        assert!(apply(&subagent), "a subagent's tool counts too");
        assert!(apply(r#"{"type":"tool_progress","tool_use_id":"t3"}"#));
        assert!(apply(&end_of("t2", "done")));
        assert!(apply(&end_of("unknown", "done")));
        assert!(!apply(&end_of("t3", "done")));
        assert!(apply(&use_of("t4", "Bash", "{}")));
        assert!(
            !apply(r#"{"type":"result","result":"Done."}"#),
            "no tool is open after the result"
        );
    }

    #[test]
    fn after_an_answer_it_is_busy_while_something_runs_in_the_background() {
        let mut transcript = Transcript::default();
        let mut apply = |line: &str| {
            transcript.line(line.as_bytes());
            transcript.is_busy()
        };
        assert!(!apply(r#"{"type":"system","subtype":"background_tasks_changed","tasks":[{}]}"#));
        assert!(apply(r#"{"type":"result","result":"Started."}"#));
        assert!(!apply(r#"{"type":"system","subtype":"background_tasks_changed","tasks":[]}"#));
        assert!(apply(&use_of("t1", "Read", "{}")), "the agent continues");
        assert!(!apply(r#"{"type":"result","result":"Finished."}"#));
    }

    #[test]
    fn a_refusal_is_reported_once() {
        const MISSING: &str =
            "<tool_use_error>Error: No such tool available: Write.</tool_use_error>";
        let mut transcript = Transcript::default();
        let mut apply = |line: &str| refusals(&transcript.line(line.as_bytes()));
        assert_eq!(apply(&use_of("t1", "Bash", r#"{"command":"git push"}"#)), [""; 0]);
        let denied = r#"{"type":"system","subtype":"permission_denied","tool_name":"Bash","tool_use_id":"t1"}"#;
        assert_eq!(
            apply(denied),
            ["Bash: git push"],
            "reported immediately, so that it is kept if the turn fails"
        );
        assert_eq!(apply(&end_of("t1", "This command requires approval")), [""; 0]);
        apply(&use_of("t2", "Write", r#"{"file_path":"a.rs"}"#));
        assert_eq!(apply(&end_of("t2", MISSING)), ["Write: a.rs"]);
        assert_eq!(apply(&end_of("t2", MISSING)), [""; 0]);
        let denials = |commands: [&str; 2]| {
            let one = |command| {
                format!(r#"{{"tool_name":"Bash","tool_input":{{"command":"{command}"}}}}"#)
            };
            format!(r#"{{"type":"result","permission_denials":[{}]}}"#, commands.map(one).join(","))
        };
        assert_eq!(apply(&denials(["git push", "git fetch"])), ["Bash: git fetch"]);
        assert_eq!(
            apply(&denials(["git pull", "git fetch"])),
            ["Bash: git pull"],
            "the denials of every result count"
        );
        let all: Vec<_> = transcript.refused.iter().map(ToString::to_string).collect();
        assert_eq!(all, ["Bash: git push", "Write: a.rs", "Bash: git fetch", "Bash: git pull"]);
    }

    #[test]
    fn a_file_is_written_once_its_tool_is_done_without_an_error() {
        let done = |id: &str, fields: &str| {
            let block = format!(r#"{{"type":"tool_result","tool_use_id":"{id}"{fields}}}"#);
            format!(r#"{{"type":"user","message":{{"content":[{block}]}}}}"#)
        };
        let mut transcript = Transcript::default();
        let mut apply = |line: &str| {
            let events =
                transcript.line(line.as_bytes()).into_iter().filter_map(|event| match event {
                    AgentEvent::Wrote(file) => Some(file),
                    _ => None,
                });
            events.map(|file| file.to_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(
            apply(&use_of("t1", "Write", r#"{"file_path":"/a","content":"x"}"#)),
            [""; 0],
            "the tool is not done yet"
        );
        assert_eq!(apply(&done("t1", r#","is_error":false"#)), ["/a"]);
        assert_eq!(apply(&done("t1", "")), [""; 0], "the tool was done already");
        apply(&use_of("t2", "Edit", r#"{"file_path":"/a"}"#));
        assert_eq!(apply(&done("t2", "")), [""; 0], "each file is reported once");
        apply(&use_of("t3", "Edit", r#"{"file_path":"/b"}"#));
        assert_eq!(apply(&end_of("t3", "String to replace not found in file.")), [""; 0]);
        apply(&use_of("t4", "Read", r#"{"file_path":"/c"}"#));
        assert_eq!(apply(&done("t4", "")), [""; 0]);
        let subagent = use_of("t5", "NotebookEdit", r#"{"notebook_path":"/d.ipynb"}"#);
        apply(&subagent.replacen('{', r#"{"parent_tool_use_id":"t0","#, 1));
        assert_eq!(apply(&done("t5", "")), ["/d.ipynb"], "a subagent's tool counts too");
        apply(&use_of("t6", "Write", r#"{"file_path":"/e"}"#));
        apply(r#"{"type":"result","result":"Stopped early."}"#);
        assert_eq!(
            transcript.written,
            ["/a", "/d.ipynb"].map(PathBuf::from),
            "the last tool use never ended"
        );
    }

    #[test]
    fn the_files_of_a_turn_are_bounded() {
        let mut transcript = Transcript::default();
        for number in 0..2 * MAX_WRITTEN_FILES {
            transcript.write(number.to_string().into());
        }
        assert_eq!(transcript.written.len(), MAX_WRITTEN_FILES);
    }

    #[test]
    fn the_refusals_of_a_turn_are_bounded() {
        let mut transcript = Transcript::default();
        for number in 0..10 * MAX_REFUSED_TOOLS {
            transcript.refuse(RefusedTool::new("Bash", Some(&number.to_string())));
        }
        assert_eq!(transcript.refused.len(), MAX_REFUSED_TOOLS);
    }
}
