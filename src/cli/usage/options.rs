//! Options that several commands share.

use std::error::Error;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::builder::{NonEmptyStringValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use strum::VariantNames;

use crate::Tool;
use crate::agent::{PermissionMode, Script, TurnLimits};
use crate::engine::{OnEnd, Untrusted};

/// The headings below which help has them. Each option names its own: a heading of all would go on below them.
const AGENT: &str = "Agent";
const LIMITS: &str = "Limits";
const FILES: &str = "Files";
const END: &str = "End of a run";
const REPOSITORY: &str = "Repository";

/// Who does the work.
#[derive(Debug, Clone, Args)]
pub(in crate::cli) struct AgentOptions {
    /// Which agent does the work
    #[arg(help_heading = AGENT, long, value_enum, default_value = "auto")]
    pub(in crate::cli) agent: Choice,
    /// The agent's program, where it is not found by itself
    #[arg(help_heading = AGENT, long, value_name = "FILE")]
    pub(in crate::cli) agent_path: Option<PathBuf>,
    /// What the agent may do without asking [default: what the tools of each step need; acceptEdits where it lists none]
    #[arg(help_heading = AGENT, long, value_name = "MODE", value_parser = permission_mode())]
    pub(in crate::cli) permission_mode: Option<PermissionMode>,
    /// Allow the agent this in addition to what each step lists (repeatable): `edit`, `web`, or a command such as `cargo *`
    #[arg(help_heading = AGENT, long, value_name = "TOOL", value_parser = str::parse::<Tool>)]
    pub(in crate::cli) allow_tool: Vec<Tool>,
    /// Only pretend, by this script
    #[arg(help_heading = AGENT, long, value_name = "SCRIPT", value_parser = one_of::<Script>())]
    pub(in crate::cli) rehearse: Option<Script>,
    /// How long a rehearsal takes for a turn, in milliseconds
    #[arg(help_heading = AGENT, long, value_name = "MS", allow_negative_numbers = true)]
    pub(in crate::cli) pace_ms: Option<u64>,
}

/// The agents to choose from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Choice {
    /// Claude Code; where there is none, a server rehearses and says so
    Auto,
    /// Claude Code
    Claude,
    /// The built-in agent that only pretends
    Rehearsal,
}

/// Where things are kept.
#[derive(Debug, Clone, Args)]
pub(in crate::cli) struct DataOption {
    /// Where everything is kept; the platform's data directory unless told otherwise
    #[arg(help_heading = FILES, long, value_name = "FOLDER")]
    pub(in crate::cli) data: Option<PathBuf>,
}

/// What is told of runs that end.
#[derive(Debug, Clone, Args)]
pub(in crate::cli) struct OnEndOption {
    /// Run this command each time a run has ended, with its stop.json on standard input, for at most 60 s
    #[arg(help_heading = END, long, value_name = "COMMAND", value_parser = NonEmptyStringValueParser::new())]
    on_end: Option<String>,
}

impl OnEndOption {
    /// The command.
    pub(in crate::cli) fn command(&self) -> Option<OnEnd> {
        self.on_end.as_ref().map(OnEnd::new)
    }
}

/// Whether recipes that need a clean work tree begin in one that is not.
#[derive(Debug, Clone, Copy, Args)]
pub(in crate::cli) struct AllowDirtyOption {
    /// Begin recipes that need a clean work tree even if tracked files have uncommitted changes [default: refuse]
    #[arg(help_heading = REPOSITORY, long)]
    pub(in crate::cli) allow_dirty: bool,
}

/// What a run may do in a repository beyond what holds for every run, at its start and from a resume on.
#[derive(Debug, Clone, Copy, Args)]
pub(in crate::cli) struct PermitOptions {
    /// Let the run change lockfiles of package managers, such as Cargo.lock [default: end the run]
    #[arg(help_heading = REPOSITORY, long)]
    pub(in crate::cli) allow_deps: bool,
    /// Work even where another run works in the same git work tree [default: refuse]
    #[arg(help_heading = REPOSITORY, long)]
    pub(in crate::cli) force_parallel: bool,
}

