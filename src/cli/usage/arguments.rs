//! The commands and the global options.

use std::path::PathBuf;

use clap::{ArgAction, Args, ColorChoice, Parser, Subcommand, ValueEnum};

use crate::cli::commands::{
    completions, discard, key, man, merge, new, prompts, prune, read, reasons, recipes, resume,
    run, runs, serve, show, trust, untrust, why,
};
use crate::cli::doctor;

/// Examples below the help of `surefire` itself.
const EXAMPLES: &str = "\
Examples:
  surefire                    serve the iOS app and the web console
  surefire run implement-and-review --rehearse happy
                              watch a run with the built-in rehearsal agent
  surefire run implement-and-review \"fix the rounding in cart.rs\"
                              run it with Claude Code, in this directory
  surefire why                see why the last run stopped";

#[derive(Debug, Parser)]
#[command(
    name = "surefire",
    version,
    about = "Run recipes with a coding agent, and learn why each run stopped"
)]
#[command(after_help = EXAMPLES, max_term_width = 100)]
pub(in crate::cli) struct Arguments {
    #[command(subcommand)]
    pub(in crate::cli) command: Option<Command>,
    #[command(flatten)]
    pub(in crate::cli) serve: serve::Serve,
    #[command(flatten)]
    pub(in crate::cli) global: GlobalOptions,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum Command {
    /// Serve the iOS app and the web console [default command]
    Serve(serve::Serve),
    /// Create a crate with a recipe of your own
    New(new::New),
    /// List the recipes
    Recipes(recipes::Recipes),
    /// Show one recipe: its steps, outcomes and limits
    Show(show::Show),
    /// Show where the prompts of a recipe come from, and change them
    Prompts(prompts::Prompts),
    /// Run a recipe here, in the foreground
    Run(run::Run),
    /// List current and past runs
    Runs(runs::Runs),
    /// Delete old runs and sessions
    Prune(prune::Prune),
    /// Show why a run stopped, and what to do next
    Why(why::Why),
    /// Resume a run where it stopped
    Resume(resume::Resume),
    /// Merge the commits of a run that worked in its own worktree
    Merge(merge::Merge),
    /// Delete the worktree and the branch of a run
    Discard(discard::Discard),
    /// Trust a repository: allow its own commands, hooks and MCP servers
    Trust(trust::Trust),
    /// Stop trusting a repository
    Untrust(untrust::Untrust),
    /// List the reasons for which a run can end
    Reasons(reasons::Reasons),
    /// Parse an agent's reply from standard input, as a run would
    Read(read::Read),
    /// Show the key that clients connect with
    Key(key::Key),
    /// Check the installation and the configuration
    Doctor(doctor::Doctor),
    /// Print a completion script for your shell
    Completions(completions::Completions),
    /// Print the man page, or write the pages of all commands to a directory
    Man(man::Man),
}

impl Command {
    /// Whether it reads settings from the environment and the configuration file.
    pub(in crate::cli) const fn reads_settings(&self) -> bool {
        match self {
            Self::Serve(_)
            | Self::Run(_)
            | Self::Runs(_)
            | Self::Prompts(_)
            | Self::Prune(_)
            | Self::Why(_)
            | Self::Resume(_)
            | Self::Merge(_)
            | Self::Discard(_)
            | Self::Trust(_)
            | Self::Untrust(_)
            | Self::Key(_) => true,
            // The doctor reports invalid settings instead of failing on them.
            Self::New(_)
            | Self::Recipes(_)
            | Self::Show(_)
            | Self::Reasons(_)
            | Self::Read(_)
            | Self::Completions(_)
            | Self::Man(_)
            | Self::Doctor(_) => false,
        }
    }
}

/// Options of every command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Global options")]
pub(in crate::cli) struct GlobalOptions {
    /// Use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(in crate::cli) color: ColorChoice,
    /// Log more: -v logs each action, -vv everything; `RUST_LOG`, if set, takes precedence
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub(in crate::cli) verbose: u8,
    /// Log errors only
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(in crate::cli) quiet: bool,
    /// Format of the log on standard error
    #[arg(long, global = true, value_name = "FORMAT", default_value = "text")]
    pub(in crate::cli) log_format: LogFormat,
    /// Configuration file [default: `config.toml` in the platform's configuration directory].
    /// Options have the same names in it; in the environment, `--listen` is `SUREFIRE_LISTEN`.
    /// `surefire doctor` lists the options that can be set there
    #[arg(long, global = true, value_name = "FILE")]
    pub(in crate::cli) config: Option<PathBuf>,
}

/// Formats of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum LogFormat {
    /// Lines of text
    Text,
    /// One JSON object per line
    Json,
}
