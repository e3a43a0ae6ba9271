//! What has been heard in a turn so far.

use std::path::PathBuf;

use super::cost::Cost;
use super::envelope;
use super::event::{Envelope, Event};
use super::open_tools::{Open, OpenTools};
use crate::agent::{RefusedTool, Sign};
use crate::process::Observer;

/// The longest passage that is passed on: more than a model says in one piece. The reply itself is never cut.
const MAX_PASSAGE_BYTES: usize = 256 << 10;

/// How many different refusals of one turn are told: an agent that tries on and on must not fill the journal.
const MAX_REFUSED: usize = 100;

/// How many different files of one turn are told as written, for the same reason.
const MAX_WRITTEN: usize = 200;

/// What the lines read so far have said.
#[derive(Debug, Default)]
pub(super) struct Transcript {
    pub(super) version: Option<String>,
    /// The last result object.
    pub(super) envelope: Option<Envelope>,
    pub(super) limit_resets: Option<u64>,
    pub(super) service_error: Option<String>,
    /// Of all results together.
    pub(super) rounds: Option<u32>,
    /// The tools that were refused, in the order in which that became known.
    pub(super) refused: Vec<RefusedTool>,
    /// The files that its editing tools wrote, each once.
    pub(super) written: Vec<PathBuf>,
    pub(super) cost: Cost,
    pub(super) open: OpenTools,
    /// Whether the agent has done nothing since its last result.
    pub(super) is_at_rest: bool,
    /// Whether commands run in the background.
    pub(super) has_background: bool,
}

impl Transcript {
    /// What the turn has cost, as far as was said.
    pub(super) fn cost_usd(&self) -> Option<f64> {
        self.cost.of_the_turn()
    }

