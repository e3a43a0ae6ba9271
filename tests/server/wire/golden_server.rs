//! Each server message is written as its file in `tests/golden/server` shows, and that file is read
//! as the same message.

use serde_json::Value;
use surefire::recipes::{ImplementAndReview, ImplementAndReviewAll, ReviewAndCommit};
use surefire::run::WorktreeEnd;
use surefire::view::{RunFacts, Timeline};
use surefire::wire::{
    Ack, ActiveRecipe, AuthError, AvailableCommands, AvailableRecipes, CommandError,
    CommandHistory, CompactionError, Connected, DeliveryMark, DirectoryTrust, ErrorCode,
    ErrorMessage, GitBranch, Hello, HistoryMessage, HistoryPart, InferNameError, LastRecipe,
    OfferedAgent, OfferedRecipe, OrchestrationSet, ProtocolVersion, RecentSession, RecentSessions,
    RecipeError, RecipeExited, RequestId, ResourcesList, RunOutput, RunViewChanged, RunsPruned,
    ServerMessage, SessionCreated, SessionEntry, SessionHistory, SessionKilled, SessionList,
    SessionReady, SessionsPruned, Stamp, TurnComplete, WorkChanged, WorktreeEnded,
    WorktreeSessionError, fence_outcome, history_page,
};
use surefire::{Category, Exit, ExitReason, Outline, Registry};
use uuid::Uuid;

use super::golden::Side;
use super::one_run::{BEGAN, OneRun, SESSION, at, run_id, session};

