//! Options that several commands share.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{
    NonEmptyStringValueParser, PossibleValue, PossibleValuesParser, TypedValueParser,
};
use clap::{Args, ValueEnum};
use strum::VariantNames;

use super::rehearse::{Rehearse, RehearseParser};
use crate::Tool;
use crate::agent::{PermissionMode, Rehearsal, TurnLimits};
use crate::engine::{OnEnd, Untrusted};

/// The headings of the help. Each option names its own: a heading of the whole struct would also
/// apply to the options after it.
const AGENT: &str = "Agent";
const LIMITS: &str = "Limits";
const FILES: &str = "Files";
const END: &str = "End of a run";
const REPOSITORY: &str = "Repository";

/// The agent.
#[derive(Debug, Clone, Args)]
pub(in crate::cli) struct AgentOptions {
    /// Agent that does the work
    #[arg(help_heading = AGENT, long, value_enum, default_value = "auto")]
    pub(in crate::cli) agent: Choice,
    /// Path of the agent's program [default: searched in PATH]
    #[arg(help_heading = AGENT, long, value_name = "FILE")]
    pub(in crate::cli) agent_path: Option<PathBuf>,
    /// Permission mode of the agent [default: what the tools of each step need, or acceptEdits if a
    /// step lists none]
    #[arg(help_heading = AGENT, long, value_name = "MODE", value_parser = permission_mode())]
    pub(in crate::cli) permission_mode: Option<PermissionMode>,
    /// Allow a tool in addition to those that each step lists (repeatable): `edit`, `web`, or a
    /// command such as `cargo *`
    #[arg(help_heading = AGENT, long, value_name = "TOOL", value_parser = str::parse::<Tool>)]
    pub(in crate::cli) allow_tool: Vec<Tool>,
    /// Rehearse: the built-in agent replies, and nothing is changed. For `run`, SCRIPT may also be
    /// a list of outcomes, such as "complete, no-issues, committed" [default of a rehearsal: happy]
    #[arg(help_heading = AGENT, long, value_name = "SCRIPT", value_parser = RehearseParser)]
    pub(in crate::cli) rehearse: Option<Rehearse>,
    /// The rehearsal of a list of outcomes, once it is checked against its recipe.
    #[arg(skip)]
    pub(in crate::cli) checked: Option<Rehearsal>,
    /// Duration of a turn in a rehearsal, in milliseconds [default: 1500]
    #[arg(help_heading = AGENT, long, value_name = "MS", allow_negative_numbers = true)]
    pub(in crate::cli) pace_ms: Option<u64>,
}

/// The agents to choose from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Choice {
    /// Claude Code; a server without it rehearses, and says so
    Auto,
    /// Claude Code
    Claude,
    /// The built-in rehearsal agent, which changes nothing
    Rehearsal,
}

/// The data directory.
#[derive(Debug, Clone, Args)]
pub(in crate::cli) struct DataOption {
    /// Data directory [default: the platform's data directory]
    #[arg(help_heading = FILES, long, value_name = "FOLDER")]
    pub(in crate::cli) data: Option<PathBuf>,
}

/// The command that runs at the end of each run.
#[derive(Debug, Clone, Args)]
pub(in crate::cli) struct OnEndOption {
    /// Run this command when a run ends, with its stop.json on standard input, for at most 60 s
    #[arg(help_heading = END, long, value_name = "COMMAND", value_parser = NonEmptyStringValueParser::new())]
    on_end: Option<String>,
}

impl OnEndOption {
    /// The command.
    pub(in crate::cli) fn command(&self) -> Option<OnEnd> {
        self.on_end.as_ref().map(OnEnd::new)
    }
}

/// Whether recipes that need a clean work tree start in a dirty one.
#[derive(Debug, Clone, Copy, Args)]
pub(in crate::cli) struct AllowDirtyOption {
    /// Start recipes that need a clean work tree even if tracked files have uncommitted changes
    /// [default: refuse]
    #[arg(help_heading = REPOSITORY, long)]
    pub(in crate::cli) allow_dirty: bool,
}

