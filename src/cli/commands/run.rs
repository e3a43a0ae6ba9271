//! `surefire run`: one run, here, in the foreground.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;

use super::show;
use crate::cli::connection::{Door, House, Wish};
use crate::cli::context::Context;
use crate::cli::follow::Follower;
use crate::cli::render::summary::card;
use crate::cli::render::view::View;
use crate::cli::settings::Rank;
use crate::cli::settings::data;
use crate::cli::settings::paths::Places;
use crate::cli::signals::stoppable;
use crate::cli::usage::complaint::Complaint;
use crate::cli::usage::options::{
    AgentOptions, AllowDirtyOption, Choice, LimitOptions, OnEndOption, PatienceOptions, PermitOptions,
    RepositoryOptions,
};
use crate::cli::usage::program::program_name;
use crate::cli::wait::wait;
use crate::run::{Limits, Permits, RunId, SessionId};
use crate::view::CommandContext;
use crate::{ExitReason, Registry};

const EXAMPLES: &str = "\
Examples:
  surefire run implement-and-review --prompt \"the login page\"
                             what it is about
  surefire run implement-and-review --rehearse one-fix
                             only pretend
  surefire run review-and-commit --time 30m --json
                             for scripts: the exit status says how it ended";

/// What only counts where the work is done by this very process.
const OURS_ALONE: [&str; 8] =
    ["agent-path", "permission-mode", "rehearse", "pace-ms", "root", "silence", "turn-time", "on-end"];

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct Run {
    /// The recipe; `surefire recipes` lists them
    #[arg(value_name = "RECIPE")]
    recipe: String,
    /// Where the agent works; here unless told otherwise
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
    /// What it is about; the agent reads it with the first step
    #[arg(long, value_name = "TEXT")]
    prompt: Option<String>,
    /// The model to use, whatever the recipe says
    #[arg(long, value_name = "MODEL", value_parser = NonEmptyStringValueParser::new())]
    model: Option<String>,
    /// The conversation to go on in; a new one unless told otherwise
    #[arg(long, value_name = "UUID")]
    session: Option<SessionId>,
    /// Go on by itself after a reason where that helps, such as a usage limit
    #[arg(long)]
    auto_resume: bool,
    /// Print the protocol's messages, one a line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    repository: RepositoryOptions,
    #[command(flatten)]
    dirty: AllowDirtyOption,
    #[command(flatten)]
    permits: PermitOptions,
    #[command(flatten)]
    limits: LimitOptions,
    #[command(flatten)]
    ours: Ours,
}

impl Run {
    pub(in crate::cli) fn run(self, context: &Context) -> Result<ExitCode, Complaint> {
        show::find(context.catalog, &self.recipe)?;
        let directory = directory(self.dir.as_deref())?;
        let ours = Ours { agent: self.ours.agent.settled(context)?, ..self.ours };
        let wish = Wish {
            recipe: self.recipe,
            session: self.session,
            agent: Some(ours.agent.name()),
            about: self.prompt.filter(|about| !about.trim().is_empty()),
            model: self.model,
            allow_tools: ours.agent.allow_tool.clone(),
            permits: Permits {
                allow_dirty: self.dirty.allow_dirty,
                allow_deps: self.permits.allow_deps,
                force_parallel: self.permits.force_parallel,
            },
            trust: self.repository.trust,
            untrusted: self.repository.untrusted.into(),
            isolate: self.repository.isolate,
            limits: Limits {
                time: self.limits.time,
                max_ticks: self.limits.max_ticks,
                budget_usd: self.limits.budget_usd,
                auto_resumes: if self.auto_resume { Limits::default().auto_resumes } else { 0 },
                ..Limits::default()
            },
            directory: directory.clone(),
        };
        let door = ours.door(context, &directory)?;
        let chosen = chosen_here(context);
        wait(stoppable(async |mut stop| {
            let house = tokio::select! {
                house = House::enter(&door, &[]) => house?,
                status = stop.wished() => return Ok(ExitCode::from(status)),
            };
            let view = View::new(context.console, self.json);
            let mut follower = Follower::new(context, &door, house, view, stop);
            follower.come_in(&chosen)?;
            let run = follower.start(&wish).await?;
            finish(follower, run, 0).await
        }))
    }
}

