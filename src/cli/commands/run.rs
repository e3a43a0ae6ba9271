//! `surefire run`: runs a recipe in the foreground.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;

use super::show;
use crate::cli::connection::{Connection, ConnectionConfig, StartRequest};
use crate::cli::context::Context;
use crate::cli::follow::Follower;
use crate::cli::render::summary::card;
use crate::cli::render::view::View;
use crate::cli::settings::Rank;
use crate::cli::settings::data;
use crate::cli::settings::paths::Paths;
use crate::cli::signals::stoppable;
use crate::cli::usage::cli_error::CliError;
use crate::cli::usage::options::{
    AgentOptions, AllowDirtyOption, Choice, LimitOptions, OnEndOption, PermitOptions,
    RepositoryOptions, TurnLimitOptions,
};
use crate::cli::usage::program::program_name;
use crate::cli::wait::wait;
use crate::run::{Limits, Permits, RunId, SessionId};
use crate::view::CommandContext;
use crate::{ExitReason, Registry};

const EXAMPLES: &str = "\
Examples:
  surefire run implement-and-review \"fix the rounding in cart.rs\"
                             do this task
  surefire run implement-and-review --rehearse one-fix
                             rehearse it, without an agent
  surefire run implement-and-review --rehearse \"complete, no-issues, committed\"
                             rehearse with these outcomes
  surefire run review-and-commit --time 30m --json
                             for scripts: the exit status is the reason's";

/// Options that apply only if this process runs the agent itself.
const LOCAL_ONLY: [&str; 8] = [
    "agent-path",
    "permission-mode",
    "rehearse",
    "pace-ms",
    "root",
    "silence",
    "turn-time",
    "on-end",
];

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct Run {
    /// Recipe to run; `surefire recipes` lists them
    #[arg(value_name = "RECIPE")]
    recipe: String,
    /// Task for the agent, given with the first step
    #[arg(value_name = "TASK")]
    task: Option<String>,
    /// Directory in which the agent works [default: .]
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
    /// Task, as an option instead of TASK
    #[arg(long, value_name = "TEXT", conflicts_with = "task")]
    prompt: Option<String>,
    /// Model to use [default: the recipe's]
    #[arg(long, value_name = "MODEL", value_parser = NonEmptyStringValueParser::new())]
    model: Option<String>,
    /// Session to continue [default: a new one]
    #[arg(long, value_name = "UUID")]
    session: Option<SessionId>,
    /// Resume automatically if the run stopped for a temporary reason, such as a usage limit
    #[arg(long)]
    auto_resume: bool,
    /// Print the protocol's messages, one JSON object per line
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
    local: LocalOptions,
}

impl Run {
    pub(in crate::cli) fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        let recipe = show::find(context.catalog, &self.recipe)?;
        let directory = directory(self.dir.as_deref())?;
        let agent = self.local.agent.resolved(context)?.check_list(Some(recipe))?;
        let local = LocalOptions { agent, ..self.local };
        let request = StartRequest {
            recipe: self.recipe,
            session: self.session,
            agent: Some(local.agent.name()),
            task: self.task.or(self.prompt).filter(|task| !task.trim().is_empty()),
            model: self.model,
            allow_tools: local.agent.allow_tool.clone(),
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
        let config = local.config(context, &directory)?;
        let rehearses = context.rank("rehearse") == Rank::CommandLine;
        // A session that is named is in the data directory, and only its holder can continue it.
        let config =
            if rehearses && request.session.is_none() { config.for_rehearsal() } else { config };
        let chosen = chosen_here(context);
        wait(stoppable(async |mut stop| {
            let connection = tokio::select! {
                connection = Connection::enter(&config, &[]) => connection?,
                status = stop.requested() => return Ok(ExitCode::from(status)),
            };
            let view = View::new(context.console, self.json);
            let mut follower = Follower::new(context, &config, connection, view, stop);
            follower.announce_connection(&chosen)?;
            let run = follower.start(&request).await?;
            finish(follower, run, 0).await
        }))
    }
}