    /// Takes in one event, and says which signs of life it is.
    fn hear(&mut self, event: Event) -> Vec<Sign> {
        match event {
            Event::Said(text) => {
                self.is_at_rest = false;
                return vec![Sign::Said(shortened(text))];
            }
            Event::Used(used) => {
                self.is_at_rest = false;
                let tool = used.call.tool.clone();
                self.open.open(used);
                return vec![Sign::Used { tool }];
            }
            Event::ToolDone { id, is_error, is_missing } => {
                let Some(Open { call, writes }) = self.open.close(&id) else { return Vec::new() };
                let sign = match writes {
                    _ if is_missing => self.refuse(call),
                    Some(file) if !is_error => self.write(file),
                    Some(_) | None => None,
                };
                return sign.into_iter().collect();
            }
            Event::Denied { id, tool } => {
                let open = self.open.get(&id).map(|open| open.call.clone());
                let call = open.unwrap_or_else(|| RefusedTool::new(&tool, None));
                return self.refuse(call).into_iter().collect();
            }
            Event::Retrying(why) => return vec![Sign::Retrying { why }],
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

    /// Takes in a refusal, which is a sign where it is the first of its kind: most come twice, at once and at the end.
    fn refuse(&mut self, call: RefusedTool) -> Option<Sign> {
        if self.refused.len() >= MAX_REFUSED || self.refused.contains(&call) {
            return None;
        }
        self.refused.push(call.clone());
        Some(Sign::Refused(call))
    }

    /// Takes in a file that was written, which is a sign the first time.
    fn write(&mut self, file: PathBuf) -> Option<Sign> {
        if self.written.len() >= MAX_WRITTEN || self.written.contains(&file) {
            return None;
        }
        self.written.push(file.clone());
        Some(Sign::Wrote(file))
    }
}

impl Observer for Transcript {
    type Event = Sign;

    fn line(&mut self, line: &[u8]) -> Vec<Sign> {
        envelope::read(line).into_iter().flat_map(|event| self.hear(event)).collect()
    }

    /// The CLI may wait for something it left running in the background, and answer again; the last answer counts.
    fn has_answer(&self) -> bool {
        self.envelope.is_some()
    }

    /// A tool may take long without a word, and so may what the agent waits for in the background after it has answered: an
    /// agent that answers again once a test is done must not be ended before.
    fn is_busy(&self) -> bool {
        if self.is_at_rest { self.has_background } else { !self.open.is_empty() }
    }
}

/// The channel for signs is bounded by their number, so each of them has to be small.
fn shortened(mut text: String) -> String {
    if text.len() > MAX_PASSAGE_BYTES {
        text.truncate(text.floor_char_boundary(MAX_PASSAGE_BYTES));
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
        let block =
            format!(r#"{{"type":"tool_result","tool_use_id":"{id}","is_error":true,"content":"{content}"}}"#);
        format!(r#"{{"type":"user","message":{{"content":[{block}]}}}}"#)
    }

    fn refusals(signs: &[Sign]) -> Vec<String> {
        let refused = signs.iter().filter_map(|sign| match sign {
            Sign::Refused(refused) => Some(refused.to_string()),
            _ => None,
        });
        refused.collect()
    }

    #[test]
    fn the_last_result_counts_and_long_passages_are_cut() {
        let mut transcript = Transcript::default();
        transcript.line(br#"{"type":"result","result":"first","num_turns":3}"#);
        transcript.line(br#"{"type":"result","result":"second","num_turns":2}"#);
        assert_eq!(transcript.envelope.as_ref().map(|envelope| envelope.text.as_str()), Some("second"));
        assert_eq!(transcript.rounds, Some(5));

        let long = "ä".repeat(MAX_PASSAGE_BYTES);
        let line =
            format!(r#"{{"type":"assistant","message":{{"content":[{{"type":"text","text":"{long}"}}]}}}}"#);
        let signs = transcript.line(line.as_bytes());
        assert!(
            matches!(&signs[0], Sign::Said(text) if text.ends_with("ä…") && text.len() < MAX_PASSAGE_BYTES + 4)
        );
    }

    #[test]
    fn it_is_busy_while_a_tool_is_open() {
        let mut transcript = Transcript::default();
        let mut hear = |line: &str| {
            transcript.line(line.as_bytes());
            transcript.is_busy()
        };
        assert!(!hear(r#"{"type":"system","subtype":"init"}"#));
        assert!(hear(&use_of("t1", "Bash", "{}")));
        assert!(hear(&use_of("t2", "Task", "{}")), "two at once");
        assert!(hear(&end_of("t1", "done")));
        let helper = use_of("t3", "Bash", "{}").replacen('{', r#"{"parent_tool_use_id":"t2","#, 1);
        assert!(hear(&helper), "a helper's own");
        assert!(hear(r#"{"type":"tool_progress","tool_use_id":"t3"}"#));
        assert!(hear(&end_of("t2", "done")));
        assert!(hear(&end_of("unknown", "done")));
        assert!(!hear(&end_of("t3", "done")));
        assert!(hear(&use_of("t4", "Bash", "{}")));
        assert!(!hear(r#"{"type":"result","result":"Done."}"#), "nothing is waited for any more");
    }

    #[test]
    fn after_an_answer_it_is_busy_while_something_runs_in_the_background() {
        let mut transcript = Transcript::default();
        let mut hear = |line: &str| {
            transcript.line(line.as_bytes());
            transcript.is_busy()
        };
        assert!(!hear(r#"{"type":"system","subtype":"background_tasks_changed","tasks":[{}]}"#));
        assert!(hear(r#"{"type":"result","result":"Started."}"#));
        assert!(!hear(r#"{"type":"system","subtype":"background_tasks_changed","tasks":[]}"#));
        assert!(hear(&use_of("t1", "Read", "{}")), "it goes on");
        assert!(!hear(r#"{"type":"result","result":"Finished."}"#));
    }

    #[test]
    fn a_refusal_is_told_once_however_often_it_is_said() {
        const MISSING: &str = "<tool_use_error>Error: No such tool available: Write.</tool_use_error>";
        let mut transcript = Transcript::default();
        let mut hear = |line: &str| refusals(&transcript.line(line.as_bytes()));
        assert_eq!(hear(&use_of("t1", "Bash", r#"{"command":"git push"}"#)), [""; 0]);
        let denied =
            r#"{"type":"system","subtype":"permission_denied","tool_name":"Bash","tool_use_id":"t1"}"#;
        assert_eq!(hear(denied), ["Bash: git push"], "at once, so that a failure leaves it");
        assert_eq!(hear(&end_of("t1", "This command requires approval")), [""; 0]);
        hear(&use_of("t2", "Write", r#"{"file_path":"a.rs"}"#));
        assert_eq!(hear(&end_of("t2", MISSING)), ["Write: a.rs"]);
        assert_eq!(hear(&end_of("t2", MISSING)), [""; 0]);
        let denials = |commands: [&str; 2]| {
            let one = |command| format!(r#"{{"tool_name":"Bash","tool_input":{{"command":"{command}"}}}}"#);
            format!(r#"{{"type":"result","permission_denials":[{}]}}"#, commands.map(one).join(","))
        };
        assert_eq!(hear(&denials(["git push", "git fetch"])), ["Bash: git fetch"]);
        assert_eq!(hear(&denials(["git pull", "git fetch"])), ["Bash: git pull"], "of every result");
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
        let mut hear = |line: &str| {
            let signs = transcript.line(line.as_bytes()).into_iter().filter_map(|sign| match sign {
                Sign::Wrote(file) => Some(file),
                _ => None,
            });
            signs.map(|file| file.to_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(hear(&use_of("t1", "Write", r#"{"file_path":"/a","content":"x"}"#)), [""; 0], "not yet");
        assert_eq!(hear(&done("t1", r#","is_error":false"#)), ["/a"]);
        assert_eq!(hear(&done("t1", "")), [""; 0], "it is done already");
        hear(&use_of("t2", "Edit", r#"{"file_path":"/a"}"#));
        assert_eq!(hear(&done("t2", "")), [""; 0], "once for each file");
        hear(&use_of("t3", "Edit", r#"{"file_path":"/b"}"#));
        assert_eq!(hear(&end_of("t3", "String to replace not found in file.")), [""; 0]);
        hear(&use_of("t4", "Read", r#"{"file_path":"/c"}"#));
        assert_eq!(hear(&done("t4", "")), [""; 0]);
        let helper = use_of("t5", "NotebookEdit", r#"{"notebook_path":"/d.ipynb"}"#);
        hear(&helper.replacen('{', r#"{"parent_tool_use_id":"t0","#, 1));
        assert_eq!(hear(&done("t5", "")), ["/d.ipynb"], "a helper's own");
        hear(&use_of("t6", "Write", r#"{"file_path":"/e"}"#));
        hear(r#"{"type":"result","result":"Stopped early."}"#);
        assert_eq!(
            transcript.written,
            ["/a", "/d.ipynb"].map(PathBuf::from),
            "of the last one nothing was heard"
        );
    }

    #[test]
    fn the_files_of_a_turn_are_bounded() {
        let mut transcript = Transcript::default();
        for number in 0..2 * MAX_WRITTEN {
            transcript.write(number.to_string().into());
        }
        assert_eq!(transcript.written.len(), MAX_WRITTEN);
    }

    #[test]
    fn the_refusals_of_a_turn_are_bounded() {
        let mut transcript = Transcript::default();
        for number in 0..10 * MAX_REFUSED {
            transcript.refuse(RefusedTool::new("Bash", Some(&number.to_string())));
        }
        assert_eq!(transcript.refused.len(), MAX_REFUSED);
    }
}