/// Follows a run to its end, and shows the card. What happened up to the event `known` is not told again.
pub(in crate::cli) async fn finish(
    mut follower: Follower<'_>,
    run: RunId,
    known: u64,
) -> Result<ExitCode, Complaint> {
    let end = follower.follow(run, known).await;
    let (context, door, json) = (follower.context, follower.door, follower.view.is_json());
    if let Ok((timeline, _)) = &end {
        follower.hand_off(timeline.facts().session).await;
    }
    follower.leave().await;
    let (timeline, ending) = end?;
    if let Some(end) = timeline.view().end.as_ref().filter(|_| !json) {
        let current = std::env::current_dir().ok();
        let commands = CommandContext {
            program: &program_name(),
            data: data::named(context, &door.data),
            directory: current.as_deref(),
        };
        context.console.say(format!("\n{}", card(&timeline, end, commands)));
    }
    Ok(ExitCode::from(ending.exit_code))
}

/// Where everything is kept, and what is chosen for the case that the work is done by this very process.
#[derive(Debug, Args)]
pub(in crate::cli) struct Ours {
    #[command(flatten)]
    patience: PatienceOptions,
    #[command(flatten)]
    pub(in crate::cli) agent: AgentOptions,
    #[command(flatten)]
    on_end: OnEndOption,
    #[command(flatten)]
    pub(in crate::cli) places: Places,
    /// A directory that agents may work in, and below (repeatable); your home, and where this run works, unless told otherwise
    #[arg(long, value_name = "FOLDER", help_heading = "Files")]
    root: Vec<PathBuf>,
}

impl Ours {
    /// The way in to the data directory, for an agent that works in this directory.
    pub(in crate::cli) fn door(self, context: &Context, directory: &Path) -> Result<Door, Complaint> {
        let (data, key_file) = (self.places.data()?, self.places.key_file()?);
        let mut roots = self.root;
        let roots_are_named = !roots.is_empty();
        if !roots_are_named {
            // Whoever is here has said by that where to work.
            roots = std::env::home_dir().into_iter().chain([directory.to_owned()]).collect();
        }
        let agent = self.agent.choose(false).map(|chosen| chosen.agent).map_err(|failure| {
            Complaint::about("there is no agent to do the work", &failure)
                .fix("install Claude Code, say where it is with --agent-path, or only pretend with --rehearse happy")
                .status(ExitReason::Error.definition().exit_code)
        });
        let (turn, on_end) = (self.patience.limits(), self.on_end.command());
        Ok(Door { catalog: context.catalog, agent, turn, key_file, data, on_end, roots, roots_are_named })
    }
}

/// Where the agent works.
fn directory(asked: Option<&Path>) -> Result<PathBuf, Complaint> {
    let asked = asked.unwrap_or(Path::new("."));
    let wrong = |why: String| {
        let what = format!("the agent cannot work in `{}`", asked.display());
        Complaint::usage(what, why, "name a directory that is there with --dir")
    };
    let directory = asked.canonicalize().map_err(|error| wrong(error.to_string()))?;
    if directory.is_dir() { Ok(directory) } else { Err(wrong("it is no directory".to_owned())) }
}

/// The options about our own agent that stand on the command line.
pub(in crate::cli) fn chosen_here(context: &Context) -> Vec<String> {
    let given = |long: &&str| context.rank(long) == Rank::CommandLine;
    OURS_ALONE.into_iter().filter(given).map(|long| format!("--{long}")).collect()
}

impl AgentOptions {
    /// The agent's own name. Here nobody steps in for an agent that is not there.
    fn name(&self) -> &'static str {
        match self.choice() {
            Choice::Auto | Choice::Claude => "claude",
            Choice::Rehearsal => "rehearsal",
        }
    }
}
