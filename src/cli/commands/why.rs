//! `surefire why`: why a run stopped, and what to do next.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use crate::cli::connection;
use crate::cli::connection::Books;
use crate::cli::context::Context;
use crate::cli::find_run;
use crate::cli::render::advice;
use crate::cli::render::advice::Here;
use crate::cli::render::format::{count, one_line, shortened, took, visible};
use crate::cli::render::story::{Story, Visit};
use crate::cli::render::{paint, summary};
use crate::cli::settings::data;
use crate::cli::usage::complaint::Complaint;
use crate::cli::usage::options::DataOption;
use crate::cli::usage::program::program_name;
use crate::cli::wait::wait;
use crate::run::Ending;

const EXAMPLES: &str = "\
Examples:
  surefire why                     the last run
  surefire why 3f2a8c1e            any other, by its id or how that begins
  surefire why --json              all of it, for programs";

/// How many lines of the agent's last reply are shown, and how long they may be.
const REPLY_LINES: usize = 10;
const LINE: usize = 400;

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct Why {
    /// The run, by its id or how that begins; the last one unless told otherwise
    #[arg(value_name = "RUN")]
    run: Option<String>,
    /// Print what `GET /api/runs/{id}` answers
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    data: DataOption,
}

impl Why {
    pub(in crate::cli) fn run(self, context: &Context) -> Result<ExitCode, Complaint> {
        let data = data::directory(self.data.data.as_deref())?;
        wait(async {
            let books = connection::books(context.catalog, &data).await?;
            let run = find_run::run(&books, self.run.as_deref()).await?;
            let journal = books.journal(run.run_id, 0).await?;
            let Some(journal) = journal else {
                return Err(Complaint::new(
                    "the run is gone",
                    "somebody had it forgotten",
                    format!("`{} runs` lists them", program_name()),
                ));
            };
            if self.json {
                context.console.json(&journal);
                return Ok(ExitCode::SUCCESS);
            }
            let mut story = Story::of(journal.run, context.catalog);
            journal.events.iter().for_each(|told| story.learn(told));
            let reply = books.reply(story.run.run_id).await?.unwrap_or_default();
            let current = std::env::current_dir().ok();
            let here = Here {
                program: &program_name(),
                data: data::named(context, &data),
                directory: current.as_deref(),
            };
            context.console.say(told(&story, &reply, &books, here));
            Ok(ExitCode::SUCCESS)
        })
    }
}

/// All of it, for people.
fn told(story: &Story, reply: &str, books: &Books, here: Here<'_>) -> String {
    let mut parts = vec![top(story, books), format!("{}\n{}", paint::bold("What happened"), timeline(story))];
    let reply = end_of(reply);
    if !reply.is_empty() {
        parts.push(format!("{}\n{reply}", paint::bold("The end of the agent's last reply")));
    }
    let commands = match &story.ending {
        Some(ending) => {
            let commands = advice::commands(story, ending, here);
            let commands: String =
                commands.iter().map(|command| format!("\n  {}", paint::cyan(command))).collect();
            format!("{}\n  {}{commands}", paint::bold("What to do next"), visible(&ending.diagnosis))
        }
        None => format!("{}\n  {}", paint::bold("What to do next"), paint::cyan(advice::follow(story, here))),
    };
    parts.push(commands);
    parts.join("\n\n")
}

fn top(story: &Story, books: &Books) -> String {
    let run = &story.run;
    let mut lines = match &story.ending {
        Some(ending) => ended(ending),
        None if books.are_at_a_server() => {
            vec![paint::cyan(format!("… It goes on, at `{}`", visible(&run.step)))]
        }
        None => vec![paint::yellow(format!(
            "■ It was left behind at `{}`: nobody goes on with it",
            visible(&run.step)
        ))],
    };
    let cost = if run.cost_usd > 0.0 { format!(", for about ${:.2}", run.cost_usd) } else { String::new() };
    lines.push(format!(
        "  run {} of {} in {}, with {}{cost}",
        run.run_id,
        visible(&run.recipe_id),
        one_line(&run.working_directory),
        visible(&run.agent),
    ));
    if run.rehearsal {
        lines.push(format!("  {}", paint::bold("This was a rehearsal: nothing was really done.")));
    }
    lines.join("\n")
}

fn ended(ending: &Ending) -> Vec<String> {
    let mut lines = vec![summary::headline(ending), format!("  {}", visible(&ending.message))];
    lines.extend(summary::described(ending));
    lines.push(format!("  {}", summary::why(ending)));
    lines
}

/// A line for each visit of a step, and one for everything that was remarkable in it.
fn timeline(story: &Story) -> String {
    let widest = |words: &dyn Fn(&Visit) -> usize| story.visits.iter().map(words).max().unwrap_or(0);
    let step = widest(&|visit| visit.step.chars().count());
    let outcome = widest(&|visit| visit.outcome.as_ref().map_or(1, |outcome| outcome.chars().count()));
    let mut lines = Vec::new();
    for visit in &story.visits {
        let reported = visit.outcome.as_deref().unwrap_or("–");
        let time = took(visit.took(story.last));
        lines.push(format!(
            "  {:>3}  {:<step$}  {:<outcome$}  {time}",
            visit.number,
            visible(&visit.step),
            visible(reported)
        ));
        let remarks = visit.remarks.iter().map(|remark| one_line(remark));
        lines.extend(remarks.map(|remark| format!("       {}", paint::dim(remark))));
    }
    let total = took(Duration::from_millis(story.last.0.saturating_sub(story.run.started_at.0)));
    let most = story.max_steps.map(|most| format!(" of at most {most}")).unwrap_or_default();
    let (steps, turns) = (count(story.visits.len(), "step"), count(story.turns as usize, "turn"));
    lines.push(format!("       {steps}{most}, {turns}, {total} in all"));
    lines.join("\n")
}

/// The last lines of a reply that say something.
fn end_of(reply: &str) -> String {
    let reply = visible(reply);
    let lines: Vec<_> = reply.lines().filter(|line| !line.trim().is_empty()).collect();
    let skipped = lines.len().saturating_sub(REPLY_LINES);
    let before = (skipped > 0).then(|| format!("  {}", paint::dim(format!("… {skipped} lines before"))));
    let shown =
        lines[skipped..].iter().map(|line| format!("  {} {}", paint::dim("│"), shortened(line, LINE)));
    before.into_iter().chain(shown).collect::<Vec<_>>().join("\n")
}