/// Follows a run to its end and prints the end card. Events up to `known` are not printed again.
pub(in crate::cli) async fn finish(
    mut follower: Follower<'_>,
    run: RunId,
    known: u64,
) -> Result<ExitCode, CliError> {
    let end = follower.follow(run, known).await;
    let (context, config, json) = (follower.context, follower.config, follower.view.is_json());
    if let Ok((timeline, _)) = &end {
        follower.hand_off(timeline.facts().session).await;
    }
    follower.leave().await;
    let (timeline, ending) = end?;
    if let Some(end) = timeline.view().end.as_ref().filter(|_| !json) {
        let current = std::env::current_dir().ok();
        let commands = CommandContext {
            program: &program_name(),
            data: if config.beside_server {
                Some(&config.data)
            } else {
                data::named(context, &config.data)
            },
            directory: current.as_deref(),
        };
        context.console.say(format!("\n{}", card(&timeline, end, commands)));
    }
    Ok(ExitCode::from(ending.exit_code))
}

/// The paths, and the options that apply only if this process runs the agent.
#[derive(Debug, Args)]
pub(in crate::cli) struct LocalOptions {
    #[command(flatten)]
    turn_limits: TurnLimitOptions,
    #[command(flatten)]
    pub(in crate::cli) agent: AgentOptions,
    #[command(flatten)]
    on_end: OnEndOption,
    #[command(flatten)]
    pub(in crate::cli) paths: Paths,
    /// Directory that agents may work in, including everything below it (repeatable) [default: your
    /// home, and the directory of this run]
    #[arg(long, value_name = "FOLDER", help_heading = "Files")]
    root: Vec<PathBuf>,
}

impl LocalOptions {
    /// The configuration of a connection, for an agent that works in this directory.
    pub(in crate::cli) fn config(
        self,
        context: &Context,
        directory: &Path,
    ) -> Result<ConnectionConfig, CliError> {
        let (data, key_file) = (self.paths.data()?, self.paths.key_file()?);
        let mut roots = self.root;
        let roots_are_named = !roots.is_empty();
        if !roots_are_named {
            // Starting a run in a directory permits it to work there.
            roots = std::env::home_dir().into_iter().chain([directory.to_owned()]).collect();
        }
        let agent = self.agent.choose(false).map(|chosen| chosen.agent).map_err(|failure| {
            CliError::about("there is no agent to do the work", &failure)
                .fix(
                    "install Claude Code, give its path with --agent-path, or rehearse with \
                     --rehearse happy",
                )
                .status(ExitReason::Error.definition().exit_code)
        });
        let (turn, on_end) = (self.turn_limits.limits(), self.on_end.command());
        Ok(ConnectionConfig {
            catalog: context.catalog,
            agent,
            prompts: context.prompts().files(),
            turn,
            key_file,
            data,
            on_end,
            roots,
            roots_are_named,
            beside_server: false,
        })
    }
}

/// The directory in which the agent works.
fn directory(asked: Option<&Path>) -> Result<PathBuf, CliError> {
    let asked = asked.unwrap_or(Path::new("."));
    let wrong = |why: String| {
        let what = format!("the agent cannot work in `{}`", asked.display());
        CliError::usage(what, why, "choose an existing directory with --dir")
    };
    let directory = asked.canonicalize().map_err(|error| wrong(error.to_string()))?;
    if directory.is_dir() { Ok(directory) } else { Err(wrong("it is not a directory".to_owned())) }
}

/// The options on the command line that apply only to this process's agent.
pub(in crate::cli) fn chosen_here(context: &Context) -> Vec<String> {
    let given = |long: &&str| context.rank(long) == Rank::CommandLine;
    LOCAL_ONLY.into_iter().filter(given).map(|long| format!("--{long}")).collect()
}

impl AgentOptions {
    /// The agent's name. The rehearsal does not replace a missing agent here.
    fn name(&self) -> &'static str {
        match self.choice() {
            Choice::Auto | Choice::Claude => "claude",
            Choice::Rehearsal => "rehearsal",
        }
    }
}
