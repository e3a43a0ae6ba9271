//! Each file in `tests/golden/client` is read as the message that it stands for.

use std::time::Duration;

use surefire::wire::{
    ClientMessage, Connect, DiscardRun, ExecuteCommand, ExitRecipe, GetDirectoryTrust,
    GetGitBranch, IfUntrusted, KillSession, MergeRun, Prompt, PromptTo, ProtocolVersion, PruneRuns,
    PruneSessions, RefreshSessions, Request, RequestId, ResumeRun, SetDirectory, SetMaxMessageSize,
    SetOrchestration, StartIn, StartRecipe, Subscribe, TrustDirectory, Unsubscribe,
    UnsupportedInSession, UntrustDirectory, WantedLimits,
};
use surefire::{ExitReason, Tool};

use super::golden::Side;
use super::one_run::{SESSION, run_id, session};

const KEY: &str = "untethered-0123456789abcdef0123456789abcdef";

fn rows() -> Vec<(&'static str, ClientMessage)> {
    greetings()
        .into_iter()
        .chain(recipes())
        .chain(widened())
        .chain(sessions())
        .chain(unsupported())
        .collect()
}

fn greetings() -> [(&'static str, ClientMessage); 7] {
    let ios = Connect {
        api_key: Some(KEY.into()),
        protocol_version: Some((ProtocolVersion(0, 5, 0), "0.5.0".into())),
        ..Connect::default()
    };
    let android = Connect {
        protocol_version: None,
        session_id: Some("6c1d9b7e-0f35-4a82-b4d6-e8f0a2c4d6e8".into()),
        ..ios.clone()
    };
    let console = Connect { work: true, ..ios.clone() };
    let unspaced = Connect { spacing: false, ..ios.clone() };
    [
        ("connect", ClientMessage::Connect(ios)),
        ("connect.android", ClientMessage::Connect(android)),
        ("connect.work", ClientMessage::Connect(console)),
        ("connect.unspaced", ClientMessage::Connect(unspaced)),
        ("ping", ClientMessage::Ping),
        ("message_ack", ClientMessage::MessageAck),
        (
            "set_max_message_size",
            ClientMessage::SetMaxMessageSize(SetMaxMessageSize { size_kb: 200 }),
        ),
    ]
}

fn recipes() -> [(&'static str, ClientMessage); 15] {
    let start = StartRecipe::new("implement-and-review").session(StartIn::Session(session()));
    let new_session =
        StartRecipe::new("review-and-commit").working_directory(Some("/projects/shop".into()));
    let full = start
        .clone()
        .working_directory(Some("/projects/shop".into()))
        .provider(Some("claude".into()))
        .agent(Some("claude".into()))
        .model(Some("opus".into()))
        .prompt(Some("Only the tasks about the shopping cart.".into()))
        .allow_tools(vec!["npm test *".parse().expect("it is a tool")])
        .limits(
            WantedLimits::default()
                .time(Some(Duration::from_secs(2 * 60 * 60)))
                .max_ticks(Some(40))
                .budget_usd(Some(12.5))
                .auto_resumes(Some(0)),
        );
    let resume = ResumeRun::new(run_id());
    let allowing = resume.clone().allow_tools(vec![Tool::command("npm test *")]);
    let further = resume
        .clone()
        .limits(
            WantedLimits::default()
                .time(Some(Duration::from_secs(60 * 60)))
                .max_ticks(Some(80))
                .budget_usd(Some(20.0))
                .auto_resumes(Some(5)),
        )
        .allow_visits(2)
        .allow_steps(10);
    let exit = ExitRecipe { session_id: session(), reason: ExitReason::UserRequested };
    let interrupted = ExitRecipe { reason: ExitReason::UserStopped, ..exit };
    let prune = PruneRuns { older_than: Duration::from_secs(30 * 24 * 60 * 60) };
    let old = PruneSessions { older_than: Duration::from_secs(90 * 24 * 60 * 60) };
    let off = SetOrchestration { enabled: false, session_id: None };
    let on = SetOrchestration { enabled: true, session_id: Some(session()) };
    [
        ("get_available_recipes", ClientMessage::GetAvailableRecipes),
        ("start_recipe", ClientMessage::StartRecipe(start.clone())),
        ("start_recipe.request_id", ClientMessage::StartRecipe(start)),
        ("start_recipe.new_session", ClientMessage::StartRecipe(new_session)),
        ("start_recipe.full", ClientMessage::StartRecipe(full)),
        ("resume_run", ClientMessage::ResumeRun(resume)),
        ("resume_run.limits", ClientMessage::ResumeRun(further)),
        ("resume_run.tools", ClientMessage::ResumeRun(allowing)),
        ("exit_recipe", ClientMessage::ExitRecipe(exit)),
        ("exit_recipe.reason", ClientMessage::ExitRecipe(interrupted)),
        ("stop_recipe", ClientMessage::ExitRecipe(exit)),
        ("prune_runs", ClientMessage::PruneRuns(prune)),
        ("prune_sessions", ClientMessage::PruneSessions(old)),
        ("set_orchestration", ClientMessage::SetOrchestration(off)),
        ("set_orchestration.session", ClientMessage::SetOrchestration(on)),
    ]
}

/// What the machine's user allows runs to do, and requests about worktrees and trust.
fn widened() -> [(&'static str, ClientMessage); 7] {
    let start = StartRecipe::new("rebase")
        .working_directory(Some("/projects/shop".into()))
        .allow_dirty(true)
        .allow_deps(true)
        .force_parallel(true)
        .trust(true)
        .untrusted(Some(IfUntrusted::Skip))
        .isolate(true);
    let resume = ResumeRun::new(run_id()).allow_deps(true).force_parallel(true);
    let working_directory = std::path::PathBuf::from("/projects/shop");
    let (looked, trusted) = (working_directory.clone(), working_directory.clone());
    [
        ("start_recipe.permits", ClientMessage::StartRecipe(start)),
        ("resume_run.permits", ClientMessage::ResumeRun(resume)),
        ("merge_run", ClientMessage::MergeRun(MergeRun { run_id: run_id() })),
        ("discard_run", ClientMessage::DiscardRun(DiscardRun { run_id: run_id() })),
        (
            "get_directory_trust",
            ClientMessage::GetDirectoryTrust(GetDirectoryTrust { working_directory: looked }),
        ),
        (
            "trust_directory",
            ClientMessage::TrustDirectory(TrustDirectory { working_directory: trusted }),
        ),
        (
            "untrust_directory",
            ClientMessage::UntrustDirectory(UntrustDirectory { working_directory }),
        ),
    ]
}

fn sessions() -> [(&'static str, ClientMessage); 10] {
    let directory = Some("/projects/shop".into());
    let new = Prompt {
        text: "What does this project do?".into(),
        to: PromptTo::KnownOrNew {
            session: "b1e6d0f4-7a29-4c58-8f13-2d4e6a8c0b1f".parse().expect("it is an id"),
            working_directory: directory.clone(),
            provider: Some("claude".into()),
            system_prompt: Some("Answer in one paragraph.".into()),
        },
    };
    let text = "Please keep the old name of the table.";
    let resume = Prompt { text: text.into(), to: PromptTo::Known(session()) };
    let android = Prompt {
        text: text.into(),
        to: PromptTo::KnownOrNew {
            session: session(),
            working_directory: directory,
            provider: None,
            system_prompt: None,
        },
    };
    let fresh = Subscribe { session_id: session(), from: None, file_signature_seen: None };
    let seq = Subscribe { from: Some(12), ..fresh.clone() };
    let offset = Subscribe { file_signature_seen: Some("3f2a8c1e".into()), ..seq.clone() };
    let gone = Unsubscribe { session_id: Some(session()) };
    [
        ("prompt.new", ClientMessage::Prompt(new)),
        ("prompt.resume", ClientMessage::Prompt(resume)),
        ("prompt.android", ClientMessage::Prompt(android)),
        ("subscribe", ClientMessage::Subscribe(offset)),
        ("subscribe.fresh", ClientMessage::Subscribe(fresh)),
        ("subscribe.seq", ClientMessage::Subscribe(seq)),
        ("unsubscribe", ClientMessage::Unsubscribe(gone)),
        ("session_deleted", ClientMessage::SessionDeleted(gone)),
        (
            "refresh_sessions",
            ClientMessage::RefreshSessions(RefreshSessions { recent_sessions_limit: 10 }),
        ),
        ("kill_session", ClientMessage::KillSession(KillSession { session_id: session() })),
    ]
}

fn unsupported() -> [(&'static str, ClientMessage); 11] {
    let session = UnsupportedInSession { session_id: Some(SESSION.to_owned()) };
    let command = ExecuteCommand { command_id: Some("git.status".into()) };
    let directory = Some("/projects/shop".to_owned());
    [
        ("compact_session", ClientMessage::CompactSession(session.clone())),
        ("infer_session_name", ClientMessage::InferSessionName(session)),
        ("execute_command", ClientMessage::ExecuteCommand(command)),
        ("get_command_history", ClientMessage::GetCommandHistory),
        ("get_command_output", ClientMessage::GetCommandOutput),
        ("create_worktree_session", ClientMessage::CreateWorktreeSession),
        ("upload_file", ClientMessage::UploadFile),
        ("list_resources", ClientMessage::ListResources),
        ("delete_resource", ClientMessage::DeleteResource),
        ("set_directory", ClientMessage::SetDirectory(SetDirectory { path: directory.clone() })),
        (
            "get_git_branch",
            ClientMessage::GetGitBranch(GetGitBranch { working_directory: directory }),
        ),
    ]
}

#[test]
fn each_file_is_read_as_its_message() {
    for (file, meaning) in rows() {
        assert_eq!(ClientMessage::read(&Side::Client.text(file)), Ok(meaning), "{file}");
    }
}

#[test]
fn every_type_has_a_file_and_every_file_is_read() {
    let files = Side::Client.files();
    Side::Client.is_covered_by(files.iter().map(String::as_str), ClientMessage::TYPES);
    for (file, _) in rows() {
        assert!(files.contains(file), "there is no {file}");
    }
}

/// A message is written as JSON that is read as the same message, with its id and without.
#[test]
fn each_message_reads_back_as_it_was_written() {
    for file in Side::Client.files() {
        let message = ClientMessage::read(&Side::Client.text(&file)).expect("every file is read");
        for request_id in [None, RequestId::new("request 1"), RequestId::new("")] {
            let request = Request { message: message.clone(), request_id };
            assert_eq!(
                Request::read(&request.to_json()),
                Ok(request.clone()),
                "{file}: {}",
                request.to_json()
            );
        }
        let json = serde_json::to_string(&message).expect("it can be written");
        assert_eq!(
            serde_json::from_str::<ClientMessage>(&json).expect("it can be read"),
            message,
            "{file}"
        );
    }
}

/// The library's client sends exactly the fields that the files show. The files of other clients
/// have fields that it does not send, or other names for the same fields.
#[test]
fn the_librarys_client_writes_what_the_files_show() {
    let of_other_clients = [
        "connect.android",
        "stop_recipe",
        "prompt.android",
        "subscribe.seq",
        "message_ack",
        "infer_session_name",
        "execute_command",
        "get_command_history",
        "get_command_output",
        "create_worktree_session",
        "upload_file",
        "list_resources",
        "delete_resource",
    ];
    for file in
        Side::Client.files().into_iter().filter(|file| !of_other_clients.contains(&file.as_str()))
    {
        let text = Side::Client.text(&file);
        let request = Request::read(&text).expect("every file is read");
        let shown: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
        let written = serde_json::to_value(request).expect("it can be written");
        assert_eq!(with_float_numbers(written), with_float_numbers(shown), "{file}");
    }
}

/// The same JSON with every number as a float: `7200` and `7200.0` are one number on the
/// wire.
fn with_float_numbers(json: serde_json::Value) -> serde_json::Value {
    match json {
        serde_json::Value::Number(number) => number.as_f64().into(),
        serde_json::Value::Object(fields) => {
            fields.into_iter().map(|(name, value)| (name, with_float_numbers(value))).collect()
        }
        other => other,
    }
}

#[test]
fn a_request_id_is_a_text_of_bounded_length() {
    let request = Request::read(&Side::Client.text("start_recipe.request_id")).expect("it is one");
    assert_eq!(request.request_id, RequestId::new("start-1"));
    let read = |id: serde_json::Value| {
        let text = serde_json::json!({ "type": "refresh_sessions", "request_id": id }).to_string();
        Request::read(&text).expect("the rest is right").request_id
    };
    let longest = "x".repeat(RequestId::MAX_BYTES);
    assert_eq!(read(longest.clone().into()), RequestId::new(longest.clone()));
    for ignored in [format!("{longest}x").into(), 7.into(), serde_json::Value::Null] {
        assert_eq!(read(ignored), None);
    }
    let refused = Request::read(r#"{"type": "start_recipe", "request_id": "7"}"#)
        .expect_err("it is incomplete");
    assert_eq!(refused.request_id, RequestId::new("7"));
}

#[test]
fn a_key_does_not_appear_in_the_debug_output_of_a_message() {
    let message = ClientMessage::read(&Side::Client.text("connect")).expect("it is one");
    assert!(!format!("{message:?}").contains("0123456789abcdef"), "{message:?}");
}
