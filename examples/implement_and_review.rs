//! Runs implement-and-review from start to end, prints what happens, and survives being killed.
//!
//! ```sh
//! cargo run --example implement_and_review
//! ```
//!
//! Kill it with `kill -9` at any moment and start it again: it resumes where it left off. Without
//! options it rehearses, slowly enough to be killed, and changes nothing; `--agent-path` names a
//! real agent to do the work, and `--task` is its task.

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use surefire::ExitReason;
use surefire::agent::{Agent, Claude, Rehearsal, Script};
use surefire::engine::{Engine, Options, Shutdown, Start, Started, Update};
use surefire::recipes::BUNDLED;
use surefire::run::{Ending, Event, Purpose, ReplyReading, Resume, ResumedBy};
use surefire::store::{EventRecord, RunFilter, Sqlite, Store};

#[tokio::main]
async fn main() -> ExitCode {
    run().await.unwrap_or_else(|error| {
        eprintln!("{error}");
        ExitCode::FAILURE
    })
}

async fn run() -> Result<ExitCode, Box<dyn Error>> {
    let mut arguments = Arguments::parse()?;
    std::fs::create_dir_all(&arguments.directory)?;
    arguments.directory = arguments.directory.canonicalize()?;
    let opened = Sqlite::open(&arguments.data)?;
    if let Some(aside) = opened.quarantined {
        eprintln!("The store was damaged ({}). It is now {}.", aside.why, aside.path.display());
    }
    let agent: Arc<dyn Agent> = match &arguments.agent_path {
        Some(path) => Arc::new(Claude::find(Some(path))?),
        None => Arc::new(Rehearsal::new(arguments.script).pace(arguments.pace)),
    };
    let store: Arc<dyn Store> = Arc::new(opened.store);
    let mut options = Options::new(BUNDLED, agent, store, &arguments.data);
    options.roots = vec![arguments.directory.clone()];
    let engine = Engine::open(options).await?;
    let mut feed = engine.subscribe();

    let started = choose(&engine, &arguments).await?;
    let run = started.run;
    println!("run {run}, stored in {}", arguments.data.display());
    let mut printed = 0;
    let mut ending = None;
    for recorded in engine.read(move |store| store.events(run, 0, usize::MAX)).await? {
        ending = print_event(&recorded, &mut printed);
    }
    // A run that will resume automatically is not over yet.
    while ending.as_ref().is_none_or(|ending| ending.resume_at.is_some()) {
        let update = tokio::select! {
            update = feed.next() => update?,
            _ = tokio::signal::ctrl_c() => {
                // The engine stops the agent, ends the run and publishes the end.
                engine.exit(started.session, ExitReason::UserStopped).await?;
                continue;
            }
        };
        match update {
            Update::Event(recorded) if recorded.run == run => {
                ending = print_event(&recorded, &mut printed);
            }
            Update::NotPersisted { run: unsaved, ending: why, .. } if unsaved == run => {
                ending = Some(Ending::clone(&why));
            }
            _ => {}
        }
    }
    engine.shut_down(Shutdown::StopAgents).await;
    let Some(ending) = ending else { return Ok(ExitCode::FAILURE) };
    println!("\n{}", card(&ending));
    Ok(ExitCode::from(ending.exit_code))
}

/// What happened, why, and what to do next.
fn card(ending: &Ending) -> String {
    let rehearsal = if ending.rehearsal { " (a rehearsal: nothing was changed)" } else { "" };
    let description =
        ending.description.as_deref().map(|words| format!("\n{words}")).unwrap_or_default();
    let hint = if ending.goal_met { String::new() } else { format!("\n{}", ending.hint()) };
    format!("{}{rehearsal}{description}{hint}", ending.message)
}

/// The run that was interrupted; with `--resume`, the last run; otherwise a new one.
async fn choose(engine: &Engine, arguments: &Arguments) -> Result<Started, Box<dyn Error>> {
    let last = RunFilter::default().limit(Some(1));
    let last = engine.read(move |store| store.runs(&last)).await?.into_iter().next();
    if let Some(last) = last {
        let waits = |ending: &Ending| ending.resume_at.is_some();
        if last.ending.as_ref().is_none_or(waits) {
            return Ok(Started { run: last.id, session: last.session, new_session: false });
        }
        if arguments.resume {
            return Ok(engine.resume(last.id, Resume::by(ResumedBy::User)).await?);
        }
    }
    let start = Start::new("implement-and-review", &arguments.directory);
    Ok(engine.start(start.task(arguments.task.clone())).await?)
}

