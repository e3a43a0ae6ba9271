//! What clients send, as files, is read as what it means.

use std::time::Duration;

use surefire::ExitReason;
use surefire::wire::{
    ClientMessage, Connect, ExitRecipe, KillSession, NotOurs, Prompt, PromptTo, ProtocolVersion, PruneRuns,
    PruneSessions, RefreshSessions, ResumeRun, SetMaxMessageSize, SetOrchestration, StartIn, StartRecipe,
    Subscribe, Unsubscribe, WantedLimits,
};

use super::golden::Side;
use super::one_run::{SESSION, run_id, session};

const KEY: &str = "untethered-0123456789abcdef0123456789abcdef";

fn rows() -> Vec<(&'static str, ClientMessage)> {
    let not_ours = not_ours().map(|(file, message)| (file, ClientMessage::NotOurs(message)));
    let sessions = sessions();
    greetings().into_iter().chain(recipes()).chain(sessions).chain(not_ours).collect()
}

fn greetings() -> [(&'static str, ClientMessage); 6] {
    let ios = Connect {
        api_key: Some(KEY.into()),
        protocol_version: Some((ProtocolVersion(0, 5, 0), "0.5.0".into())),
        session_id: None,
        recent_sessions_limit: 5,
        work: false,
    };
    let android = Connect {
        protocol_version: None,
        session_id: Some("6c1d9b7e-0f35-4a82-b4d6-e8f0a2c4d6e8".into()),
        ..ios.clone()
    };
    let console = Connect { work: true, ..ios.clone() };
    [
        ("connect", ClientMessage::Connect(ios)),
        ("connect.android", ClientMessage::Connect(android)),
        ("connect.work", ClientMessage::Connect(console)),
        ("ping", ClientMessage::Ping),
        ("message_ack", ClientMessage::MessageAck),
        ("set_max_message_size", ClientMessage::SetMaxMessageSize(SetMaxMessageSize { size_kb: 200 })),
    ]
}

fn recipes() -> [(&'static str, ClientMessage); 13] {
    let start = StartRecipe {
        session: StartIn::Session(session()),
        recipe_id: "implement-and-review".into(),
        working_directory: None,
        provider: None,
        agent: None,
        model: None,
        prompt: None,
        limits: WantedLimits::default(),
    };
    let new_session = StartRecipe {
        session: StartIn::NewSession,
        recipe_id: "review-and-commit".into(),
        working_directory: Some("/projects/shop".into()),
        ..start.clone()
    };
    let full = StartRecipe {
        working_directory: Some("/projects/shop".into()),
        provider: Some("claude".into()),
        agent: Some("claude".into()),
        model: Some("opus".into()),
        prompt: Some("Only the tasks about the shopping cart.".into()),
        limits: WantedLimits {
            time: Some(Duration::from_hours(2)),
            max_ticks: Some(40),
            budget_usd: Some(12.5),
            auto_resumes: Some(0),
        },
        ..start.clone()
    };
    let resume =
        ResumeRun { run_id: run_id(), limits: WantedLimits::default(), allow_visits: 0, allow_steps: 0 };
    let further = ResumeRun {
        limits: WantedLimits {
            time: Some(Duration::from_hours(1)),
            max_ticks: Some(80),
            budget_usd: Some(20.0),
            auto_resumes: Some(5),
        },
        allow_visits: 2,
        allow_steps: 10,
        ..resume
    };
    let exit = ExitRecipe { session_id: session(), reason: ExitReason::UserRequested };
    let interrupted = ExitRecipe { reason: ExitReason::UserStopped, ..exit };
    let prune = PruneRuns { older_than: Duration::from_hours(30 * 24) };
    let old = PruneSessions { older_than: Duration::from_hours(90 * 24) };
    let off = SetOrchestration { enabled: false, session_id: None };
    let on = SetOrchestration { enabled: true, session_id: Some(session()) };
    [
        ("get_available_recipes", ClientMessage::GetAvailableRecipes),
        ("start_recipe", ClientMessage::StartRecipe(start)),
        ("start_recipe.new_session", ClientMessage::StartRecipe(new_session)),
        ("start_recipe.full", ClientMessage::StartRecipe(full)),
        ("resume_run", ClientMessage::ResumeRun(resume)),
        ("resume_run.limits", ClientMessage::ResumeRun(further)),
        ("exit_recipe", ClientMessage::ExitRecipe(exit)),
        ("exit_recipe.reason", ClientMessage::ExitRecipe(interrupted)),
        ("stop_recipe", ClientMessage::ExitRecipe(exit)),
        ("prune_runs", ClientMessage::PruneRuns(prune)),
        ("prune_sessions", ClientMessage::PruneSessions(old)),
        ("set_orchestration", ClientMessage::SetOrchestration(off)),
        ("set_orchestration.session", ClientMessage::SetOrchestration(on)),
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
        ("refresh_sessions", ClientMessage::RefreshSessions(RefreshSessions { recent_sessions_limit: 10 })),
        ("kill_session", ClientMessage::KillSession(KillSession { session_id: session() })),
    ]
}

fn not_ours() -> [(&'static str, NotOurs); 11] {
    let session = Some(SESSION.to_owned());
    let directory = Some("/projects/shop".to_owned());
    [
        ("compact_session", NotOurs::CompactSession { session: session.clone() }),
        ("infer_session_name", NotOurs::InferSessionName { session }),
        ("execute_command", NotOurs::ExecuteCommand { command: Some("git.status".into()) }),
        ("get_command_history", NotOurs::GetCommandHistory),
        ("get_command_output", NotOurs::GetCommandOutput),
        ("create_worktree_session", NotOurs::CreateWorktreeSession),
        ("upload_file", NotOurs::UploadFile),
        ("list_resources", NotOurs::ListResources),
        ("delete_resource", NotOurs::DeleteResource),
        ("set_directory", NotOurs::SetDirectory { directory: directory.clone() }),
        ("get_git_branch", NotOurs::GetGitBranch { directory }),
    ]
}

#[test]
fn each_file_is_read_as_what_it_means() {
    for (file, meaning) in rows() {
        assert_eq!(ClientMessage::read(&Side::Client.text(file)), Ok(meaning), "{file}");
    }
}

#[test]
fn every_type_has_a_file_and_every_file_is_read() {
    let rows = rows();
    Side::Client.is_covered_by(rows.iter().map(|(file, _)| *file), ClientMessage::TYPES);
}

#[test]
fn a_key_is_not_shown_to_whoever_logs_a_message() {
    let message = ClientMessage::read(&Side::Client.text("connect")).expect("it is one");
    assert!(!format!("{message:?}").contains("0123456789abcdef"), "{message:?}");
}
