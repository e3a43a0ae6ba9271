//! `surefire resume`: resumes a run where it stopped.

use std::path::Path;
use std::process::ExitCode;

use clap::Args;

use super::run::{LocalOptions, chosen_here, finish};
use crate::cli::connection::{Connection, ResumeRequest};
use crate::cli::context::Context;
use crate::cli::find_run;
use crate::cli::follow::Follower;
use crate::cli::render::view::View;
use crate::cli::settings::Rank;
use crate::cli::signals::stoppable;
use crate::cli::usage::cli_error::CliError;
use crate::cli::usage::options::{AgentOptions, Choice, LimitOptions, PermitOptions};
use crate::cli::wait::wait;
use crate::run::{Ending, Permits, ResumedBy};
use crate::wire::{RunLine, WantedLimits};

const EXAMPLES: &str = "\
Examples:
  surefire resume                      the last run
  surefire resume 3f2a8c1e --allow-visits 2
                                       a run that reached its recipe's limit
  surefire resume 3f2a8c1e --allow-tool 'npm test *'
                                       a run whose agent was denied a tool
  surefire resume --auto               only if no person has to act first";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct Resume {
    /// Id of the run, or its first characters [default: the last run]
    #[arg(value_name = "RUN")]
    run: Option<String>,
    /// Resume only if no person has to act first
    #[arg(long)]
    auto: bool,
    /// Print the protocol's messages, one JSON object per line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    permits: PermitOptions,
    #[command(flatten)]
    limits: LimitOptions,
    /// Additional visits to allow for each step
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Limits")]
    allow_visits: u32,
    /// Additional steps to allow in total
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Limits")]
    allow_steps: u32,
    #[command(flatten)]
    local: LocalOptions,
}

impl Resume {
    pub(in crate::cli) fn run(mut self, context: &Context) -> Result<ExitCode, CliError> {
        let data = self.local.paths.data()?;
        let chosen = chosen_here(context);
        wait(stoppable(async |mut stop| {
            let looking = async {
                let found = find_run::anywhere(context.catalog, &data, self.run.as_deref()).await?;
                Ok::<_, CliError>((found.run, found.data))
            };
            let (run, data) = tokio::select! {
                found = looking => found?,
                status = stop.requested() => return Ok(ExitCode::from(status)),
            };
            // A rehearsal beside a server has a data directory of its own.
            self.local.paths = self.local.paths.in_directory(data);
            self.local.agent.must_be(context, &run)?;
            self.local.agent = self.local.agent.check_list(None)?;
            if let (true, Some(ending)) = (self.auto, &run.ending) {
                if ending.goal_met {
                    let words = format!("Nothing to do: {} ({}).", ending.message, ending.reason);
                    // With --json, standard output carries only protocol messages.
                    if self.json {
                        context.console.warn(words);
                    } else {
                        context.console.say(words);
                    }
                    return Ok(ExitCode::SUCCESS);
                }
                check_auto(ending)?;
            }
            let directory = Path::new(&run.working_directory);
            let request = self.request(context);
            if run.ending.is_none() {
                check_unchanged(&request)?;
            }
            let config = self.local.config(context, directory)?;
            // A paused run resumes automatically when it is due, unless the user does not want to
            // wait.
            let waits = run.ending.as_ref().is_some_and(|ending| ending.resume_at.is_some());
            let by_itself = waits && self.auto && request.changes_nothing();
            let id = run.run_id;
            let recovery = if by_itself { std::slice::from_ref(&id) } else { &[] };
            let connection = tokio::select! {
                connection = Connection::enter(&config, recovery) => connection?,
                status = stop.requested() => return Ok(ExitCode::from(status)),
            };
            let view = View::new(context.console, self.json);
            let mut follower = Follower::new(context, &config, connection, view, stop);
            follower.announce_connection(&chosen)?;
            if !by_itself {
                follower.resume(id, request).await?;
            }
            follower.connection.listen_to(id).await?;
            finish(follower, id, run.last_seq).await
        }))
    }

    /// Only options on the command line change limits and tools. Other settings apply to new runs.
    fn request(&self, context: &Context) -> ResumeRequest {
        let here = |long| context.rank(long) == Rank::CommandLine;
        ResumeRequest {
            by: if self.auto { ResumedBy::Auto } else { ResumedBy::User },
            limits: WantedLimits {
                time: self.limits.time.filter(|_| here("time")),
                max_ticks: self.limits.max_ticks.filter(|_| here("max-ticks")),
                budget_usd: self.limits.budget_usd.filter(|_| here("budget-usd")),
                auto_resumes: None,
            },
            allow_visits: self.allow_visits,
            allow_steps: self.allow_steps,
            allow_tools: if here("allow-tool") {
                self.local.agent.allow_tool.clone()
            } else {
                Vec::new()
            },
            permits: Permits {
                allow_dirty: false,
                allow_deps: self.permits.allow_deps,
                force_parallel: self.permits.force_parallel,
            },
        }
    }
}

impl AgentOptions {
    /// A run keeps its agent, whatever the settings say.
    fn must_be(&mut self, context: &Context, run: &RunLine) -> Result<(), CliError> {
        let its = if run.rehearsal { Choice::Rehearsal } else { Choice::Claude };
        let other = self.choice() != its && self.choice() != Choice::Auto;
        let here = ["agent", "rehearse"].iter().any(|long| context.rank(long) == Rank::CommandLine);
        if other && here {
            return Err(CliError::usage(
                "the run cannot be resumed with another agent",
                format!("its conversation belongs to `{}`", run.agent),
                "remove --agent and --rehearse, or start the recipe again",
            ));
        }
        self.agent = its;
        Ok(())
    }
}

/// Refuses to change the limits and tools of a run that has not ended.
fn check_unchanged(request: &ResumeRequest) -> Result<(), CliError> {
    if request.changes_nothing() {
        return Ok(());
    }
    Err(CliError::usage(
        "the run's limits and tools cannot be changed now",
        "it has not ended, and resumes unchanged",
        "remove those options; once the run has ended, it can be resumed with them",
    ))
}

/// Refuses to resume after an end that a person has to act on, with the exit status of that end.
fn check_auto(ending: &Ending) -> Result<(), CliError> {
    if ending.auto_resumable {
        return Ok(());
    }
    let why = format!("a person has to act first: {} ({})", ending.message, ending.reason);
    Err(CliError::new(
        "the run cannot be resumed automatically",
        why,
        "remove --auto to resume it anyway",
    )
    .status(ending.exit_code))
}
