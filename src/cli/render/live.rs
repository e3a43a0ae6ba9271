//! A run while it goes on, in a terminal: what is done stays, and below it a few lines change.

use std::time::Duration;

use super::format::{clock, shortened, took, visible};
use super::paint;
use super::story::{Story, Visit};
use crate::run::Ending;
use crate::wire::Stamp;

/// What turns while the agent works.
const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// How often the lines are drawn anew.
pub(in crate::cli) const PACE: Duration = Duration::from_millis(120);

/// The line of a visit that is over, which stays.
pub(in crate::cli) fn done(visit: &Visit, width: usize) -> String {
    let (sign, outcome) = match &visit.outcome {
        Some(outcome) => (paint::green("✓"), visible(outcome)),
        None => (paint::yellow("■"), "stopped".to_owned()),
    };
    let head = format!("{} → {outcome}", visible(&visit.step));
    let tail = took(visit.took(visit.began));
    let room = width.saturating_sub(tail.chars().count() + 8);
    format!("{sign} {:>2}  {}  {}", visit.number, shortened(&head, room), paint::dim(tail))
}

/// The lines that change: where the run is, and what the agent last said.
pub(in crate::cli) fn frame(story: &Story, now: Stamp, turn: usize, said: &str, width: usize) -> Vec<String> {
    if let Some(ending) = &story.ending {
        return vec![waiting(story, ending, now, turn, width)];
    }
    let Some(visit) = story.present() else { return Vec::new() };
    let most = story.max_steps.map(|most| format!(" of at most {most}")).unwrap_or_default();
    let cost = if story.cost_usd > 0.0 { format!(" · ${:.2}", story.cost_usd) } else { String::new() };
    let state = format!(
        "step {}{most}: {} · {}{cost}{}",
        visit.number,
        visible(&visit.step),
        clock(visit.took(now)),
        rehearsal(story),
    );
    let spinner = paint::cyan(SPINNER[turn % SPINNER.len()]);
    let room = width.saturating_sub(2);
    let mut lines = vec![format!("{spinner} {}", shortened(&state, room))];
    if let Some(remark) = visit.remarks.last() {
        lines.push(format!("  {}", paint::yellow(shortened(&first_line(remark), room))));
    }
    if !said.is_empty() {
        lines.push(format!("  {}", paint::dim(shortened(&last_line(said), room))));
    }
    lines
}

/// A run that has stopped, and will go on by itself.
fn waiting(story: &Story, ending: &Ending, now: Stamp, turn: usize, width: usize) -> String {
    let left = clock(Duration::from_millis(ending.resume_at.unwrap_or(0).saturating_sub(now.0)));
    let words = format!("{}; goes on by itself in {left}{}", visible(&ending.title), rehearsal(story));
    let spinner = paint::cyan(SPINNER[turn % SPINNER.len()]);
    format!("{spinner} {}", shortened(&words, width.saturating_sub(2)))
}

/// What has to stand wherever nothing is really done.
const fn rehearsal(story: &Story) -> &'static str {
    if story.run.rehearsal { " · rehearsal" } else { "" }
}

fn first_line(words: &str) -> String {
    visible(words).lines().next().unwrap_or_default().to_owned()
}

/// The last line that says something.
fn last_line(words: &str) -> String {
    let words = visible(words);
    let line = words.lines().rev().map(str::trim).find(|line| !line.is_empty());
    line.unwrap_or_default().to_owned()
}

/// The lines in a terminal that are drawn over.
#[derive(Debug, Default)]
pub(in crate::cli) struct Region {
    drawn: usize,
}

impl Region {
    /// The text of these lines, which will be taken away by the next [`clear`](Self::clear).
    pub(in crate::cli) fn draw(&mut self, lines: &[String]) -> String {
        self.drawn = lines.len();
        lines.iter().map(|line| format!("{line}\n")).collect()
    }

    /// How to have nothing stand there: not text, but where to move and what to erase.
    pub(in crate::cli) fn clear(&mut self) -> String {
        match std::mem::take(&mut self.drawn) {
            0 => String::new(),
            drawn => format!("\u{1b}[{drawn}A\r\u{1b}[J"),
        }
    }
}
