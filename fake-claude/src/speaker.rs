//! What the fake prints.

use std::io::Write;

use fake_claude::Answer;
use serde_json::{Value, json};

use crate::act::Status;
use crate::call::Call;
use crate::log::Log;
use crate::reply;

/// Speaks for one call.
pub(crate) struct Speaker<'a> {
    call: &'a Call,
    answer: &'a Answer,
    log: &'a Log,
    text: String,
}

impl<'a> Speaker<'a> {
    pub(crate) fn new(call: &'a Call, prompt: &str, answer: &'a Answer, log: &'a Log) -> Self {
        Self { call, answer, log, text: reply::text(prompt, answer) }
    }

    pub(crate) fn begin(&self) {
        print(&reply::init(self.call));
    }

    pub(crate) fn say(&self, text: &str) -> Status {
        print(&reply::said(self.call, text));
        Status::Success
    }

    /// The whole answer, as it should be.
    pub(crate) fn answer(&self) -> Status {
        self.say(&self.text);
        self.end(&self.success())
    }

    pub(crate) fn answer_as_array(&self) -> Status {
        self.end(&json!([reply::init(self.call), reply::said(self.call, &self.text), self.success()]))
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
        let denial = |tool: &str| json!({ "tool_name": tool, "tool_use_id": "x", "tool_input": {} });
        let mut line = self.success();
        line["permission_denials"] = json!([denial("Bash"), denial("WebFetch"), denial("Bash")]);
        self.end(&line)
    }

    /// The answer with a byte in it that no UTF-8 has.
    pub(crate) fn answer_with_bytes(&self) -> Status {
        const HERE: &str = "(here)";
        let line = reply::success(self.call, &format!("{HERE} {}", self.text), self.answer).to_string();
        let (before, after) = line.split_once(HERE).expect("it was just put in");
        write(&[before.as_bytes(), b"\xff", after.as_bytes(), b"\n"].concat());
        self.log.answered(self.call);
        Status::Success
    }

    pub(crate) fn fail(&self, subtype: &str, status: Option<u64>, words: &str) -> Status {
        self.end(&reply::error(self.call, subtype, status, words));
        Status::Failure
    }

    /// As 2.1.325 ends after a SIGINT: with an error, and the exit status 0.
    pub(crate) fn abort(&self) -> Status {
        let mut line = reply::error(self.call, "error_during_execution", None, "");
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
        let info =
            json!({ "status": "rejected", "resetsAt": self.answer.resets_at, "rateLimitType": "five_hour" });
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
        print(&reply::used(self.call, "Read"));
        print(&reply::used(self.call, "Bash"));
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
        print(&json!({ "type": "brand_new", "result": "not this", "session_id": self.call.session }));
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
        reply::success(self.call, &self.text, self.answer)
    }

    fn end(&self, line: &Value) -> Status {
        print(line);
        self.log.answered(self.call);
        Status::Success
    }
}

fn print(line: &Value) {
    write(format!("{line}\n").as_bytes());
}

/// Each line is one call to the system, so that a reader sees it as soon as it is there.
fn write(bytes: &[u8]) {
    let mut out = std::io::stdout().lock();
    // Nobody may be left to read it; that is no reason to stop.
    let _ = out.write_all(bytes).and_then(|()| out.flush());
}
