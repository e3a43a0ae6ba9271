//! Tests the text of every error that has a remedy: this room is the only one that can import all
//! of them.

use std::collections::HashSet;
use std::mem::discriminant;
use std::net::SocketAddr;

use strum::IntoEnumIterator;
use uuid::Uuid;

use crate::agent::{Failure, UnknownModel};
use crate::engine::{
    Collision, DirectoryError, EngineError, PromptDefect, PromptFileError, ResumeError,
    SendPromptError, StartError, TrustError, UnknownProvider, WorktreeError,
};
use crate::outcome::{Flaw, Unread};
use crate::paths::{PathError, RunPath};
use crate::recipes::ImplementAndReview;
use crate::run::{CannotEndWorktree, CannotResume, ReplayError, RunId, SessionId};
use crate::server::{BindError, KeyError};
use crate::session::SessionRefusal;
use crate::store::{Holder, StoreError};
use crate::{Advise, CommandLine, GraphChange, Remedy, SnapshotError, UnknownName, UnknownRecipe};

/// An error, its problem, and its remedy, which is empty if there is none.
type Row = (Box<dyn Advise>, &'static str, &'static str);

#[test]
fn each_error_states_its_problem_and_then_its_remedy() {
    let mut met = HashSet::new();
    for (error, problem, words) in all() {
        let text =
            if words.is_empty() { problem.to_owned() } else { format!("{problem}; {words}") };
        assert_eq!(error.to_string(), text);
        assert_eq!(error.problem(), problem);
        assert_eq!(
            error.remedy().map(|remedy| remedy.to_string()).unwrap_or_default(),
            words,
            "{text}"
        );
        met.extend(error.remedy().as_ref().map(discriminant));
        // A remedy inside the problem would not be shown as a remedy.
        assert!(!problem.contains("; "), "{text}");
    }
    // Only a message to a client has this remedy, and no error type.
    met.insert(discriminant(&Remedy::UpgradeClient));
    for remedy in Remedy::iter() {
        assert!(met.contains(&discriminant(&remedy)), "no error has the remedy `{remedy}`");
    }
}

