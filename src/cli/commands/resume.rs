//! `surefire resume`: going on with a run where it stopped.

use std::path::Path;
use std::process::ExitCode;

use clap::Args;

use super::run::{Ours, chosen_here, finish};
use crate::cli::connection;
use crate::cli::connection::{GoOn, House};
use crate::cli::context::Context;
use crate::cli::find_run;
use crate::cli::follow::Follower;
use crate::cli::render::view::View;
use crate::cli::settings::Rank;
use crate::cli::signals::stoppable;
use crate::cli::usage::complaint::Complaint;
use crate::cli::usage::options::{AgentOptions, Choice, LimitOptions, PermitOptions};
use crate::cli::wait::wait;
use crate::run::{Ending, Permits, ResumedBy};
use crate::wire::{RunLine, WantedLimits};

const EXAMPLES: &str = "\
Examples:
  surefire resume                      the last run
  surefire resume 3f2a8c1e --allow-visits 2
                                       one that its recipe's limit had stopped
  surefire resume 3f2a8c1e --allow-tool 'npm test *'
                                       one whose agent was refused a tool
  surefire resume --auto               only where that helps without a person";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct Resume {
    /// The run, by its id or how that begins; the last one unless told otherwise
    #[arg(value_name = "RUN")]
    run: Option<String>,
    /// Only if the run stopped for a reason after which it may go on without a person
    #[arg(long)]
    auto: bool,
    /// Print the protocol's messages, one a line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    permits: PermitOptions,
    #[command(flatten)]
    limits: LimitOptions,
    /// How many more visits of each step to allow
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true, help_heading = "Limits")]
    allow_visits: u32,
    /// How many more steps in all to allow
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true, help_heading = "Limits")]
    allow_steps: u32,
    #[command(flatten)]
    ours: Ours,
}

impl Resume {
    pub(in crate::cli) fn run(mut self, context: &Context) -> Result<ExitCode, Complaint> {
        let data = self.ours.places.data()?;
        let chosen = chosen_here(context);
        wait(stoppable(async |mut stop| {
            let looking = async {
                let books = connection::books(context.catalog, &data).await?;
                find_run::run(&books, self.run.as_deref()).await
            };
            let run = tokio::select! {
                run = looking => run?,
                status = stop.wished() => return Ok(ExitCode::from(status)),
            };
            self.ours.agent.must_be(context, &run)?;
            if let (true, Some(ending)) = (self.auto, &run.ending) {
                if ending.goal_met {
                    let words = format!("Nothing to do: {} ({}).", ending.message, ending.reason);
                    // Programs read messages there, and this is none.
                    if self.json {
                        context.console.warn(words);
                    } else {
                        context.console.say(words);
                    }
                    return Ok(ExitCode::SUCCESS);
                }
                may_go_on_alone(ending)?;
            }
            let directory = Path::new(&run.working_directory);
            let go_on = self.go_on(context);
            if run.ending.is_none() {
                as_it_is(&go_on)?;
            }
            let door = self.ours.door(context, directory)?;
            // What waits for its time goes on by itself, unless a person does not want to wait.
            let waits = run.ending.as_ref().is_some_and(|ending| ending.resume_at.is_some());
            let by_itself = waits && self.auto && go_on.names_nothing();
            let id = run.run_id;
            let take_up = if by_itself { std::slice::from_ref(&id) } else { &[] };
            let house = tokio::select! {
                house = House::enter(&door, take_up) => house?,
                status = stop.wished() => return Ok(ExitCode::from(status)),
            };
            let view = View::new(context.console, self.json);
            let mut follower = Follower::new(context, &door, house, view, stop);
            follower.come_in(&chosen)?;
            if !by_itself {
                follower.resume(id, go_on).await?;
            }
            follower.house.listen_to(id).await?;
            finish(follower, id, run.last_seq).await
        }))
    }

    /// What is settled elsewhere is for runs that begin, or known to the engine; one that has its limits keeps them.
    fn go_on(&self, context: &Context) -> GoOn {
        let here = |long| context.rank(long) == Rank::CommandLine;
        GoOn {
            by: if self.auto { ResumedBy::Auto } else { ResumedBy::User },
            limits: WantedLimits {
                time: self.limits.time.filter(|_| here("time")),
                max_ticks: self.limits.max_ticks.filter(|_| here("max-ticks")),
                budget_usd: self.limits.budget_usd.filter(|_| here("budget-usd")),
                auto_resumes: None,
            },
            allow_visits: self.allow_visits,
            allow_steps: self.allow_steps,
            allow_tools: if here("allow-tool") { self.ours.agent.allow_tool.clone() } else { Vec::new() },
            permits: Permits {
                allow_dirty: false,
                allow_deps: self.permits.allow_deps,
                force_parallel: self.permits.force_parallel,
            },
        }
    }
}

impl AgentOptions {
    /// A run stays with its agent, whatever is settled elsewhere.
    fn must_be(&mut self, context: &Context, run: &RunLine) -> Result<(), Complaint> {
        let its = if run.rehearsal { Choice::Rehearsal } else { Choice::Claude };
        let other = self.choice() != its && self.choice() != Choice::Auto;
        let here = ["agent", "rehearse"].iter().any(|long| context.rank(long) == Rank::CommandLine);
        if other && here {
            return Err(Complaint::usage(
                "the run cannot go on with another agent",
                format!("its conversation belongs to `{}`", run.agent),
                "leave --agent and --rehearse out, or start the recipe again",
            ));
        }
        self.agent = its;
        Ok(())
    }
}

/// Refuses to change what a run may use up while it has not ended: it goes on just as it is.
fn as_it_is(go_on: &GoOn) -> Result<(), Complaint> {
    if go_on.names_nothing() {
        return Ok(());
    }
    Err(Complaint::usage(
        "the run's limits and tools cannot be changed now",
        "it has not ended, and goes on as it is",
        "leave them out; once it has ended, it can go on with others",
    ))
}

/// Refuses to go on after a reason that needs a person, with that reason's own exit status.
fn may_go_on_alone(ending: &Ending) -> Result<(), Complaint> {
    if ending.auto_resumable {
        return Ok(());
    }
    let why = format!("{} ({}) needs a person", ending.message, ending.reason);
    Err(Complaint::new("the run does not go on by itself", why, "leave --auto out to go on all the same")
        .status(ending.exit_code))
}
