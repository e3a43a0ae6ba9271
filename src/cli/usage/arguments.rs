//! What can be asked for.

use std::path::PathBuf;

use clap::{ArgAction, Args, ColorChoice, Parser, Subcommand, ValueEnum};

use crate::cli::commands::{
    completions, discard, key, merge, prune, read, reasons, recipes, resume, run, runs, serve, show, trust,
    untrust, why,
};
use crate::cli::doctor;

/// Examples that stand below the help of the command itself.
const EXAMPLES: &str = "\
Examples:
  surefire                    serve the app and the console
  surefire run implement-and-review --rehearse happy
                              see a run, with an agent that only pretends
  surefire run implement-and-review --prompt \"the login page\"
                              do it for real, here
  surefire why                why did the last run stop?";

#[derive(Debug, Parser)]
#[command(name = "surefire", version, about = "Runs recipes with a coding agent, and says why they stop")]
#[command(after_help = EXAMPLES, max_term_width = 80)]
pub(in crate::cli) struct Arguments {
    #[command(subcommand)]
    pub(in crate::cli) command: Option<Command>,
    #[command(flatten)]
    pub(in crate::cli) serve: serve::Serve,
    #[command(flatten)]
    pub(in crate::cli) everywhere: Everywhere,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum Command {
    /// Serve the iOS app and the web console; as without a command
    Serve(serve::Serve),
    /// List the recipes on offer
    Recipes(recipes::Recipes),
    /// Show one recipe: its steps, outcomes and limits
    Show(show::Show),
    /// Run a recipe here, in the foreground
    Run(run::Run),
    /// List past and present runs
    Runs(runs::Runs),
    /// Delete old runs and sessions
    Prune(prune::Prune),
    /// Say why a run stopped, and what to do next
    Why(why::Why),
    /// Go on with a run where it stopped
    Resume(resume::Resume),
    /// Merge what a run did in a worktree of its own
    Merge(merge::Merge),
    /// Throw away what a run did in a worktree of its own
    Discard(discard::Discard),
    /// Trust a repository: let its own commands, hooks and MCP servers run
    Trust(trust::Trust),
    /// Trust a repository no longer
    Untrust(untrust::Untrust),
    /// List every way for a run to end
    Reasons(reasons::Reasons),
    /// Read a reply from standard input, as a run would
    Read(read::Read),
    /// Show the key that clients have to know
    Key(key::Key),
    /// Check whether everything that is needed is there
    Doctor(doctor::Doctor),
    /// Print a script that completes commands in your shell
    Completions(completions::Completions),
}

impl Command {
    /// Whether it depends on what the operator has settled in the environment and the configuration file.
    pub(in crate::cli) const fn is_settled_elsewhere(&self) -> bool {
        match self {
            Self::Serve(_)
            | Self::Run(_)
            | Self::Runs(_)
            | Self::Prune(_)
            | Self::Why(_)
            | Self::Resume(_)
            | Self::Merge(_)
            | Self::Discard(_)
            | Self::Trust(_)
            | Self::Untrust(_)
            | Self::Key(_) => true,
            // The doctor tells of what is wrong with them instead.
            Self::Recipes(_)
            | Self::Show(_)
            | Self::Reasons(_)
            | Self::Read(_)
            | Self::Completions(_)
            | Self::Doctor(_) => false,
        }
    }
}

/// What every command takes.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Everywhere")]
pub(in crate::cli) struct Everywhere {
    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(in crate::cli) color: ColorChoice,
    /// Log more: -v for what is done, -vv for all of it; where `RUST_LOG` is set, that decides
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub(in crate::cli) verbose: u8,
    /// Log errors only
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(in crate::cli) quiet: bool,
    /// How the log is written, to standard error
    #[arg(long, global = true, value_name = "FORMAT", default_value = "text")]
    pub(in crate::cli) log_format: LogFormat,
    /// The configuration file, instead of `config.toml` in the platform's configuration directory. An option has the same name
    /// there, and `SUREFIRE_LISTEN` or the like in the environment; `surefire doctor` lists those that can be settled so
    #[arg(long, global = true, value_name = "FILE")]
    pub(in crate::cli) config: Option<PathBuf>,
}

/// The forms of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum LogFormat {
    /// For people
    Text,
    /// For programs: one object a line
    Json,
}
