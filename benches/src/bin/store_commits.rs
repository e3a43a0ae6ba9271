//! The cost of persistence: durable transitions, compared with bare SQLite commits in the same
//! benchmark run, and opening a large store.
//!
//! `store_commits [<folder>]` works in a fresh folder in that one, or in the system's folder for
//! temporary files. It has to be on a disk: if a sync costs nothing, the ratio compares only
//! instructions.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use surefire::run::{
    AttemptId, ChangedPrompts, Event, Limits, Permits, Project, Purpose, ReplyReading, RunId,
    RunSpec, SessionId, Usage,
};
use surefire::store::{
    Change, Commit, Committed, Entry, NewMessage, NewSession, Role, RunFilter, SessionEvent,
    Sqlite, Store,
};
use surefire_benches::written::Written;
use uuid::Uuid;

const ROUNDS: usize = 10;
const COMMITS: usize = 200;
const RUNS: usize = 8;
const MESSAGE: usize = 2048;
const SESSIONS: usize = 10_000;
const MIN_RATIO: f64 = 0.78;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let done = match arguments.as_slice() {
        [flag, folder] if flag == "--open" => open(Path::new(folder)),
        [] => measure(&std::env::temp_dir()),
        [folder] => measure(Path::new(folder)),
        _ => Err("usage: store_commits [<folder>]".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

type Measured<T> = Result<T, Box<dyn Error>>;

fn measure(below: &Path) -> Measured<()> {
    let folder = tempfile::tempdir_in(below)?;
    commits(folder.path())?;
    println!();
    opening(&folder.path().join("large"))
}

/// Alternates between the contenders, so that other load on the machine affects all of them.
fn commits(folder: &Path) -> Measured<()> {
    let mut bare = Bare::open(&folder.join("bare.db"), 100)?;
    let mut same = Bare::open(&folder.join("same.db"), 2 * MESSAGE + 900)?;
    let store = Sqlite::open(&folder.join("ours"))?.store;
    let mut run = Ours::begin(&store)?;
    let mut many = (0..RUNS).map(|_| Ours::begin(&store)).collect::<Measured<Vec<_>>>()?;
    let mut times = [const { Vec::new() }; 4];
    let mut written = [Written::default(); 4];
    for _ in 0..ROUNDS {
        let mut round: [&mut dyn FnMut() -> Measured<Duration>; 4] = [
            &mut || timed(|| bare.commit()),
            &mut || timed(|| same.commit()),
            &mut || timed(|| run.commit()),
            &mut || together(&store, &mut many),
        ];
        for ((contender, times), written) in round.iter_mut().zip(&mut times).zip(&mut written) {
            let before = Written::so_far();
            times.push(contender()?);
            written.add_since(before);
        }
    }
    let rate = |times: &mut Vec<Duration>| {
        times.sort();
        COMMITS as f64 / times[times.len() / 2].as_secs_f64()
    };
    let [bare, same, ours, many] = times.each_mut().map(rate);
    println!("{COMMITS} durable commits per round, {ROUNDS} rounds each, median round:\n");
    let [bare_wrote, same_wrote, ours_wrote, many_wrote] =
        written.map(|it| it.a_commit(ROUNDS * COMMITS));
    println!("| contender | commits/s | to the first row | writes per commit | KB per commit |");
    println!("|---|--:|--:|--:|--:|");
    println!("| bare SQLite, one row of 100 bytes | {bare:.0} | | {bare_wrote} |");
    let row = |what: &str, rate: f64, wrote: &str| {
        println!("| {what} | {rate:.0} | {:.2} | {wrote} |", rate / bare);
    };
    row("bare SQLite, one row of as many bytes as a transition", same, &same_wrote);
    row(&format!("a transition: 3 events, 2 messages of {MESSAGE} bytes"), ours, &ours_wrote);
    row(&format!("the same, of {RUNS} runs that wait together"), many, &many_wrote);
    println!("\nthe goal is at least {MIN_RATIO}; a bare commit takes {:.0} µs here", 1e6 / bare);
    Ok(())
}

fn timed(mut commit: impl FnMut() -> Measured<()>) -> Measured<Duration> {
    let begin = Instant::now();
    for _ in 0..COMMITS {
        commit()?;
    }
    Ok(begin.elapsed())
}

/// The same number of commits, by several runs that wait for the disk together.
fn together(store: &Sqlite, runs: &mut [Ours<'_>]) -> Measured<Duration> {
    let begin = Instant::now();
    for _ in 0..COMMITS / runs.len() {
        let commits: Vec<_> = runs.iter_mut().map(Ours::next).collect();
        for (run, committed) in runs.iter_mut().zip(store.commit_all(&commits)) {
            run.done(&committed?);
        }
    }
    Ok(begin.elapsed())
}

/// The smallest possible durable commit of SQLite.
struct Bare {
    connection: Connection,
    row: String,
}

impl Bare {
    fn open(path: &Path, bytes: usize) -> Measured<Self> {
        let connection = Connection::open(path)?;
        connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
        connection.pragma_update(None, "synchronous", "full")?;
        connection
            .execute_batch("CREATE TABLE events (place INTEGER PRIMARY KEY, body TEXT NOT NULL)")?;
        Ok(Self { connection, row: "x".repeat(bytes) })
    }

    fn commit(&mut self) -> Measured<()> {
        self.connection
            .prepare_cached("INSERT INTO events (body) VALUES (?1)")?
            .execute([&self.row])?;
        Ok(())
    }
}

/// A run that alternates between two steps.
struct Ours<'s> {
    store: &'s Sqlite,
    session: SessionId,
    run: RunId,
    seq: u64,
    attempt: AttemptId,
    number: u32,
    text: String,
}

impl<'s> Ours<'s> {
    fn begin(store: &'s Sqlite) -> Measured<Self> {
        let (session, run): (SessionId, RunId) = (Uuid::new_v4().into(), Uuid::new_v4().into());
        let attempt = Uuid::new_v4().into();
        let events = vec![started(run, session), began(attempt, "implement")];
        let entries = events.into_iter().map(Entry::from).collect();
        let begin = [new_session(session), Change::Run { run, after: 0, at: 1, entries }];
        store.commit(&Commit { changes: begin.into() })?;
        Ok(Self { store, session, run, seq: 2, attempt, number: 1, text: "x".repeat(MESSAGE) })
    }

    fn commit(&mut self) -> Measured<()> {
        let next = self.next();
        let committed = self.store.commit(&next)?;
        self.done(&committed);
        Ok(())
    }

    fn next(&mut self) -> Commit {
        let (attempt, at) = (Uuid::new_v4().into(), u64::from(self.number));
        self.number += 1;
        let (replied, prompt) = (self.attempt, attempt);
        let says = |role, attempt| Some(message(self.session, role, &self.text, at, attempt));
        let entries = vec![
            Entry { event: Some(replied_to(replied)), message: says(Role::Assistant, replied) },
            moved(self.number).into(),
            Entry { event: Some(began(attempt, "implement")), message: says(Role::User, prompt) },
        ];
        let expects =
            Change::Expects { session: self.session, commits: u64::from(self.number) - 2 };
        let changes = vec![expects, Change::Run { run: self.run, after: self.seq, at, entries }];
        self.attempt = attempt;
        Commit { changes }
    }

    fn done(&mut self, committed: &Committed) {
        self.seq = committed.events().last().map_or(self.seq, |event| event.seq);
    }
}

/// Fills a store, and starts a process that opens it and reads what a server reads when it starts.
fn opening(folder: &Path) -> Measured<()> {
    let store = Sqlite::open(folder)?.store;
    for sessions in (0..SESSIONS).collect::<Vec<_>>().chunks(500) {
        let changes = sessions.iter().flat_map(|_| whole_session()).collect();
        store.commit(&Commit { changes })?;
    }
    let database = store.path().to_owned();
    drop(store);
    let size = std::fs::metadata(&database)?.len() >> 20;
    println!(
        "{SESSIONS} sessions, each of one run, ten events and four messages of {MESSAGE} bytes ({size} MB):\n"
    );
    let opened = Command::new(std::env::current_exe()?).arg("--open").arg(folder).status()?;
    if opened.success() { Ok(()) } else { Err("the large store could not be opened".into()) }
}

fn open(folder: &Path) -> Measured<()> {
    let begin = Instant::now();
    let store = Sqlite::open(&PathBuf::from(folder))?.store;
    let opened = begin.elapsed();
    let sessions = store.sessions(50)?.len();
    let open = store.runs(&RunFilter::default().open(Some(true)))?.len();
    let left = store.open_attempts()?.len();
    let all = begin.elapsed();
    println!("| opened and checked | {opened:.2?} |\n|---|--:|");
    println!(
        "| and read {sessions} sessions, {open} open runs, {left} open attempts | {all:.2?} |"
    );
    println!(
        "| memory at its highest | {} |",
        memory().unwrap_or_else(|| "not known here".to_owned())
    );
    Ok(())
}

/// The peak memory of this process, as Linux reports it.
fn memory() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    Some(format!("{} MB", kilobytes >> 10))
}

fn whole_session() -> Vec<Change> {
    let (session, run): (SessionId, RunId) = (Uuid::new_v4().into(), Uuid::new_v4().into());
    let mut events = vec![started(run, session)];
    for number in 2..5 {
        let attempt = Uuid::new_v4().into();
        events.extend([began(attempt, "implement"), replied_to(attempt), moved(number)]);
    }
    let text = "x".repeat(MESSAGE);
    let says = |role| Change::message(message(session, role, &text, 1, Uuid::new_v4().into()));
    let entries = events.into_iter().map(Entry::from).collect();
    let mut changes = vec![new_session(session), Change::Run { run, after: 0, at: 1, entries }];
    changes.extend([Role::User, Role::Assistant, Role::User, Role::Assistant].map(says));
    changes
}

fn new_session(id: SessionId) -> Change {
    let (name, directory, agent) = ("Payments".into(), "/home/me/payments".into(), "claude".into());
    let new = NewSession { id, name, directory, agent, system_prompt: None, at: 1 };
    Change::session(id, 1, SessionEvent::Began(new))
}

fn started(run: RunId, session: SessionId) -> Event {
    let spec = RunSpec {
        run,
        session,
        agent: "claude".into(),
        rehearsal: false,
        script: None,
        directory: "/home/me/payments".into(),
        task: None,
        model: None,
        prompts: ChangedPrompts::default(),
        allow_tools: Vec::new(),
        permits: Permits::default(),
        project: Project::default(),
        worktree: None,
        limits: Limits::default(),
        spent: Usage::default(),
        restarts: 0,
        continues: None,
    };
    let (recipe, fingerprint) = ("implement-and-review".into(), "5f1c".into());
    let (step, spec) = ("implement".into(), Box::new(spec));
    Event::Started { recipe, fingerprint, graph: None, step, spec }
}

fn began(attempt: AttemptId, step: &str) -> Event {
    Event::TurnBegan { attempt, step: step.into(), purpose: Purpose::Step }
}

fn replied_to(attempt: AttemptId) -> Event {
    let read = ReplyReading::Outcome {
        outcome: "complete".into(),
        description: None,
        findings: Vec::new(),
        repaired: vec![],
    };
    let (took, cost_usd) = (Duration::from_millis(61_530), Some(0.12));
    Event::Replied { attempt, read, took, cost_usd, version: Some("2.0.14".into()) }
}

fn moved(number: u32) -> Event {
    let (from, outcome, to) = ("implement".into(), "complete".into(), "code-review".into());
    Event::Moved { from, outcome, to, number, visit: 1, instead_of: None }
}

fn message(session: SessionId, role: Role, text: &str, at: u64, attempt: AttemptId) -> NewMessage {
    let (id, attempt) = (Uuid::new_v4(), Some(attempt));
    NewMessage { session, id, role, text: text.into(), at, attempt, run: None }
}
