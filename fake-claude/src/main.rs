//! An executable that behaves like the Claude Code CLI (2.1.x, headless), as far as Surefire uses
//! it, and misbehaves by plan. Each call is logged before and after the answer; the log shows how
//! often the agent really ran.

mod act;
mod call;
mod conversation;
mod log;
mod permissions;
mod process;
mod reply;
mod speaker;
mod tools;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use fake_claude::{Act, Answer, Plan};

use crate::call::Call;
use crate::conversation::Conversations;
use crate::log::Log;
use crate::speaker::Speaking;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(code) => code,
        Err(words) => {
            eprintln!("{words}");
            ExitCode::FAILURE
        }
    }
}

/// Handles a call in the order of the real CLI: flags, conversation, prompt, answer.
fn run(arguments: &[String]) -> Result<ExitCode, String> {
    let (plan, beside) = load()?;
    if arguments.iter().any(|argument| argument == "--version") {
        println!("{} (Claude Code, a fake)", plan.version.number());
        return Ok(ExitCode::SUCCESS);
    }
    let log = Log::at(plan.log.clone().or_else(|| Some(beside?.join("calls.jsonl"))));
    let call = Call::parse(arguments, plan.version)?;
    let conversations = Conversations::at(plan.configuration.clone());
    if let Err(refusal) = conversations.admit(&call) {
        log.refused(&call, refusal.words());
        return Err(refusal.message(&call));
    }
    // This is the only act that takes effect before the prompt is read.
    let unread = plan.answers.get(log.calls()).is_some_and(|answer| answer.act == Act::NoRead);
    let timeout_ms = plan.patience_ms.unwrap_or(3_000);
    let prompt = if unread { String::from("(unread)") } else { call::prompt(timeout_ms) };
    if prompt.trim().is_empty() {
        log.refused(&call, "no prompt");
        return Err(
            "Error: Input must be provided either through stdin or as a prompt argument when using --print"
                .to_owned(),
        );
    }
    let number = log.began(&call, &prompt);
    conversations.keep(&call, &prompt);
    let answer = answer(&plan, number, &prompt);
    Ok(act::act(
        &Speaking { call: &call, prompt: &prompt, log: &log, conversations: &conversations },
        answer,
    ))
}

fn answer<'a>(plan: &'a Plan, number: usize, prompt: &str) -> &'a Answer {
    let fitting =
        plan.when.iter().find(|when| prompt.contains(&when.contains)).map(|when| &when.answer);
    fitting.or_else(|| plan.answers.get(number)).unwrap_or(&plan.default)
}

/// The plan and its folder. The plan is named by a variable, or is in the working directory, or is
/// in the program's directory.
fn load() -> Result<(Plan, Option<PathBuf>), String> {
    let named = std::env::var_os("CLAUDE_CODE_FAKE_PLAN").map(PathBuf::from);
    let beside = || Some(std::env::current_exe().ok()?.with_file_name("fake-claude.json"));
    let here = || Some(PathBuf::from("fake-claude.json")).filter(|path| path.is_file());
    let Some(path) = named.or_else(here).or_else(|| beside().filter(|path| path.is_file())) else {
        return Ok((Plan::default(), None));
    };
    let text = std::fs::read_to_string(&path)
        .map_err(|error| format!("plan {}: {error}", path.display()))?;
    let plan =
        serde_json::from_str(&text).map_err(|error| format!("plan {}: {error}", path.display()))?;
    Ok((plan, path.parent().map(Path::to_owned)))
}