/// Prints an event, unless it was already printed. Returns the ending if the event ends the run.
fn print_event(recorded: &EventRecord, printed: &mut u64) -> Option<Ending> {
    let over = match &recorded.event {
        Event::Ended { ending, .. } => Some(ending.clone()),
        _ => None,
    };
    if recorded.seq > *printed {
        *printed = recorded.seq;
        println!("{:>4}  {}", recorded.seq, line(&recorded.event));
    }
    over
}

fn line(event: &Event) -> String {
    match event {
        Event::Started { recipe, step, .. } => format!("started {recipe} at {step}"),
        Event::TurnBegan { step, purpose, .. } => match purpose {
            Purpose::Step => format!("asked the agent to {step}"),
            Purpose::Continue => format!("asked the agent to continue {step}"),
            Purpose::Remind { problem, .. }
            | Purpose::Evidence { problem, .. }
            | Purpose::Verify { problem, .. } => format!("asked again: {problem}"),
            Purpose::Deliver { .. } => "passed a queued prompt to the agent".to_owned(),
            other => format!("asked the agent: {other:?}"),
        },
        Event::Replied { read, took, .. } => match read {
            ReplyReading::Outcome { outcome, .. } => {
                format!("the agent reports {outcome} after {took:.1?}")
            }
            ReplyReading::Unread { problem, .. } => format!("the reply cannot be read: {problem}"),
            _ => "the agent answered".to_owned(),
        },
        Event::TreeSeen { tree, .. } => {
            format!("HEAD is {}", tree.head.as_deref().unwrap_or("not a commit yet"))
        }
        Event::RulesBroken { violations, .. } => {
            format!("{} forbidden changes", violations.len())
        }
        Event::WorktreeEnded { end } => format!("its worktree was {}", end.as_word()),
        Event::ToolsRefused { refused, .. } => {
            format!("the agent was refused {} tools", refused.len())
        }
        Event::CheckBegan { .. } => "looking for evidence".to_owned(),
        Event::Checked { results, .. } => {
            let names: Vec<_> = results
                .iter()
                .map(|result| {
                    format!("{} {}", result.name, if result.passed() { "passed" } else { "failed" })
                })
                .collect();
            names.join(", ")
        }
        Event::Retried { number, of, .. } => {
            format!("retry {number} of at most {of}")
        }
        Event::LimitReached { step, limit, .. } => format!("{step} reached its {limit}"),
        Event::Moved { from, to, number, .. } => format!("{from} leads to {to}, step {number}"),
        Event::PromptQueued { .. } => "queued a prompt".to_owned(),
        Event::Ended { ending, .. } => {
            let waits = if ending.resume_at.is_some() { ", resumes automatically" } else { "" };
            format!("ended: {} ({}){waits}", ending.reason, ending.category)
        }
        Event::Resumed { by, .. } => format!("resumed ({by})"),
        // A later version may have more events.
        other => format!("{other:?}"),
    }
}

/// The options on the command line.
struct Arguments {
    /// The data directory. Each agent has its own, because a run keeps its agent.
    data: PathBuf,
    directory: PathBuf,
    agent_path: Option<PathBuf>,
    /// The task; without it, the agent takes one from `bd`.
    task: Option<String>,
    script: Script,
    pace: Duration,
    resume: bool,
}

impl Arguments {
    fn parse() -> Result<Self, Box<dyn Error>> {
        let place = std::env::temp_dir().join("surefire-example");
        let mut arguments = Self {
            data: PathBuf::new(),
            directory: place.join("project"),
            agent_path: None,
            task: None,
            script: Script::OneFix,
            pace: Duration::from_millis(700),
            resume: false,
        };
        let mut words = std::env::args().skip(1);
        while let Some(name) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{name} needs a value"));
            match name.as_str() {
                "--data" => arguments.data = value()?.into(),
                "--directory" => arguments.directory = value()?.into(),
                "--agent-path" => arguments.agent_path = Some(value()?.into()),
                "--task" => arguments.task = Some(value()?),
                "--script" => arguments.script = value()?.parse()?,
                "--pace-ms" => arguments.pace = Duration::from_millis(value()?.parse()?),
                "--resume" => arguments.resume = true,
                _ => return Err(format!("unknown option {name}").into()),
            }
        }
        if arguments.data.as_os_str().is_empty() {
            arguments.data =
                place.join(if arguments.agent_path.is_some() { "data" } else { "rehearsal-data" });
        }
        Ok(arguments)
    }
}