fn all() -> Vec<Row> {
    [
        recipes(),
        paths(),
        replies(),
        runs(),
        stores(),
        directories(),
        agents(),
        engines(),
        work_trees(),
        prompts(),
        servers(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn row(error: impl Advise + 'static, problem: &'static str, words: &'static str) -> Row {
    (Box::new(error), problem, words)
}

fn session() -> SessionId {
    Uuid::from_u128(1).into()
}

fn run() -> RunId {
    Uuid::from_u128(2).into()
}

fn changed() -> SnapshotError {
    SnapshotError::OtherVersion {
        recipe: "rebase",
        expected: "b".to_owned(),
        found: "a".to_owned(),
    }
}

const CHANGED: &str =
    "recipe `rebase` has changed since this snapshot was taken (fingerprint a, now b)";
const START_AGAIN: &str = "start the recipe again, or resume with the version that took it";
const BUSY: &str = "session 00000000-0000-0000-0000-000000000001 is busy with run \
                    00000000-0000-0000-0000-000000000002";
const EXIT_IT: &str = "exit that run first, or wait until it ends";

fn paths() -> Vec<Row> {
    let checked = |outcomes| -> PathError {
        let path = RunPath::parse(&ImplementAndReview, outcomes);
        path.and_then(RunPath::finished).expect_err("it is not a path to an exit")
    };
    vec![
        row(
            checked("complete, no-isues"),
            "outcome 2 is `no-isues`, but step `code-review` has only no-issues, issues-found, other",
            "did you mean `no-issues`?",
        ),
        row(
            checked("complete, committed"),
            "outcome 2 is `committed`, but step `code-review` has only no-issues, issues-found, other",
            "",
        ),
        row(
            checked("no-tasks, complete"),
            "outcome 2, `complete`, is one too many: the run has ended with exit no-tasks-available",
            "remove it and what follows it",
        ),
        row(
            checked("complete, issues-found"),
            "after the last outcome, the run continues at step `fix`, which has complete, other",
            "add, for example: complete, no-issues, committed",
        ),
    ]
}

fn recipes() -> Vec<Row> {
    let unknown = |closest| UnknownRecipe { id: "rebsae".to_owned(), closest };
    let name = UnknownName::new("step", "x", vec!["fix", "review"]);
    let other = SnapshotError::OtherRecipe { expected: "rebase", found: "other".to_owned() };
    vec![
        row(unknown(Some("rebase")), "recipe not found: `rebsae`", "did you mean `rebase`?"),
        row(unknown(None), "recipe not found: `rebsae`", ""),
        row(
            other,
            "this is a snapshot of recipe `other`, not of `rebase`",
            "resume it with the recipe it was taken from",
        ),
        row(changed(), CHANGED, START_AGAIN),
        row(
            SnapshotError::UnknownStep(name),
            "the snapshot is damaged: unknown step `x`, expected one of: fix, review",
            "",
        ),
        row(
            SnapshotError::Miscounted { steps: 3, visits: 4 },
            "the snapshot is damaged: 3 steps were taken, but the visits of all steps add up to 4",
            "",
        ),
        row(
            SnapshotError::NeverEntered { step: "fix" },
            "the snapshot is damaged: the run was at step `fix`, which it says was never entered",
            "",
        ),
        row(
            SnapshotError::Changed {
                recipe: "rebase",
                step: "fix".to_owned(),
                changes: vec![GraphChange::StepRemoved {
                    step: "review".to_owned(),
                    renamed: None,
                }],
            },
            "recipe `rebase` has changed since this run began, and the run cannot continue from step `fix`: step `review` was removed",
            "start the recipe again, or resume with the version that began the run",
        ),
        row(
            SnapshotError::TooManyVisits { step: "fix", visits: 4, limit: 3 },
            "step `fix` was entered 4 times, and its limit is 3",
            "resume it within the limits that its run had",
        ),
    ]
}

fn replies() -> Vec<Row> {
    let expected = vec!["complete".to_owned(), "blocked".to_owned()];
    vec![
        row(
            Unread::NoJson,
            "there is no JSON object in the reply",
            "end it with one of the lines that were asked for",
        ),
        row(
            Unread::NotJson { flaw: Flaw::Malformed },
            "the reply's last JSON object cannot be read: it is not valid JSON",
            "write it again, on one line",
        ),
        row(
            Unread::NoOutcome,
            "no JSON object in the reply has an `outcome` of its own that is a string",
            "write an object with that key, and not inside another value",
        ),
        row(
            Unread::UnknownOutcome { found: "done".to_owned(), expected },
            "`done` is not an outcome of this step",
            "use one of these, letter for letter: `complete`, `blocked`",
        ),
        row(
            Unread::OtherWithoutDescription,
            "the outcome `other` says nothing by itself",
            "add an `otherDescription` that says what happened",
        ),
    ]
}

fn runs() -> Vec<Row> {
    let again = |remedy| CannotResume::WouldStopAgain { message: "limit 3".to_owned(), remedy };
    vec![
        row(
            CannotResume::StillRunning,
            "the run is still running",
            "exit it first, or wait until it ends",
        ),
        row(
            CannotResume::OnlyUnchanged,
            "the run was left open, and can only be resumed unchanged",
            "resume it without new limits",
        ),
        row(
            CannotResume::Finished { reason: "task-committed".to_owned() },
            "the run reached its goal (task-committed)",
            "start the recipe again for the next one",
        ),
        row(
            again(Remedy::Raise),
            "the run would stop again at once: limit 3",
            "raise that limit when you resume, or start the recipe again",
        ),
        row(
            again(Remedy::StartAgain),
            "the run would stop again at once: limit 3",
            "start the recipe again",
        ),
        row(ReplayError::NoStart, "the journal does not begin with the start of a run", ""),
        row(ReplayError::Changed(changed()), CHANGED, START_AGAIN),
        row(SessionRefusal::Busy { session: session(), holder: run() }, BUSY, EXIT_IT),
        row(
            SessionRefusal::Cannot(CannotResume::OnlyUnchanged),
            "the run was left open, and can only be resumed unchanged",
            "resume it without new limits",
        ),
        row(
            SessionRefusal::NoSession(session()),
            "there is no session 00000000-0000-0000-0000-000000000001",
            "",
        ),
    ]
}

fn stores() -> Vec<Row> {
    let words = || "words".to_owned();
    let (run, session) = (run(), session());
    vec![
        row(StoreError::Busy { session, holder: run }, BUSY, EXIT_IT),
        row(
            StoreError::Stale { run, expected: 1, found: 2 },
            "run 00000000-0000-0000-0000-000000000002 has moved on to event 2, the writer knew 1",
            "read it again",
        ),
        row(
            StoreError::StaleSession { session, expected: 1, found: 2 },
            "session 00000000-0000-0000-0000-000000000001 has had 2 commits, the writer knew 1",
            "read it again",
        ),
        row(StoreError::Missing { kind: "run", id: "7".to_owned() }, "there is no run 7", ""),
        row(
            StoreError::Contradiction { what: words() },
            "the commit contradicts the store: words",
            "",
        ),
        row(
            StoreError::Directory { path: "/data".into(), why: words() },
            "the data directory `/data` cannot be used: words",
            "name another one, or fix that",
        ),
        row(
            StoreError::Link { path: "/db".into(), target: "/other".into() },
            "`/db` is a link to `/other`, and no file of the data directory may be one",
            "put the file itself in its place, or use another data directory",
        ),
        row(
            StoreError::NotOwned { path: "/db".into(), owner: 7 },
            "`/db` belongs to another user (uid 7)",
            "run as that user, or use another data directory",
        ),
        row(
            StoreError::Held { path: "/data".into(), holder: Holder::default() },
            "the data directory `/data` is in use by another server",
            "stop that server, or use another directory",
        ),
        row(
            StoreError::TakenOver,
            "another server has taken over the store",
            "this one must stop writing",
        ),
        row(
            StoreError::Newer { path: "/db".into(), found: 9, known: 3 },
            "the store `/db` has schema 9, and this version knows 3 at most",
            "use the newer surefire, or another data directory",
        ),
        row(
            StoreError::Foreign { path: "/db".into() },
            "`/db` is the database of another program",
            "move it away, or use another data directory",
        ),
        row(
            StoreError::Locked,
            "the store is locked by another program",
            "close it (a `sqlite3` shell?) and try again",
        ),
        row(
            StoreError::Full,
            "there is no room left for the store",
            "make room on its disk, or raise its largest size",
        ),
        row(
            StoreError::Unreadable { what: words() },
            "the store holds something unreadable: words",
            "",
        ),
        row(
            StoreError::Damaged { what: words() },
            "the store holds something unreadable: words",
            "a restart quarantines the damaged file and creates a new one",
        ),
        row(StoreError::Failed { why: words() }, "the store failed: words", ""),
    ]
}

fn directories() -> Vec<Row> {
    vec![
        row(
            DirectoryError::Relative("a".into()),
            "working directory `a` is relative",
            "give an absolute path",
        ),
        row(
            DirectoryError::Missing("/a".into()),
            "working directory `/a` does not exist",
            "create it, or name another one",
        ),
        row(
            DirectoryError::NotADirectory("/a".into()),
            "working directory `/a` is not a directory",
            "name the directory it is in",
        ),
        row(
            DirectoryError::Unusable { path: "/a".into(), why: "words".to_owned() },
            "working directory `/a` cannot be used: words",
            "",
        ),
        row(
            DirectoryError::Moved { path: "/a".into(), real: "/b".into() },
            "working directory `/a` now leads to `/b`",
            "start again there, or restore it",
        ),
        row(
            DirectoryError::Outside { path: "/a".into(), roots: vec!["/b".into(), "/c".into()] },
            "working directory `/a` is outside of the allowed roots (/b, /c)",
            "work inside of one, or allow it with --root",
        ),
    ]
}

fn agents() -> Vec<Row> {
    let bad =
        |remedy| Failure::BadProgram { path: "claude".into(), why: "words".to_owned(), remedy };
    let unknown = || UnknownModel { model: "sonet".to_owned(), known: vec!["sonnet", "opus"] };
    let install = Remedy::Install {
        program: "Claude Code".to_owned(),
        variable: "CLAUDE_CLI_PATH".to_owned(),
    };
    let lost = Failure::ConversationLost { words: "No conversation found".to_owned() };
    vec![
        row(
            bad(install),
            "the agent `claude` cannot be started: words",
            "install Claude Code, or say where it is with `--agent-path` or `CLAUDE_CLI_PATH`",
        ),
        row(
            bad(Remedy::ProgramInside { name: "claude".to_owned() }),
            "the agent `claude` cannot be started: words",
            "give the path of the program itself, as in `claude` inside it",
        ),
        row(
            bad(Remedy::MakeExecutable),
            "the agent `claude` cannot be started: words",
            "run `chmod +x` on it",
        ),
        row(
            bad(Remedy::TryInTerminal),
            "the agent `claude` cannot be started: words",
            "try to run it in a terminal",
        ),
        row(
            Failure::CannotStart { path: "claude".into(), why: "words".to_owned() },
            "the agent `claude` cannot be started: words",
            "",
        ),
        row(
            Failure::EmptyPrompt,
            "the agent reports an error: the prompt is empty",
            "say what to do",
        ),
        row(unknown(), "unknown model `sonet`", "use one of sonnet, opus"),
        row(
            Failure::from(unknown()),
            "the agent reports an error: unknown model `sonet`",
            "use one of sonnet, opus",
        ),
        row(
            lost,
            "the agent reports an error: No conversation found",
            "the conversation is lost, start a new session",
        ),
        row(
            Failure::Refused { words: "words".to_owned() },
            "the agent reports an error: words",
            "",
        ),
    ]
}

fn engines() -> Vec<Row> {
    const FULL: (&str, &str) =
        ("there is no room left for the store", "make room on its disk, or raise its largest size");
    const OFF: (&str, &str) = ("recipes are switched off", "switch orchestration on first");
    const NO_AGENT: (&str, &str) =
        ("there is no agent `cursor` here", "choose one with `--agent`: puppet, claude");
    const EMPTY: (&str, &str) =
        ("the agent reports an error: the prompt is empty", "say what to do");
    const RELATIVE: (&str, &str) = ("working directory `a` is relative", "give an absolute path");
    const NOT_FOUND: &str = "recipe not found: `x`";
    const NEEDED: &str = "working_directory required for new session";
    let (session, holder) = (session(), run());
    let full = || EngineError::Store(StoreError::Full);
    let relative = || DirectoryError::Relative("a".into());
    let recipe = || UnknownRecipe { id: "x".to_owned(), closest: None };
    let provider =
        || UnknownProvider { provider: "cursor".to_owned(), known: vec!["puppet", "claude"] };
    let model = UnknownModel { model: "sonet".to_owned(), known: vec!["sonnet"] };
    vec![
        row(provider(), NO_AGENT.0, NO_AGENT.1),
        row(full(), FULL.0, FULL.1),
        row(EngineError::NoRun(holder), "there is no run 00000000-0000-0000-0000-000000000002", ""),
        row(
            EngineError::NoSession(session),
            "there is no session 00000000-0000-0000-0000-000000000001",
            "",
        ),
        row(
            EngineError::Overloaded(session),
            "session 00000000-0000-0000-0000-000000000001 has too many requests queued",
            "try again in a moment",
        ),
        row(EngineError::ShuttingDown, "the server is shutting down", "try again when it is back"),
        row(
            EngineError::Bug("words".to_owned()),
            "this is a bug in surefire: words",
            "please report it",
        ),
        row(
            ResumeError::Cannot(CannotResume::StillRunning),
            "the run is still running",
            "exit it first, or wait until it ends",
        ),
        row(ResumeError::Replay(changed().into()), CHANGED, START_AGAIN),
        row(ResumeError::Recipe(recipe()), NOT_FOUND, ""),
        row(ResumeError::Busy { session, holder }, BUSY, EXIT_IT),
        row(ResumeError::SwitchedOff, OFF.0, OFF.1),
        row(ResumeError::Agent(provider()), NO_AGENT.0, NO_AGENT.1),
        row(ResumeError::Engine(full()), FULL.0, FULL.1),
        row(StartError::Recipe(recipe()), NOT_FOUND, ""),
        row(StartError::Provider(provider()), NO_AGENT.0, NO_AGENT.1),
        row(StartError::Model(model), "unknown model `sonet`", "use one of sonnet"),
        row(StartError::Directory(relative()), RELATIVE.0, RELATIVE.1),
        row(StartError::NoDirectory, NEEDED, ""),
        row(
            StartError::OtherDirectory { session, directory: "/a".into() },
            "session 00000000-0000-0000-0000-000000000001 works in `/a`",
            "start in a new session to work elsewhere",
        ),
        row(
            StartError::OtherAgent { session, agent: "claude".to_owned() },
            "session 00000000-0000-0000-0000-000000000001 belongs to the agent `claude`",
            "start in a new session to use another",
        ),
        row(
            StartError::NoRepository { recipe: "x", directory: "/a".into() },
            "`x` needs a git repository, and `/a` is not in one",
            "run `git init` there, and make a first commit",
        ),
        row(
            StartError::NoMainBranch { recipe: "x", directory: "/a".into() },
            "`x` needs a main branch, and `/a` has neither `main` nor one that `origin` names",
            "make a branch `main`, or fetch one from `origin`",
        ),
        row(
            StartError::WorkTree { directory: "/a".into(), why: "words".to_owned() },
            "the work tree of `/a` cannot be inspected: words",
            "",
        ),
        row(StartError::Agent(Failure::EmptyPrompt), EMPTY.0, EMPTY.1),
        row(StartError::SwitchedOff, OFF.0, OFF.1),
        row(StartError::Busy { session, holder }, BUSY, EXIT_IT),
        row(StartError::Engine(full()), FULL.0, FULL.1),
        row(SendPromptError::Provider(provider()), NO_AGENT.0, NO_AGENT.1),
        row(SendPromptError::Directory(relative()), RELATIVE.0, RELATIVE.1),
        row(SendPromptError::NoDirectory, NEEDED, ""),
        row(SendPromptError::Agent(Failure::EmptyPrompt), EMPTY.0, EMPTY.1),
        row(SendPromptError::Engine(full()), FULL.0, FULL.1),
    ]
}

fn work_trees() -> Vec<Row> {
    const DIRTY: &str =
        "`x` needs a clean work tree, and `/a` has uncommitted changes (`1`, `2`, `3` and 1 more)";
    const NO_TASK: &str =
        "`x` needs a task, none was given, and there is no tracker to take one from: words";
    const GIVE_TASK: &str = "say what to do, as in `surefire run x \"fix the rounding in cart.rs\"`, or install \
                             `bd` (beads) and run `bd init` in the repository";
    const UNTRUSTED: &str =
        "`/a/surefire.toml` has commands to run (`make`), and the repository is not trusted";
    const CHANGED: &str = "`/a/surefire.toml` has commands to run (`make`), and .mcp.json changed since the repository was trusted";
    const TRUST: &str = "look at them, then run `surefire trust /a` on this machine, or run without them with \
                         `--untrusted=skip`";
    const BESIDE: (&str, &str) = (
        "run 00000007 of `x` works in `/a` already",
        "wait until it ends, use a worktree with `--isolate`, or start with `--force-parallel`",
    );
    const NOT_ENDED: (&str, &str) =
        ("the run has not ended", "exit it first, or wait until it ends");
    const NO_REPOSITORY: (&str, &str) =
        ("`/a` is not in a git work tree", "run `git init` there, and make a first commit");
    let collision =
        || Collision { tree: "/a".into(), other: Some("run 00000007 of `x`".to_owned()) };
    let untrusted = |changed: &[&str]| StartError::Untrusted {
        directory: "/a".into(),
        commands: vec![CommandLine::Shell("make".into())],
        changed: changed.iter().map(ToString::to_string).collect(),
    };
    let unknown = Collision { other: None, ..collision() };
    let records =
        TrustError::Records { path: "/d/trust.json".into(), error: std::io::Error::other("words") };
    vec![
        row(
            StartError::DirtyTree {
                recipe: "x",
                directory: "/a".into(),
                files: ["1", "2", "3", "4"].map(Into::into).to_vec(),
            },
            DIRTY,
            "commit or stash them, or start with `--allow-dirty`",
        ),
        row(StartError::NoTask { recipe: "x", why: "words".to_owned() }, NO_TASK, GIVE_TASK),
        row(collision(), BESIDE.0, BESIDE.1),
        row(unknown, "another run works in `/a` already", BESIDE.1),
        row(StartError::Collision(collision()), BESIDE.0, BESIDE.1),
        row(ResumeError::Collision(collision()), BESIDE.0, BESIDE.1),
        row(
            StartError::NoCommit { directory: "/a".into() },
            "a worktree begins at a commit, and `/a` has none",
            "make a first commit there",
        ),
        row(
            StartError::NeedsNewSession { session: session(), directory: "/a".into() },
            "session 00000000-0000-0000-0000-000000000001 works in `/a`, and this run needs a worktree of its own",
            "start in a new session to use a worktree",
        ),
        row(untrusted(&[]), UNTRUSTED, TRUST),
        row(untrusted(&[".mcp.json"]), CHANGED, TRUST),
        row(TrustError::NoRepository("/a".into()), NO_REPOSITORY.0, NO_REPOSITORY.1),
        row(
            StartError::Trust(TrustError::NoRepository("/a".into())),
            NO_REPOSITORY.0,
            NO_REPOSITORY.1,
        ),
        row(records, "the trust records in `/d/trust.json` cannot be used: words", ""),
        row(CannotEndWorktree::StillRunning, NOT_ENDED.0, NOT_ENDED.1),
        row(
            CannotEndWorktree::NoWorktree,
            "the run has no worktree of its own, it worked in the directory that it was started in",
            "",
        ),
        row(
            CannotEndWorktree::Ended { how: "merged" },
            "the worktree of the run was merged already",
            "",
        ),
        row(WorktreeError::Cannot(CannotEndWorktree::StillRunning), NOT_ENDED.0, NOT_ENDED.1),
        row(
            WorktreeError::Engine(EngineError::ShuttingDown),
            "the server is shutting down",
            "try again when it is back",
        ),
        row(
            CannotResume::WorktreeEnded { how: "merged" },
            "the worktree of the run was merged",
            "start the recipe again",
        ),
    ]
}

fn prompts() -> Vec<Row> {
    const CORRECT: &str = "correct it, or go back to the compiled prompt with `surefire prompts x --reset --step fix`";
    const NO_STEP: &str = "`/p/x/fxi.md` is named after no step of `x` that has a prompt";
    let defective = |defect| PromptFileError::Defective {
        recipe: "x",
        step: "fix",
        path: "/p/x/fix.md".into(),
        defect,
    };
    let no_step = |closest: Option<&str>| PromptFileError::NoStep {
        recipe: "x",
        path: "/p/x/fxi.md".into(),
        closest: closest.map(str::to_owned),
        names: vec!["fix.md".to_owned(), "build.md".to_owned()],
    };
    let outside = PromptDefect::Outside { target: "/shop/fix.md".into() };
    let unreadable = PromptDefect::Unreadable { why: "words".to_owned() };
    vec![
        row(defective(PromptDefect::Blank), "the prompt `/p/x/fix.md` is blank", CORRECT),
        row(
            StartError::Prompt(defective(PromptDefect::NotText)),
            "the prompt `/p/x/fix.md` is not a text: it has to be UTF-8, without NUL characters",
            CORRECT,
        ),
        row(
            defective(PromptDefect::TooLarge),
            "the prompt `/p/x/fix.md` is larger than 64 KiB",
            CORRECT,
        ),
        row(
            defective(PromptDefect::NotAFile),
            "the prompt `/p/x/fix.md` is not a regular file",
            CORRECT,
        ),
        row(
            defective(outside),
            "the prompt `/p/x/fix.md` leads out of the directory for prompts, to `/shop/fix.md`",
            CORRECT,
        ),
        row(defective(unreadable), "the prompt `/p/x/fix.md` cannot be read: words", CORRECT),
        row(no_step(Some("fix.md")), NO_STEP, "did you mean `fix.md`?"),
        row(no_step(None), NO_STEP, "rename it to one of fix.md, build.md, or remove it"),
        row(
            PromptFileError::Unlisted { path: "/p/x".into(), why: "words".to_owned() },
            "the prompts in `/p/x` cannot be listed: words",
            "",
        ),
    ]
}

fn servers() -> Vec<Row> {
    let address = SocketAddr::from(([10, 0, 0, 1], 80));
    let taken = |remedy| BindError::Address { address, why: "words".to_owned(), remedy };
    let no_key = || KeyError::NoKey { path: "/key".into() };
    vec![
        row(
            KeyError::NoRandomness { why: "words".to_owned() },
            "a key could not be made: words",
            "try again",
        ),
        row(
            KeyError::Unusable { path: "/key".into(), why: "words".to_owned() },
            "the key file `/key` cannot be used: words",
            "fix that, or name another one with --key-file",
        ),
        row(
            KeyError::Link { path: "/key".into(), target: "/other".into() },
            "the key file `/key` is a link to `/other`, and may not be one",
            "name the file itself with --key-file, or remove the link to have a new key made",
        ),
        row(
            KeyError::Readable { path: "/key".into(), mode: 0o644 },
            "the key file `/key` can be read by others (mode 644)",
            "run `chmod 600` on it, and make a new key if others may have read it",
        ),
        row(no_key(), "the key file `/key` holds no key", "delete it to have a new one made"),
        row(
            BindError::Missing("recipes"),
            "a server needs `recipes`: call that method of its builder",
            "",
        ),
        row(
            BindError::NotLoopback(address),
            "10.0.0.1:80 can be reached from other machines",
            "allow that with --lan, or listen at 127.0.0.1",
        ),
        row(
            taken(Remedy::OtherPort),
            "cannot listen at 10.0.0.1:80: words",
            "stop the process that listens there, or choose another port with --listen",
        ),
        row(
            taken(Remedy::HigherPort),
            "cannot listen at 10.0.0.1:80: words",
            "choose a port above 1023 with --listen",
        ),
        row(
            taken(Remedy::OwnAddress),
            "cannot listen at 10.0.0.1:80: words",
            "choose an address of this machine with --listen",
        ),
        row(
            BindError::Key(no_key()),
            "the key file `/key` holds no key",
            "delete it to have a new one made",
        ),
        row(
            BindError::Store(StoreError::TakenOver),
            "another server has taken over the store",
            "this one must stop writing",
        ),
        row(
            BindError::Engine(EngineError::ShuttingDown),
            "the server is shutting down",
            "try again when it is back",
        ),
    ]
}
