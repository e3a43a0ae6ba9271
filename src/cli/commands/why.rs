//! `surefire why`: why a run stopped, and what to do next.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::cli::context::Context;
use crate::cli::find_run::{self, Found};
use crate::cli::render::format::{one_line, shortened, visible};
use crate::cli::render::{commands, paint, summary};
use crate::cli::settings::data;
use crate::cli::usage::cli_error::CliError;
use crate::cli::usage::options::DataOption;
use crate::cli::usage::program::program_name;
use crate::cli::wait::wait;
use crate::engine::{STOP_JSON, handoff_directory};
use crate::view::{CommandContext, EndCard, RunView, Timeline, Visit, count, dollars, took};
use crate::wire::{RunDetails, RunLine};

const EXAMPLES: &str = "\
Examples:
  surefire why                     the last run
  surefire why 3f2a8c1e            another run, by the start of its id
  surefire why --json              everything, as JSON";

/// Limits for the excerpt of the agent's last reply.
const REPLY_LINES: usize = 10;
const MAX_LINE_CHARS: usize = 400;

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct Why {
    /// Id of the run, or its first characters [default: the last run]
    #[arg(value_name = "RUN")]
    run: Option<String>,
    /// Print JSON: the answer of `GET /api/runs/{id}`
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    data: DataOption,
}

impl Why {
    pub(in crate::cli) fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        let usual = data::directory(self.data.data.as_deref())?;
        wait(async {
            let Found { run, history, data } =
                find_run::anywhere(context.catalog, &usual, self.run.as_deref()).await?;
            let journal = history.journal(run.run_id, 0).await?;
            let Some(journal) = journal else {
                return Err(CliError::new(
                    "the run no longer exists",
                    "it was deleted while it was being read",
                    format!("`{} runs` lists the runs", program_name()),
                ));
            };
            let mut timeline = journal.run.timeline(context.catalog);
            for record in &journal.events {
                timeline.apply(record.seq, record.at.0, &record.event);
            }
            if self.json {
                context.console.json(&RunDetails { view: timeline.view().clone(), journal });
                return Ok(ExitCode::SUCCESS);
            }
            let reply = history.reply(journal.run.run_id).await?.unwrap_or_default();
            let current = std::env::current_dir().ok();
            let command_context = CommandContext {
                program: &program_name(),
                data: if data == usual { data::named(context, &data) } else { Some(&data) },
                directory: current.as_deref(),
            };
            let handoff = handoff_directory(&data, journal.run.run_id).join(STOP_JSON);
            let known = Known {
                run: &journal.run,
                timeline: &timeline,
                reply: &reply,
                is_at_server: history.is_remote(),
                handoff: Some(handoff).filter(|file| timeline.is_over() && file.is_file()),
            };
            context.console.say(known.explained(command_context));
            Ok(ExitCode::SUCCESS)
        })
    }
}

/// The facts about a run.
struct Known<'k> {
    run: &'k RunLine,
    timeline: &'k Timeline,
    /// The agent's last reply.
    reply: &'k str,
    /// Whether a server runs it, if it has not ended.
    is_at_server: bool,
    /// Its `stop.json`, if the file exists.
    handoff: Option<PathBuf>,
}

impl Known<'_> {
    /// The whole explanation as text.
    fn explained(&self, context: CommandContext<'_>) -> String {
        let (timeline, view) = (self.timeline, self.timeline.view());
        let happened =
            format!("{}\n{}", paint::bold("What happened"), rows(view, &took(timeline.took())));
        let mut parts = vec![self.top(), happened];
        let reply = end_of(self.reply);
        if !reply.is_empty() {
            parts.push(format!("{}\n{reply}", paint::bold("The end of the agent's last reply")));
        }
        let next = match &view.end {
            Some(_) => commands::lines(&view.next, timeline.facts(), context),
            None => vec![paint::cyan(context.follow(timeline.facts()))],
        };
        if !next.is_empty() {
            let next: String = next.iter().map(|line| format!("\n  {line}")).collect();
            parts.push(format!("{}{next}", paint::bold("What to do next")));
        }
        parts.join("\n\n")
    }

    fn top(&self) -> String {
        let (run, view) = (self.run, self.timeline.view());
        let mut lines = match &view.end {
            Some(end) => ended(view, end),
            None if self.is_at_server => {
                vec![paint::cyan(format!("… {} at `{}`", view.status.words(), visible(&run.step)))]
            }
            None => {
                vec![paint::yellow(format!(
                    "■ Interrupted at `{}`: no server is running it",
                    visible(&run.step)
                ))]
            }
        };
        let cost = run.cost_usd;
        let cost =
            if cost > 0.0 { format!(", for about {}", dollars(cost)) } else { String::new() };
        lines.push(format!(
            "  run {} of {} in {}, with {}{cost}",
            run.run_id,
            visible(&run.recipe_id),
            one_line(&run.working_directory),
            visible(&run.agent),
        ));
        match &view.end {
            Some(end) => {
                lines.extend(end.rehearsal.iter().map(|words| format!("  {}", paint::bold(words))));
            }
            None if run.rehearsal => {
                lines.push(format!("  {}", paint::bold("This is a rehearsal.")));
            }
            None => {}
        }
        lines.extend(summary::details(&view.details));
        let handoff = self
            .handoff
            .iter()
            .map(|file| format!("  details: {}", one_line(&file.display().to_string())));
        lines.extend(handoff);
        lines.join("\n")
    }
}

fn ended(view: &RunView, end: &EndCard) -> Vec<String> {
    let mut lines = summary::top(view.status, end);
    lines.push(format!("  {}", visible(&end.why)));
    lines.push(format!("  {}", visible(&end.hint)));
    lines
}

/// One line per visit of a step, and one per remark about it.
fn rows(view: &RunView, total: &str) -> String {
    let widest = |words: &dyn Fn(&Visit) -> usize| view.visits.iter().map(words).max().unwrap_or(0);
    let step = widest(&|visit| visit.step.chars().count());
    let outcome =
        widest(&|visit| visit.outcome.as_ref().map_or(1, |outcome| outcome.chars().count()));
    let mut lines = Vec::new();
    for visit in &view.visits {
        let reported = visit.outcome.as_deref().unwrap_or("–");
        let time = took(visit.took(view.changed_at));
        lines.push(format!(
            "  {:>3}  {:<step$}  {:<outcome$}  {time}",
            visit.number,
            visible(&visit.step),
            visible(reported)
        ));
        let remarks = visit.remarks.iter().map(|remark| one_line(remark));
        lines.extend(remarks.map(|remark| format!("       {}", paint::dim(remark))));
    }
    let most = view.max_steps.map(|most| format!(" of at most {most}")).unwrap_or_default();
    let (steps, turns) = (count(view.visits.len(), "step"), count(view.turns as usize, "turn"));
    lines.push(format!("       {steps}{most}, {turns}, {total} in total"));
    lines.join("\n")
}

/// The last lines of a reply that are not empty.
fn end_of(reply: &str) -> String {
    let reply = visible(reply);
    let lines: Vec<_> = reply.lines().filter(|line| !line.trim().is_empty()).collect();
    let skipped = lines.len().saturating_sub(REPLY_LINES);
    let before =
        (skipped > 0).then(|| format!("  {}", paint::dim(format!("… {skipped} earlier lines"))));
    let shown = lines[skipped..]
        .iter()
        .map(|line| format!("  {} {}", paint::dim("│"), shortened(line, MAX_LINE_CHARS)));
    before.into_iter().chain(shown).collect::<Vec<_>>().join("\n")
}