/// Exceptions that a run gets in a repository, at its start or when it is resumed.
#[derive(Debug, Clone, Copy, Args)]
pub(in crate::cli) struct PermitOptions {
    /// Allow changes to lockfiles of package managers, such as Cargo.lock [default: end the run]
    #[arg(help_heading = REPOSITORY, long)]
    pub(in crate::cli) allow_deps: bool,
    /// Start even if another run works in the same git work tree [default: refuse]
    #[arg(help_heading = REPOSITORY, long)]
    pub(in crate::cli) force_parallel: bool,
}

/// Where a run works, and whether the repository is trusted.
#[derive(Debug, Clone, Copy, Args)]
pub(in crate::cli) struct RepositoryOptions {
    /// Work in a separate git worktree, on a separate branch, until `surefire merge` or
    /// `surefire discard`
    #[arg(help_heading = REPOSITORY, long)]
    pub(in crate::cli) isolate: bool,
    /// Trust the repository at HEAD for this run only: its commands, hooks and MCP servers run. For
    /// CI; never for pull requests from outside
    #[arg(help_heading = REPOSITORY, long)]
    pub(in crate::cli) trust: bool,
    /// Action if the repository brings its own commands and is not trusted
    #[arg(help_heading = REPOSITORY, long, value_name = "WHAT", default_value = "refuse", conflicts_with = "trust")]
    pub(in crate::cli) untrusted: UntrustedChoice,
}

/// What to do if a repository's `surefire.toml` has commands and the repository is not trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum UntrustedChoice {
    /// Refuse to start
    Refuse,
    /// Run without the commands; the report says that they verified nothing
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

/// The limits of one run.
#[derive(Debug, Clone, Args)]
pub(in crate::cli) struct LimitOptions {
    /// Stop the run after this much working time of the agent, such as 90s or 2h [default: none; a
    /// resumed run keeps its limit]
    #[arg(help_heading = LIMITS, long, value_name = "DURATION", value_parser = duration)]
    pub(in crate::cli) time: Option<Duration>,
    /// Stop the run after this many turns of the agent [default: none; a resumed run keeps its
    /// limit]
    #[arg(help_heading = LIMITS, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    #[arg(allow_negative_numbers = true)]
    pub(in crate::cli) max_ticks: Option<u32>,
    /// Stop the run once the agent has spent this much, in US dollars [default: none; a resumed run
    /// keeps its limit]
    #[arg(help_heading = LIMITS, long, value_name = "USD", value_parser = amount, allow_negative_numbers = true)]
    pub(in crate::cli) budget_usd: Option<f64>,
}

/// The limits of one turn of the agent.
#[derive(Debug, Clone, Args)]
pub(in crate::cli) struct TurnLimitOptions {
    /// Stop the agent after this long without output
    #[arg(help_heading = LIMITS, long, value_name = "DURATION", value_parser = duration, default_value = "15m")]
    pub(in crate::cli) silence: Duration,
    /// Stop the agent if one turn takes longer than this
    #[arg(help_heading = LIMITS, long, value_name = "DURATION", value_parser = duration, default_value = "2h")]
    pub(in crate::cli) turn_time: Duration,
}

impl TurnLimitOptions {
    /// The limits of one turn.
    pub(in crate::cli) fn limits(&self) -> TurnLimits {
        TurnLimits { silence: self.silence, duration: self.turn_time, ..TurnLimits::default() }
    }
}

fn permission_mode() -> impl TypedValueParser<Value = PermissionMode> {
    let names = PermissionMode::VARIANTS.iter().map(|&name| {
        let value = PossibleValue::new(name);
        // Claude Code has two names for this mode.
        if name == <&str>::from(PermissionMode::Manual) { value.alias("default") } else { value }
    });
    PossibleValuesParser::new(names).try_map(|name| name.parse::<PermissionMode>())
}

/// A duration longer than zero, such as `90s`.
pub(in crate::cli) fn duration(text: &str) -> Result<Duration, String> {
    let duration = humantime::parse_duration(text).map_err(|error| error.to_string())?;
    if duration.is_zero() {
        Err("expected a duration longer than zero".to_owned())
    } else {
        Ok(duration)
    }
}

/// An amount of money above 0.
fn amount(text: &str) -> Result<f64, String> {
    let amount: f64 =
        text.trim_start_matches('$').parse().map_err(|_| "expected a number".to_owned())?;
    if amount.is_finite() && amount > 0.0 {
        Ok(amount)
    } else {
        Err("expected more than 0".to_owned())
    }
}
