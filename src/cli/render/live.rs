//! A run while it is running, in a terminal: what is done stays, and below it a few lines change.

use std::time::Duration;

use super::format::{clock, shortened, visible};
use super::paint;
use crate::view::{Detail, EndCard, Timeline, Visit, dollars, took};

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
pub(in crate::cli) fn frame(
    timeline: &Timeline,
    now: u64,
    turn: usize,
    said: &str,
    width: usize,
) -> Vec<String> {
    let view = timeline.view();
    if let Some(end) = &view.end {
        return vec![paused(timeline, end, now, turn, width)];
    }
    let Some(visit) = view.current() else { return Vec::new() };
    let most = view.max_steps.map(|most| format!(" of at most {most}")).unwrap_or_default();
    let cost = if view.cost_usd > 0.0 { format!(" · {}", dollars(view.cost_usd)) } else { String::new() };
    let state = format!(
        "step {}{most}: {} · {}{cost}{}",
        visit.number,
        visible(&visit.step),
        clock(visit.took(now)),
        rehearsal(timeline),
    );
    let spinner = paint::cyan(SPINNER[turn % SPINNER.len()]);
    let room = width.saturating_sub(2);
    let mut lines = vec![format!("{spinner} {}", shortened(&state, room))];
    // What the agent says is worth more, and a terminal has few lines.
    for Detail { label, text } in view.details.iter().filter(|_| said.is_empty()) {
        lines.push(format!("  {}", paint::dim(shortened(&visible(&format!("{label}: {text}")), room))));
    }
    if let Some(remark) = visit.remarks.last() {
        lines.push(format!("  {}", paint::yellow(shortened(&first_line(remark), room))));
    }
    if !said.is_empty() {
        lines.push(format!("  {}", paint::dim(shortened(&last_line(said), room))));
    }
    lines
}

/// A run that has stopped, and is resumed automatically.
fn paused(timeline: &Timeline, end: &EndCard, now: u64, turn: usize, width: usize) -> String {
    let left = clock(Duration::from_millis(end.resume_at.unwrap_or(0).saturating_sub(now)));
    let words = format!("{}; resumes automatically in {left}{}", visible(&end.title), rehearsal(timeline));
    let spinner = paint::cyan(SPINNER[turn % SPINNER.len()]);
    format!("{spinner} {}", shortened(&words, width.saturating_sub(2)))
}

/// What has to stand wherever nothing is really done.
const fn rehearsal(timeline: &Timeline) -> &'static str {
    if timeline.facts().rehearsal { " · rehearsal" } else { "" }
}

fn first_line(words: &str) -> String {
    visible(words).lines().next().unwrap_or_default().to_owned()
}

/// The last line that says something: the end of a block of code does not.
fn last_line(words: &str) -> String {
    let words = visible(words);
    let line = words.lines().rev().map(str::trim).find(|line| !line.is_empty() && !line.starts_with("```"));
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
