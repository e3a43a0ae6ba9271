//! What the fake prints.

use std::cell::{Cell, RefCell};
use std::io::Write;

use fake_claude::{Answer, Version};
use serde_json::{Value, json};

use crate::act::Status;
use crate::call::Call;
use crate::conversation::Conversations;
use crate::log::Log;
use crate::reply;

/// One call, with everything that its output depends on.
pub(crate) struct Speaking<'a> {
    pub(crate) call: &'a Call,
    pub(crate) prompt: &'a str,
    pub(crate) log: &'a Log,
    pub(crate) conversations: &'a Conversations,
}

/// Totals of one call, over all its answers.
#[derive(Default)]
pub(crate) struct Tally {
    cost_usd: Cell<f64>,
    tools: Cell<u32>,
}

/// Prints one answer of a call.
pub(crate) struct Speaker<'a> {
    speaking: &'a Speaking<'a>,
    call: &'a Call,
    answer: &'a Answer,
    tally: &'a Tally,
    log: &'a Log,
    text: String,
    /// The tools that were refused since the last result.
    denials: RefCell<Vec<Value>>,
}

impl<'a> Speaker<'a> {
    pub(crate) fn new(speaking: &'a Speaking<'a>, answer: &'a Answer, tally: &'a Tally) -> Self {
        let Speaking { call, prompt, log, .. } = speaking;
        let (text, denials) = (reply::text(prompt, answer), RefCell::default());
        Self { speaking, call, answer, tally, log, text, denials }
    }

    pub(crate) const fn call(&self) -> &Call {
        self.call
    }