type Rows = Vec<(&'static str, ServerMessage)>;

fn rows() -> Rows {
    [
        greetings(),
        errors(),
        sessions(),
        histories(),
        recipes(),
        runs(),
        views(),
        exits(),
        worktrees_and_trust(),
        refusals(),
    ]
    .concat()
}

fn greetings() -> Rows {
    let connected = Connected {
        message: "Session registered".into(),
        session_id: None,
        negotiated_protocol_version: ProtocolVersion::NEWEST.to_string(),
        may_widen: false,
    };
    let on_this_machine = Connected { may_widen: true, ..connected.clone() };
    let android = Connected {
        session_id: Some("6c1d9b7e-0f35-4a82-b4d6-e8f0a2c4d6e8".into()),
        negotiated_protocol_version: ProtocolVersion::negotiate(None).to_string(),
        ..connected.clone()
    };
    let starting =
        Ack { message: "Starting recipe...".into(), session_id: Some(session()), ..Ack::default() };
    let run =
        Ack { run_id: Some(run_id()), request_id: RequestId::new("start-1"), ..starting.clone() };
    let size = Ack { message: "Max message size set to 200 KB".into(), ..Ack::default() };
    let done =
        Ack { message: "Done".into(), request_id: RequestId::new("exit-2"), ..Ack::default() };
    vec![
        ("hello", ServerMessage::Hello(Hello::default())),
        ("connected", ServerMessage::Connected(connected)),
        ("connected.android", ServerMessage::Connected(android)),
        ("connected.may_widen", ServerMessage::Connected(on_this_machine)),
        ("auth_error", ServerMessage::AuthError(AuthError::default())),
        ("pong", ServerMessage::Pong),
        ("ack", ServerMessage::Ack(starting)),
        ("ack.plain", ServerMessage::Ack(size)),
        ("ack.request_id", ServerMessage::Ack(done)),
        ("ack.run", ServerMessage::Ack(run)),
    ]
}

fn errors() -> Rows {
    let failed = ErrorMessage {
        message: "there is no directory `/projects/shop`".into(),
        code: Some(ErrorCode::StartFailed),
        session_id: Some(session()),
        run_id: Some(run_id()),
        request_id: RequestId::new("start-1"),
        ..ErrorMessage::default()
    };
    let plain = ErrorMessage {
        message: "session_id required in start_recipe message".into(),
        ..ErrorMessage::default()
    };
    let busy = ErrorMessage {
        message: "the session has a run of implement-and-review at code-review; exit it first"
            .into(),
        remedy: Some("exit it first".into()),
        code: Some(ErrorCode::SessionBusy),
        session_id: Some(session()),
        ..ErrorMessage::default()
    };
    let too_old = ErrorMessage {
        message: "Client is too old; upgrade required".into(),
        remedy: Some("upgrade required".into()),
        code: Some(ErrorCode::UnsupportedProtocolVersion),
        required: Some(ProtocolVersion::OLDEST.to_string()),
        received: Some("0.3.2".into()),
        ..ErrorMessage::default()
    };
    let conflicts = ErrorMessage {
        message: "the branch is in conflict with what was committed meanwhile, in `src/cart.rs`"
            .into(),
        code: Some(ErrorCode::CannotEndWorktree),
        session_id: Some(session()),
        request_id: RequestId::new("merge-1"),
        conflicts: vec!["src/cart.rs".into()],
        ..ErrorMessage::default()
    };
    vec![
        ("error.cannot_end_worktree", ServerMessage::Error(conflicts)),
        ("error", ServerMessage::Error(plain)),
        ("error.request_id", ServerMessage::Error(failed)),
        ("error.session", ServerMessage::Error(busy)),
        ("error.unsupported_protocol_version", ServerMessage::Error(too_old)),
    ]
}

fn entry(
    id: &str,
    name: &str,
    agent: &str,
    last_modified: u64,
    message_count: u64,
) -> SessionEntry {
    SessionEntry {
        session_id: id.parse().expect("it is an id"),
        name: name.into(),
        working_directory: "/projects/shop".into(),
        last_modified,
        message_count,
        provider: "claude".into(),
        agent: agent.into(),
        active_recipe: None,
        last_recipe: None,
    }
}

fn active_recipe() -> ActiveRecipe {
    ActiveRecipe {
        run_id: run_id(),
        recipe_id: "implement-and-review".into(),
        recipe_label: "Implement & Review".into(),
        step: "code-review".into(),
        step_count: 2,
        max_steps: Some(10),
    }
}

fn last_recipe() -> LastRecipe {
    LastRecipe {
        run_id: Uuid::from_u128(0x7d1c_52f0_9b3e_4a68_8c05_1f2e_3d4c_5b6a).into(),
        recipe_id: "review-and-commit".into(),
        recipe_label: "Review & Commit".into(),
        reason: "changes-committed".into(),
        category: Category::Completed,
        title: "Changes committed".into(),
        ended_at: Stamp(BEGAN),
    }
}

fn sessions() -> Rows {
    let work = entry(SESSION, "Implement & Review", "claude", at(7), 6);
    let rehearsal =
        entry("b1e6d0f4-7a29-4c58-8f13-2d4e6a8c0b1f", "Review & Commit", "rehearsal", BEGAN, 4);
    let recent = |entry: &SessionEntry| RecentSession {
        session_id: entry.session_id,
        name: entry.name.clone(),
        working_directory: entry.working_directory.clone(),
        last_modified: Stamp(entry.last_modified),
        provider: entry.provider.clone(),
    };
    let few = RecentSessions { sessions: vec![recent(&work), recent(&rehearsal)], limit: 5 };
    let list = SessionList { sessions: vec![work.clone(), rehearsal], total_count: 2 };
    let (active_recipe, last_recipe) = (Some(active_recipe()), Some(last_recipe()));
    let with_runs =
        SessionEntry { active_recipe: active_recipe.clone(), last_recipe, ..work.clone() };
    let with_runs = SessionList { sessions: vec![with_runs], total_count: 1 };
    let created = SessionCreated {
        session: SessionEntry { last_modified: BEGAN, message_count: 0, ..work },
        preview: "Only the tasks about the shopping cart.".into(),
    };
    let by_a_run = SessionCreated {
        session: SessionEntry { active_recipe, ..created.session.clone() },
        ..created.clone()
    };
    let ready = SessionReady { session_id: session(), message: "Session ready".into() };
    let killed = SessionKilled { session_id: session(), message: "Session stopped".into() };
    let (turn, aborted) = (
        TurnComplete { session_id: session(), aborted: false },
        TurnComplete { session_id: session(), aborted: true },
    );
    let pruned =
        SessionsPruned { session_count: 3, run_count: 12, freed_bytes: 4_812_800, problem: None };
    let full =
        "there is no room left for the store; make room on its disk, or raise its largest size";
    let not_smaller =
        SessionsPruned { freed_bytes: 0, problem: Some(full.into()), ..pruned.clone() };
    vec![
        ("runs_pruned", ServerMessage::RunsPruned(RunsPruned { count: 12 })),
        ("sessions_pruned", ServerMessage::SessionsPruned(pruned)),
        ("sessions_pruned.problem", ServerMessage::SessionsPruned(not_smaller)),
        ("session_list", ServerMessage::SessionList(list)),
        ("session_list.recipes", ServerMessage::SessionList(with_runs)),
        ("recent_sessions", ServerMessage::RecentSessions(few)),
        ("session_created", ServerMessage::SessionCreated(created)),
        ("session_created.recipe", ServerMessage::SessionCreated(by_a_run)),
        ("session_ready", ServerMessage::SessionReady(ready)),
        ("session_killed", ServerMessage::SessionKilled(killed)),
        ("work_changed", ServerMessage::WorkChanged(WorkChanged { session_id: session() })),
        ("turn_complete", ServerMessage::TurnComplete(turn)),
        ("turn_complete.aborted", ServerMessage::TurnComplete(aborted)),
    ]
}

fn said(offset: u64, role: &str, text: &str) -> HistoryMessage {
    let uuid = Uuid::from_u128(0xe2b7_c9d1_3a5f_4860_92c4_d6e8_f0a1_b300 + u128::from(offset));
    HistoryMessage {
        session_id: session(),
        uuid,
        role: role.into(),
        kind: role.into(),
        text: text.into(),
        timestamp: Stamp(BEGAN + offset * 20_000),
        offset,
        seq: offset + 1,
        id: uuid,
        provider: "claude".into(),
        mark: None,
        delivered: true,
    }
}

fn histories() -> Rows {
    let reply = fence_outcome("The cart keeps its coupons now.\n{\"outcome\": \"complete\"}");
    let talk = [said(0, "user", "Implement the next task."), said(1, "assistant", &reply)];
    let review = "There are two things left to fix: a coupon is counted twice, and nobody tests an empty cart. ";
    let long = [talk[0].clone(), talk[1].clone(), said(2, "assistant", &review.repeat(4))];
    let part = |total, messages: &[HistoryMessage]| HistoryPart {
        session: session(),
        signature: "3f2a8c1e".into(),
        replaced: false,
        total,
        messages: messages.to_vec(),
    };
    let note = |offset, mark, text: &str| HistoryMessage {
        mark: Some(mark),
        ..said(offset, "assistant", text)
    };
    let again = "Send it again if the agent should get it.";
    let stopped = [
        said(0, "user", "Mind the tests."),
        said(1, "user", "And the docs."),
        note(
            2,
            DeliveryMark::NotDelivered,
            &format!(
                "Not delivered: “And the docs.” was still queued when this was stopped. {again}"
            ),
        ),
        note(
            3,
            DeliveryMark::NotAnswered,
            &format!(
                "Not answered: “Mind the tests.” was being delivered when this was stopped. {again}"
            ),
        ),
    ];
    let undelivered = HistoryMessage { delivered: false, ..stopped[1].clone() };
    let withdrawn = [stopped[0].clone(), undelivered, stopped[2].clone()];
    let frame = |part, limit| ServerMessage::SessionHistory(history_page(part, limit));
    let whole = 200 * 1024;
    vec![
        ("session_history", frame(part(2, &talk), whole)),
        ("session_history.marks", frame(part(4, &stopped), whole)),
        ("session_history.undelivered", frame(part(3, &withdrawn), whole)),
        ("session_history.empty", frame(part(0, &[]), whole)),
        ("session_history.cut_short", frame(part(3, &long), 1024)),
        (
            "session_history.file_replaced",
            frame(HistoryPart { replaced: true, ..part(1, &talk[..1]) }, whole),
        ),
    ]
}

fn recipes() -> Rows {
    let offered = |outline: &Outline| OfferedRecipe {
        changed_prompts: match outline.id {
            "review-and-commit" => vec!["fix".into()],
            _ => Vec::new(),
        },
        id: outline.id.into(),
        label: outline.label.into(),
        description: outline.description.into(),
        steps: outline.steps.iter().map(|step| step.name.into()).collect(),
        max_steps: outline.max_steps,
    };
    let recipes = [ImplementAndReview::OUTLINE, ReviewAndCommit::OUTLINE].map(offered).to_vec();
    let agent = |name: &str, rehearsal| OfferedAgent { name: name.into(), rehearsal };
    let offer = AvailableRecipes {
        recipes,
        enabled: true,
        agents: vec![agent("claude", false), agent("rehearsal", true)],
        working_directory: Some("/projects/shop".into()),
    };
    let off = OrchestrationSet { enabled: false, session_id: None };
    let on = OrchestrationSet { enabled: true, session_id: Some(session()) };
    let not_found =
        RecipeError { session_id: Some(session()), error: "Recipe not found".into(), of: None };
    vec![
        ("available_recipes", ServerMessage::AvailableRecipes(offer)),
        ("orchestration_set", ServerMessage::OrchestrationSet(off)),
        ("orchestration_set.session", ServerMessage::OrchestrationSet(on)),
        ("recipe_error.refused", ServerMessage::RecipeError(not_found)),
    ]
}

/// Messages about a run in progress.
fn runs() -> Rows {
    let start = OneRun::start(&ImplementAndReview);
    let moved = OneRun::start(&ImplementAndReview).reports(["complete"]);
    let mut retry = OneRun::start(&ImplementAndReview);
    retry.reply("I think it went well.");
    let rehearsal = OneRun::spec(&ImplementAndReview, |spec| {
        spec.agent = "rehearsal".into();
        spec.rehearsal = true;
    });
    vec![
        ("recipe_started", start.latest("recipe_started")),
        ("recipe_started.next_step", moved.latest("recipe_started")),
        ("recipe_started.rehearsal", rehearsal.latest("recipe_started")),
        ("recipe_step_started", start.latest("recipe_step_started")),
        ("recipe_step_transition", moved.latest("recipe_step_transition")),
        ("orchestration_retry", retry.latest("orchestration_retry")),
    ]
}

surefire::recipe! {
    /// Polish a text until there is nothing left to polish.
    recipe PolishText {
        id: "polish-text",
        label: "Polish Text",
        initial: Review,
        guardrails: { max_total_steps: 5 },
        step Review { prompt: "Review it.", outcomes: [Fine, Rough], Fine => exit TaskCommitted, Rough => Polish }
        step Polish { prompt: "Polish it.", outcomes: [Done], Done => Review }
    }
}

/// How runs end. No bundled recipe can reach its limit of total steps, so `PolishText` does.
fn exits() -> Rows {
    let (review, fix) = ("issues-found", "complete");
    let completed =
        OneRun::start(&ImplementAndReview).reports(["complete", "no-issues", "committed"]);
    let total = OneRun::start(&PolishText).reports(["rough", "done", "rough", "done", "rough"]);
    let visits = OneRun::start(&ImplementAndReview)
        .reports(["complete", review, fix, review, fix, review, fix]);
    let mut error = OneRun::start(&ImplementAndReview);
    (0..4).for_each(|_| error.reply("I think it went well."));
    let mut other = OneRun::start(&ImplementAndReview);
    other.reply(
        r#"{"outcome": "other", "otherDescription": "The task needs a key for the payment service."}"#,
    );
    let mut paused = OneRun::start(&ImplementAndReview).reports(["complete"]);
    let limit = Exit::because(ExitReason::RateLimited).describe("Claude AI usage limit reached");
    paused.fail(limit, Some(BEGAN + 7_200_000));
    let restarted =
        OneRun::start(&ImplementAndReviewAll).reports(["complete", "no-issues", "committed"]);
    vec![
        ("recipe_exited.completed", completed.latest("recipe_exited")),
        ("recipe_exited.guardrail", total.latest("recipe_exited")),
        ("recipe_exited.step_visits", visits.latest("recipe_exited")),
        ("recipe_exited.error", error.latest("recipe_exited")),
        ("recipe_error", error.latest("recipe_error")),
        ("recipe_exited.other", other.latest("recipe_exited")),
        ("recipe_exited.paused", paused.latest("recipe_exited")),
        ("recipe_exited.restarted", restarted.latest("recipe_exited")),
        ("recipe_exited.idle", ServerMessage::RecipeExited(idle())),
    ]
}

/// The answer to `exit_recipe` in a session that never had a run.
fn idle() -> RecipeExited {
    let definition = ExitReason::UserRequested.definition();
    RecipeExited {
        session_id: session(),
        reason: definition.code.into(),
        category: definition.category,
        message: definition.general_message().into_owned(),
        error: None,
        goal_met: definition.goal_met,
        title: definition.title.into(),
        diagnosis: definition.diagnosis.into(),
        auto_resumable: definition.auto_resumable,
        exit_code: definition.exit_code,
        description: None,
        step: None,
        step_count: 0,
        recipe_id: None,
        rehearsal: false,
        resume_at: None,
        continued_by: None,
        of: None,
    }
}

fn views() -> Rows {
    let one = OneRun::start(&ImplementAndReview).reports(["complete"]);
    let facts = RunFacts {
        run: run_id(),
        session: session(),
        recipe: "implement-and-review".into(),
        recipe_label: "Implement & Review".into(),
        directory: "/projects/shop".into(),
        agent: "claude".into(),
        rehearsal: false,
        script: None,
        started_at: BEGAN,
        created_from: None,
        task: None,
    };
    let mut timeline = Timeline::new(facts, Some(ImplementAndReview::OUTLINE));
    for (seq, event) in (1..).zip(&one.events) {
        timeline.apply(seq, at(seq), event);
    }
    let changed = timeline.view().changed_since(2);
    let line = "test cart::rounds_half_up ... ok".to_owned();
    let printed = RunOutput { session_id: session(), run_id: run_id(), line };
    vec![
        ("run_view", ServerMessage::RunView(RunViewChanged::new(run_id(), changed))),
        ("run_output", ServerMessage::RunOutput(printed)),
    ]
}

/// The end of an isolated run's worktree, and trust in a repository.
fn worktrees_and_trust() -> Rows {
    let commit = || "5f0e1d2c3b4a59687786a5b4c3d2e1f001122334".to_owned();
    let ended = |end| ServerMessage::WorktreeEnded(WorktreeEnded { run_id: run_id(), end });
    let merged = ended(WorktreeEnd::Merged { into: Some("main".into()), commit: commit() });
    let trusted = DirectoryTrust {
        working_directory: "/projects/shop".into(),
        trusted: true,
        files: vec![".mcp.json".into(), "surefire.toml".into()],
        changed: Vec::new(),
        commands: vec!["cargo test".into(), "npm ci".into()],
    };
    let changed =
        DirectoryTrust { trusted: false, changed: vec![".mcp.json".into()], ..trusted.clone() };
    vec![
        ("worktree_ended", merged),
        ("worktree_ended.discarded", ended(WorktreeEnd::Discarded { commit: commit() })),
        ("directory_trust", ServerMessage::DirectoryTrust(trusted)),
        ("directory_trust.changed", ServerMessage::DirectoryTrust(changed)),
    ]
}

fn refusals() -> Rows {
    let session_id = || Some(SESSION.to_owned());
    let error = |what: &str| format!("this server does not {what}");
    let compaction = CompactionError { session_id: session_id(), error: error("compact sessions") };
    let name = InferNameError { session_id: session_id(), error: error("find names for sessions") };
    let command = CommandError { command_id: "git.status".into(), error: error("run commands") };
    let directory = || "/projects/shop".to_owned();
    let commands =
        AvailableCommands { working_directory: directory(), ..AvailableCommands::default() };
    let branch = GitBranch { working_directory: directory(), branch: None };
    let worktree = WorktreeSessionError { success: false, error: error("make worktrees") };
    vec![
        ("available_commands", ServerMessage::AvailableCommands(AvailableCommands::default())),
        ("available_commands.directory", ServerMessage::AvailableCommands(commands)),
        ("resources_list", ServerMessage::ResourcesList(ResourcesList::default())),
        ("git_branch", ServerMessage::GitBranch(branch)),
        ("compaction_error", ServerMessage::CompactionError(compaction)),
        ("infer_name_error", ServerMessage::InferNameError(name)),
        ("command_error", ServerMessage::CommandError(command)),
        (
            "command_history",
            ServerMessage::CommandHistory(CommandHistory { sessions: Vec::new(), limit: 50 }),
        ),
        ("worktree_session_error", ServerMessage::WorktreeSessionError(worktree)),
    ]
}

#[test]
fn each_message_is_written_as_its_file_shows() {
    for (file, message) in rows() {
        let shown: Value = serde_json::from_str(&Side::Server.text(file)).expect("it is JSON");
        let written: Value = serde_json::from_str(&message.to_json()).expect("it is JSON");
        assert_eq!(written, shown, "{file}");
    }
}

#[test]
fn each_file_is_read_as_its_message() {
    for (file, message) in rows() {
        let read: ServerMessage = serde_json::from_str(&Side::Server.text(file)).expect(file);
        assert_eq!(read, message, "{file}");
    }
}

#[test]
fn every_type_has_a_file_and_every_file_its_message() {
    let rows = rows();
    Side::Server.is_covered_by(rows.iter().map(|(file, _)| *file), ServerMessage::TYPES);
}

#[test]
fn a_shortened_history_page_says_where_the_next_one_begins() {
    let file = Side::Server.text("session_history.cut_short");
    let frame: SessionHistory = serde_json::from_str(&file).expect("it is one");
    assert!(!frame.end_of_file && !frame.is_complete);
    assert_eq!(frame.messages.last().map(|last| last.offset + 1), Some(frame.next_offset));
}
