//! Runs implement-and-review from start to end, prints what happens, and survives being killed.
//!
//! ```sh
//! cargo run --example implement_and_review
//! ```
//!
//! Kill it with `kill -9` at any moment and start it again: it goes on where it was. Without options it rehearses,
//! slowly enough to be killed, and nothing is changed; `--agent-path` gives the work to a real agent.

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use strum::VariantNames;
use surefire::ExitReason;
use surefire::agent::{Agent, Claude, Rehearsal, Script};
use surefire::engine::{Engine, Notice, Options, Shutdown, Start, Started};
use surefire::recipes::BUNDLED;
use surefire::run::{Ending, Event, Purpose, Read, Resume, ResumedBy};
use surefire::store::{Recorded, RunFilter, Sqlite, Store};

#[tokio::main]
async fn main() -> ExitCode {
    run().await.unwrap_or_else(|error| {
        eprintln!("{error}");
        ExitCode::FAILURE
    })
}

async fn run() -> Result<ExitCode, Box<dyn Error>> {
    let mut wish = Wish::from_arguments()?;
    std::fs::create_dir_all(&wish.directory)?;
    wish.directory = wish.directory.canonicalize()?;
    let opened = Sqlite::open(&wish.data)?;
    if let Some(aside) = opened.set_aside {
        eprintln!("The store was damaged ({}). It is now {}.", aside.why, aside.path.display());
    }
    let agent: Arc<dyn Agent> = match &wish.agent_path {
        Some(path) => Arc::new(Claude::find(Some(path))?),
        None => Arc::new(Rehearsal::new(wish.script).pace(wish.pace)),
    };
    let store: Arc<dyn Store> = Arc::new(opened.store);
    let mut options = Options::new(BUNDLED, agent, store, &wish.data);
    options.roots = vec![wish.directory.clone()];
    let engine = Engine::open(options).await?;
    let mut feed = engine.listen();

    let started = choose(&engine, &wish).await?;
    let run = started.run;
    println!("run {run}, kept in {}", wish.data.display());
    let mut told = 0;
    let mut ending = None;
    for recorded in engine.read(move |store| store.events(run, 0, usize::MAX)).await? {
        ending = tell(&recorded, &mut told);
    }
    // A run that waits to go on by itself is not over yet.
    while ending.as_ref().is_none_or(|ending| ending.resume_at.is_some()) {
        let notice = tokio::select! {
            notice = feed.next() => notice?,
            _ = tokio::signal::ctrl_c() => {
                // It ends, its agent is stopped, and the feed says so.
                engine.exit(started.session, ExitReason::UserStopped).await?;
                continue;
            }
        };
        match notice {
            Notice::Happened(recorded) if recorded.run == run => ending = tell(&recorded, &mut told),
            Notice::Unsaved { run: unsaved, ending: why, .. } if unsaved == run => {
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
    let description = ending.description.as_deref().map(|words| format!("\n{words}")).unwrap_or_default();
    let hint = if ending.goal_met { String::new() } else { format!("\n{}", ending.hint()) };
    format!("{}{rehearsal}{description}{hint}", ending.message)
}

/// The run that was going on, the last one if it is to be resumed, or a new one.
async fn choose(engine: &Engine, wish: &Wish) -> Result<Started, Box<dyn Error>> {
    let last = RunFilter { limit: Some(1), ..RunFilter::default() };
    let last = engine.read(move |store| store.runs(&last)).await?.into_iter().next();
    if let Some(last) = last {
        let waits = |ending: &Ending| ending.resume_at.is_some();
        if last.ending.as_ref().is_none_or(waits) {
            return Ok(Started { run: last.id, session: last.session, new_session: false });
        }
        if wish.resume {
            return Ok(engine.resume(last.id, Resume::by(ResumedBy::User)).await?);
        }
    }
    Ok(engine.start(Start::new("implement-and-review", &wish.directory)).await?)
}

/// Prints an event, unless it was printed already, and says whether the run is over with it.
fn tell(recorded: &Recorded, told: &mut u64) -> Option<Ending> {
    let over = match &recorded.event {
        Event::Ended { ending, .. } => Some(ending.clone()),
        _ => None,
    };
    if recorded.seq > *told {
        *told = recorded.seq;
        println!("{:>4}  {}", recorded.seq, line(&recorded.event));
    }
    over
}

fn line(event: &Event) -> String {
    match event {
        Event::Started { recipe, step, .. } => format!("started {recipe} at {step}"),
        Event::TurnBegan { step, purpose, .. } => match purpose {
            Purpose::Step => format!("asked the agent to {step}"),
            Purpose::Continue => format!("asked the agent to go on with {step}"),
            Purpose::Remind { problem, .. }
            | Purpose::Evidence { problem, .. }
            | Purpose::Verify { problem, .. } => format!("asked again: {problem}"),
            Purpose::Pass { .. } => "passed on what somebody said".to_owned(),
        },
        Event::Replied { read, took, .. } => match read {
            Read::Outcome { outcome, .. } => format!("the agent reports {outcome} after {took:.1?}"),
            Read::Unread { problem, .. } => format!("the reply cannot be read: {problem}"),
            Read::NotAsked => "the agent answered".to_owned(),
        },
        Event::TreeSeen { tree, .. } => {
            format!("HEAD is {}", tree.head.as_deref().unwrap_or("without a commit"))
        }
        Event::RulesBroken { violations, .. } => format!("{} files may not be changed", violations.len()),
        Event::WorktreeEnded { end } => format!("its worktree was {}", end.in_a_word()),
        Event::ToolsRefused { refused, .. } => format!("the agent was refused {} tools", refused.len()),
        Event::CheckBegan { .. } => "looking for evidence".to_owned(),
        Event::Checked { results, .. } => {
            let names: Vec<_> = results
                .iter()
                .map(|result| {
                    format!("{} {}", result.name, if result.passed() { "is good" } else { "is not good" })
                })
                .collect();
            names.join(", ")
        }
        Event::Reasked { number, of, .. } => format!("asking again, {number} of at most {of} times"),
        Event::Moved { from, to, number, .. } => format!("{from} leads to {to}, step {number}"),
        Event::PromptQueued { .. } => "somebody said something".to_owned(),
        Event::Ended { ending, .. } => {
            let waits = if ending.resume_at.is_some() { ", goes on by itself later" } else { "" };
            format!("ended: {} ({}){waits}", ending.reason, ending.category)
        }
        Event::Resumed { by, .. } => format!("goes on ({by})"),
    }
}

/// What was asked for on the command line.
struct Wish {
    /// Where everything is kept; one place for each agent, since a run stays with its own.
    data: PathBuf,
    directory: PathBuf,
    agent_path: Option<PathBuf>,
    script: Script,
    pace: Duration,
    resume: bool,
}

impl Wish {
    fn from_arguments() -> Result<Self, Box<dyn Error>> {
        let place = std::env::temp_dir().join("surefire-example");
        let mut wish = Self {
            data: PathBuf::new(),
            directory: place.join("project"),
            agent_path: None,
            script: Script::OneFix,
            pace: Duration::from_millis(700),
            resume: false,
        };
        let mut arguments = std::env::args().skip(1);
        while let Some(name) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("{name} needs a value"));
            match name.as_str() {
                "--data" => wish.data = value()?.into(),
                "--directory" => wish.directory = value()?.into(),
                "--agent-path" => wish.agent_path = Some(value()?.into()),
                "--script" => {
                    let (script, known) = (value()?, Script::VARIANTS.join(", "));
                    wish.script = script
                        .parse()
                        .map_err(|_| format!("unknown script `{script}`; use one of {known}"))?;
                }
                "--pace-ms" => wish.pace = Duration::from_millis(value()?.parse()?),
                "--resume" => wish.resume = true,
                _ => return Err(format!("unknown option {name}").into()),
            }
        }
        if wish.data.as_os_str().is_empty() {
            wish.data = place.join(if wish.agent_path.is_some() { "data" } else { "rehearsal-data" });
        }
        Ok(wish)
    }
}
