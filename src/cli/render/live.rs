//! The live view of a run in a terminal: finished steps stay, and the lines below them are redrawn.

use std::time::Duration;

use super::format::{clock, shortened, visible};
use super::paint;
use crate::VisitLimit;
use crate::view::{Detail, EndCard, Timeline, Visit, dollars, took};

/// The frames of the spinner.
const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// The redraw interval.
pub(in crate::cli) const REDRAW_INTERVAL: Duration = Duration::from_millis(120);

/// The permanent line of a finished visit.
pub(in crate::cli) fn done(visit: &Visit, width: usize) -> String {
    let (sign, outcome) = match &visit.outcome {
        Some(limit) if VisitLimit::in_place_of(limit).is_some() => {
            (paint::yellow("■"), visible(limit))
        }
        Some(outcome) => (paint::green("✓"), visible(outcome)),
        None => (paint::yellow("■"), "stopped".to_owned()),
    };
    let head = format!("{} → {outcome}", visible(&visit.step));
    let tail = took(visit.took(visit.began));
    let room = width.saturating_sub(tail.chars().count() + 8);
    format!("{sign} {:>2}  {}  {}", visit.number, shortened(&head, room), paint::dim(tail))
}

/// The redrawn lines: the current step and the agent's last message.
pub(in crate::cli) fn frame(
    timeline: &Timeline,
    now: u64,
    turn: usize,
    last_output: &str,
    width: usize,
) -> Vec<String> {
    let view = timeline.view();
    if let Some(end) = &view.end {
        return vec![paused(timeline, end, now, turn, width)];
    }
    let Some(visit) = view.current() else { return Vec::new() };
    let most = view.max_steps.map(|most| format!(" of at most {most}")).unwrap_or_default();
    let cost =
        if view.cost_usd > 0.0 { format!(" · {}", dollars(view.cost_usd)) } else { String::new() };
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
    // The agent's message matters more than the details, and space is limited.
    for Detail { label, text } in view.details.iter().filter(|_| last_output.is_empty()) {
        lines.push(format!(
            "  {}",
            paint::dim(shortened(&visible(&format!("{label}: {text}")), room))
        ));
    }
    if let Some(remark) = visit.remarks.last() {
        lines.push(format!("  {}", paint::yellow(shortened(&first_line(remark), room))));
    }
    if !last_output.is_empty() {
        lines.push(format!("  {}", paint::dim(shortened(&last_line(last_output), room))));
    }
    lines
}

/// The line of a paused run that resumes automatically.
fn paused(timeline: &Timeline, end: &EndCard, now: u64, turn: usize, width: usize) -> String {
    let left = clock(Duration::from_millis(end.resume_at.unwrap_or(0).saturating_sub(now)));
    let words =
        format!("{}; resumes automatically in {left}{}", visible(&end.title), rehearsal(timeline));
    let spinner = paint::cyan(SPINNER[turn % SPINNER.len()]);
    format!("{spinner} {}", shortened(&words, width.saturating_sub(2)))
}

/// The mark of a rehearsal, shown wherever progress is shown.
const fn rehearsal(timeline: &Timeline) -> &'static str {
    if timeline.facts().rehearsal { " · rehearsal" } else { "" }
}

fn first_line(words: &str) -> String {
    visible(words).lines().next().unwrap_or_default().to_owned()
}

/// The last line that is neither empty nor a code fence.
fn last_line(words: &str) -> String {
    let words = visible(words);
    let line = words
        .lines()
        .rev()
        .map(str::trim)
        .find(|line| !line.is_empty() && !line.starts_with("```"));
    line.unwrap_or_default().to_owned()
}

/// The redrawn lines of a terminal.
#[derive(Debug, Default)]
pub(in crate::cli) struct Region {
    drawn: usize,
}

impl Region {
    /// The text to print for these lines. The next [`clear`](Self::clear) erases them.
    pub(in crate::cli) fn draw(&mut self, lines: &[String]) -> String {
        self.drawn = lines.len();
        lines.iter().map(|line| format!("{line}\n")).collect()
    }

    /// The control sequence that erases the lines drawn last.
    pub(in crate::cli) fn clear(&mut self) -> String {
        match std::mem::take(&mut self.drawn) {
            0 => String::new(),
            drawn => format!("\u{1b}[{drawn}A\r\u{1b}[J"),
        }
    }
}