/// Where a run works, and whether the repository is trusted.
#[derive(Debug, Clone, Copy, Args)]
pub(in crate::cli) struct RepositoryOptions {
    /// Work in a git worktree of its own, on a branch of its own; `surefire merge` or `surefire discard` ends it
    #[arg(help_heading = REPOSITORY, long)]
    pub(in crate::cli) isolate: bool,
    /// Trust the repository for this run alone, as HEAD has it, and store nothing: its commands, hooks and MCP servers run.
    /// For CI, not for strangers' pull requests
    #[arg(help_heading = REPOSITORY, long)]
    pub(in crate::cli) trust: bool,
    /// Choose what to do where the repository's own file has commands and is not trusted
    #[arg(help_heading = REPOSITORY, long, value_name = "WHAT", default_value = "refuse", conflicts_with = "trust")]
    pub(in crate::cli) untrusted: UntrustedChoice,
}

/// What to do where a repository's own file has commands and is not trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum UntrustedChoice {
    /// Refuse to start
    Refuse,
    /// Run without the commands; the end says that nothing was verified by them
    Skip,
}

impl From<UntrustedChoice> for Untrusted {
    fn from(choice: UntrustedChoice) -> Self {
        match choice {
            UntrustedChoice::Refuse => Self::Refuse,
            UntrustedChoice::Skip => Self::Skip,
        }
    }
}

/// What one run may use up.
#[derive(Debug, Clone, Args)]
pub(in crate::cli) struct LimitOptions {
    /// How long the agent may work in all, such as 90s or 2h
    #[arg(help_heading = LIMITS, long, value_name = "DURATION", value_parser = duration)]
    pub(in crate::cli) time: Option<Duration>,
    /// How many turns the agent may be given
    #[arg(help_heading = LIMITS, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    #[arg(allow_negative_numbers = true)]
    pub(in crate::cli) max_ticks: Option<u32>,
    /// How much money the agent may spend, in US dollars
    #[arg(help_heading = LIMITS, long, value_name = "USD", value_parser = amount, allow_negative_numbers = true)]
    pub(in crate::cli) budget_usd: Option<f64>,
}

/// How much patience there is with one turn of the agent.
#[derive(Debug, Clone, Args)]
pub(in crate::cli) struct PatienceOptions {
    /// Stop an agent that shows no sign of life for so long
    #[arg(help_heading = LIMITS, long, value_name = "DURATION", value_parser = duration, default_value = "15m")]
    pub(in crate::cli) silence: Duration,
    /// Stop an agent that takes longer than this for one turn
    #[arg(help_heading = LIMITS, long, value_name = "DURATION", value_parser = duration, default_value = "2h")]
    pub(in crate::cli) turn_time: Duration,
}

impl PatienceOptions {
    /// The limits of one turn.
    pub(in crate::cli) fn limits(&self) -> TurnLimits {
        TurnLimits { silence: self.silence, duration: self.turn_time, ..TurnLimits::default() }
    }
}

fn permission_mode() -> impl TypedValueParser<Value = PermissionMode> {
    let names = PermissionMode::VARIANTS.iter().map(|&name| {
        let value = PossibleValue::new(name);
        // The agent's program has two names for this one.
        if name == <&str>::from(PermissionMode::Manual) { value.alias("default") } else { value }
    });
    PossibleValuesParser::new(names).try_map(|name| name.parse::<PermissionMode>())
}

/// The names of an enum, so that help lists them and a wrong one is told which was meant.
fn one_of<T>() -> impl TypedValueParser<Value = T>
where
    T: VariantNames + FromStr<Err: Error + Send + Sync + 'static> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(T::VARIANTS).try_map(|name| name.parse::<T>())
}

/// A duration in words, longer than none.
pub(in crate::cli) fn duration(text: &str) -> Result<Duration, String> {
    let duration = humantime::parse_duration(text).map_err(|error| error.to_string())?;
    if duration.is_zero() { Err("it has to be longer than nothing".to_owned()) } else { Ok(duration) }
}

/// An amount of money above 0.
fn amount(text: &str) -> Result<f64, String> {
    let amount: f64 = text.trim_start_matches('$').parse().map_err(|_| "it is no number".to_owned())?;
    if amount.is_finite() && amount > 0.0 {
        Ok(amount)
    } else {
        Err("it has to be more than nothing".to_owned())
    }
}
