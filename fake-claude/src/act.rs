//! Performs the acts of a plan, one line per act. Their output is in `speaker.rs`, their other
//! effects are in `process.rs`.

use std::process::ExitCode;
use std::time::Duration;

use fake_claude::{Act, Answer};

use crate::process;
use crate::speaker::{Speaker, Speaking, Tally};
use crate::tools;

/// Performs an answer and those chained to it by `again`, and returns the exit status.
pub(crate) fn act(speaking: &Speaking<'_>, answer: &Answer) -> ExitCode {
    let tally = Tally::default();
    let speaker = Speaker::new(speaking, answer, &tally);
    let is_silent = matches!(answer.act, Act::Empty | Act::Fail | Act::JsonArray | Act::JsonObject);
    if speaking.call.stream && !is_silent {
        speaker.begin();
    }
    let mut status = work(&speaker, answer);
    let mut next = answer.again.as_deref();
    while let Some(answer) = next {
        std::thread::sleep(Duration::from_millis(answer.delay_ms));
        let speaker = Speaker::new(speaking, answer, &tally);
        speaker.background(false);
        status = work(&speaker, &Answer { delay_ms: 0, ..answer.clone() });
        next = answer.again.as_deref();
    }
    match status {
        Status::Success => ExitCode::SUCCESS,
        Status::Failure => ExitCode::FAILURE,
    }
}

/// Prints passages, uses tools and answers.
fn work(speaker: &Speaker<'_>, answer: &Answer) -> Status {
    for passage in &answer.passages {
        speaker.say(passage);
    }
    for tried in &answer.tries {
        tools::use_tool(speaker, tried);
    }
    if speaker.reports_a_commit() && !answer.claims {
        tools::commit(speaker);
    }
    std::thread::sleep(Duration::from_millis(answer.delay_ms));
    if answer.again.is_some() {
        speaker.background(true);
    }
    match answer.act {
        Act::Well
        | Act::ProseOnly
        | Act::WrongOutcome
        | Act::TwoOutcomes
        | Act::TruncatedJson
        | Act::DuplicateKeys
        | Act::DeepNesting => speaker.answer(),
        Act::InvalidUtf8 => speaker.answer_with_bytes(),
        Act::Huge => last([speaker.say_much(), speaker.answer()]),
        Act::HugeLine => last([speaker.say_one_line(), speaker.answer()]),
        Act::HugeStderr => last([speaker.complain_much(), speaker.answer()]),
        Act::UnknownLines => last([speaker.say_unknown(), speaker.answer()]),
        Act::Tools => last([speaker.use_tools(), speaker.answer()]),
        Act::JsonArray => speaker.answer_as_array(),
        Act::JsonObject => speaker.answer_as_object(),
        Act::WrongSession => speaker.answer_for_another(),
        Act::Denied => speaker.answer_denied(),
        Act::Exit1GoodJson => last([speaker.answer(), Status::Failure]),
        Act::IsErrorSuccess => {
            last([speaker.fail("success", None, "Something went wrong"), Status::Success])
        }
        Act::Auth => speaker.fail_to_log_in(),
        Act::UsageLimit => speaker.reach_limit(),
        Act::Overloaded => last([speaker.retry(), speaker.fail("success", Some(529), OVERLOADED)]),
        Act::Context => speaker.fail("success", Some(400), "Prompt is too long"),
        Act::MaxTurns => speaker.fail("error_max_turns", None, ""),
        Act::Budget => speaker.fail("error_max_budget_usd", None, ""),
        Act::Empty => Status::Success,
        Act::Fail => speaker.complain(),
        Act::Silence | Act::NoRead => process::hang(),
        Act::ToolSilence => last([speaker.begin_tool(), process::hang()]),
        Act::Mutter => process::mutter(),
        Act::IgnoreSigterm => {
            last([process::ignore_signals(), speaker.say("ignoring"), process::hang()])
        }
        Act::Interruptible => {
            let interruption = process::interruption();
            last([speaker.say("waiting"), interruption(), speaker.abort()])
        }
        Act::Linger => last([speaker.answer(), process::hang()]),
        Act::DieBySignal => last([speaker.say("Let me see"), process::die()]),
        Act::Grandchildren => last([process::leave_in_group(), speaker.answer()]),
        Act::SetsidGrandchild => last([process::leave_in_session(), speaker.answer()]),
        Act::SetsidAndSilence => {
            last([process::leave_in_session(), speaker.say("left"), process::hang()])
        }
        Act::KillParentBefore => last([process::kill_parent(), speaker.answer()]),
        Act::KillParentAfter => last([speaker.answer(), process::kill_parent()]),
    }
}

const OVERLOADED: &str =
    "API Error: 529 {\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}";

/// How a part of the answer went.
#[derive(Clone, Copy)]
pub(crate) enum Status {
    Success,
    Failure,
}

/// The last status. Array elements are evaluated in order, so the actions run one after the other.
fn last<const N: usize>(done: [Status; N]) -> Status {
    done.last().copied().unwrap_or(Status::Success)
}