    /// Whether the answer reports a commit.
    pub(crate) fn reports_a_commit(&self) -> bool {
        self.text.contains(r#"{"outcome":"committed"}"#)
    }

    pub(crate) const fn log(&self) -> &Log {
        self.log
    }

    /// An id for the next use of a tool.
    pub(crate) fn next_id(&self) -> String {
        self.tally.tools.set(self.tally.tools.get() + 1);
        format!("toolu_{}_{}", std::process::id(), self.tally.tools.get())
    }

    pub(crate) fn denied(&self, denial: Value) {
        self.denials.borrow_mut().push(denial);
    }

    /// Reports that a task runs in the background, or that none does any more. Only the newer
    /// version reports that.
    pub(crate) fn background(&self, runs: bool) {
        let tasks = if runs {
            vec![json!({ "task_id": "b1", "task_type": "local_bash" })]
        } else {
            Vec::new()
        };
        if self.call.version == Version::Newer {
            print(&json!({
                "type": "system", "subtype": "background_tasks_changed", "tasks": tasks,
                "session_id": self.call.session,
            }));
        }
    }

    pub(crate) fn begin(&self) {
        print(&reply::init(self.call));
    }

    pub(crate) fn say(&self, text: &str) -> Status {
        print(&reply::said(self.call, text));
        Status::Success
    }

    /// A good answer, as a whole.
    pub(crate) fn answer(&self) -> Status {
        self.say(&self.text);
        self.end(&self.success())
    }

    pub(crate) fn answer_as_array(&self) -> Status {
        self.end(&json!([
            reply::init(self.call),
            reply::said(self.call, &self.text),
            self.success()
        ]))
    }

    pub(crate) fn answer_as_object(&self) -> Status {
        write(self.success().to_string().as_bytes());
        self.log.answered(self.call);
        Status::Success
    }

    pub(crate) fn answer_for_another(&self) -> Status {
        let mut line = self.success();
        line["session_id"] = json!("00000000-0000-4000-8000-000000000000");
        self.end(&line)
    }

    pub(crate) fn answer_denied(&self) -> Status {
        let denial =
            |tool: &str| json!({ "tool_name": tool, "tool_use_id": "x", "tool_input": {} });
        for tool in ["Bash", "WebFetch", "Bash"] {
            self.denied(denial(tool));
        }
        self.end(&self.success())
    }

    /// The answer with a byte that is not valid UTF-8.
    pub(crate) fn answer_with_bytes(&self) -> Status {
        const HERE: &str = "(here)";
        let mut line = self.success();
        line["result"] = json!(format!("{HERE} {}", self.text));
        let line = line.to_string();
        let (before, after) = line.split_once(HERE).expect("it was just put in");
        write(&[before.as_bytes(), b"\xff", after.as_bytes(), b"\n"].concat());
        self.log.answered(self.call);
        Status::Success
    }

    pub(crate) fn fail(&self, subtype: &str, status: Option<u64>, words: &str) -> Status {
        self.end(&self.error(subtype, status, words));
        Status::Failure
    }

    /// As 2.1.325 ends after a SIGINT: with an error, and the exit status 0.
    pub(crate) fn abort(&self) -> Status {
        let mut line = self.error("error_during_execution", None, "");
        line["terminal_reason"] = json!("aborted_streaming");
        line["errors"] = json!(["[ede_diagnostic]"]);
        self.end(&line)
    }

    pub(crate) fn fail_to_log_in(&self) -> Status {
        const WORDS: &str = "Not logged in · Please run /login";
        let mut line = reply::said(self.call, WORDS);
        line["error"] = json!("authentication_failed");
        line["is_api_error_message"] = json!(true);
        print(&line);
        self.fail("success", None, WORDS)
    }

    pub(crate) fn reach_limit(&self) -> Status {
        let info = json!({ "status": "rejected", "resetsAt": self.answer.resets_at, "rateLimitType": "five_hour" });
        print(
            &json!({ "type": "rate_limit_event", "rate_limit_info": info, "session_id": self.call.session }),
        );
        self.fail("success", Some(429), "You've hit your limit · resets 3pm")
    }

    pub(crate) fn retry(&self) -> Status {
        print(&json!({
            "type": "system", "subtype": "api_retry", "attempt": 1, "max_retries": 10, "retry_delay_ms": 1,
            "error_status": 529, "error": "overloaded", "session_id": self.call.session,
        }));
        Status::Success
    }

    pub(crate) fn use_tools(&self) -> Status {
        for tool in ["Read", "Bash"] {
            let id = self.next_id();
            print(&reply::used(self.call, &id, tool, &json!({})));
            print(&reply::tool_result(self.call, &id, "done", false));
        }
        Status::Success
    }

    pub(crate) fn begin_tool(&self) -> Status {
        print(&reply::used(self.call, &self.next_id(), "Bash", &json!({ "command": "make" })));
        Status::Success
    }

    pub(crate) fn say_much(&self) -> Status {
        let megabyte = "many words ".repeat((1 << 20) / 11);
        let line = format!("{}\n", reply::said(self.call, &megabyte));
        (0..self.answer.megabytes).for_each(|_| write(line.as_bytes()));
        Status::Success
    }

    pub(crate) fn say_one_line(&self) -> Status {
        write(b"{\"type\":\"user\",\"content\":\"");
        (0..self.answer.megabytes).for_each(|_| write(&vec![b'x'; 1 << 20]));
        write(b"\"}\n");
        Status::Success
    }

    pub(crate) fn say_unknown(&self) -> Status {
        print(
            &json!({ "type": "brand_new", "result": "not this", "session_id": self.call.session }),
        );
        write(b"words without any JSON\n{\"type\":\n\n");
        print(
            &json!({ "type": "rate_limit_event", "rate_limit_info": { "status": "allowed", "resetsAt": 7 } }),
        );
        Status::Success
    }

    pub(crate) fn complain(&self) -> Status {
        eprintln!("first line of trouble in {}\nlast line of trouble", self.call.session);
        Status::Failure
    }

    pub(crate) fn complain_much(&self) -> Status {
        let kilobyte = format!("{}\n", "e".repeat(1023));
        (0..self.answer.megabytes << 10).for_each(|_| eprint!("{kilobyte}"));
        eprintln!("the last line");
        Status::Success
    }

    fn success(&self) -> Value {
        let line = reply::success(self.call, &self.text, &self.denials.take());
        self.with_costs(line, self.answer.cost_usd.unwrap_or(0.01))
    }

    fn error(&self, subtype: &str, status: Option<u64>, words: &str) -> Value {
        let line = reply::error(self.call, subtype, status, words, &self.denials.take());
        self.with_costs(line, self.answer.cost_usd.unwrap_or(0.0))
    }

    /// Adds the costs, as the version reports them.
    fn with_costs(&self, mut line: Value, cost_usd: f64) -> Value {
        self.tally.cost_usd.set(self.tally.cost_usd.get() + cost_usd);
        let conversation = self.speaking.conversations.spend(self.call, cost_usd);
        match self.call.version {
            Version::Newer => {
                line["total_cost_usd"] = json!(conversation);
                line["model_usage_since_last_result"] =
                    json!({ "claude-opus-5-5": { "costUSD": cost_usd } });
            }
            Version::Older => line["total_cost_usd"] = json!(self.tally.cost_usd.get()),
        }
        line
    }

    fn end(&self, line: &Value) -> Status {
        print(line);
        self.log.answered(self.call);
        Status::Success
    }
}

pub(crate) fn print(line: &Value) {
    write(format!("{line}\n").as_bytes());
}

/// Writes and flushes each line at once, so that the reader sees it immediately.
fn write(bytes: &[u8]) {
    let mut out = std::io::stdout().lock();
    // The reader may be gone; the fake continues all the same.
    let _ = out.write_all(bytes).and_then(|()| out.flush());
}
