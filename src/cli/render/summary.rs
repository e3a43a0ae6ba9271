//! The end card of a run: what happened, why, and what to do next.

use super::commands;
use super::format::{one_line, shortened, visible};
use super::paint;
use crate::view::{CommandContext, Detail, EndCard, Status, Timeline, count};

/// Limits for the description, so that the next actions below it stay visible.
const MAX_LINES: usize = 12;
const MAX_LINE_CHARS: usize = 400;

/// The card of a run that has ended.
pub(in crate::cli) fn card(
    timeline: &Timeline,
    end: &EndCard,
    context: CommandContext<'_>,
) -> String {
    let view = timeline.view();
    let mut lines = top(view.status, end);
    lines.push(format!("  {}", visible(&end.summary)));
    lines.extend(end.rehearsal.iter().map(|words| format!("  {}", paint::bold(words))));
    lines.extend(details(&view.details));
    lines.push(format!("  {}  {}", paint::bold("why "), visible(&end.why)));
    lines.push(format!("  {}  {}", paint::bold("hint"), visible(&end.hint)));
    for (index, line) in commands::lines(&view.next, timeline.facts(), context).iter().enumerate() {
        let name = if index == 0 { paint::bold("next") } else { "    ".to_owned() };
        lines.push(format!("  {name}  {line}"));
    }
    lines.join("\n")
}

/// A line for each detail.
pub(in crate::cli) fn details(details: &[Detail]) -> Vec<String> {
    let line = |Detail { label, text }: &Detail| {
        format!("  {}", shortened(&one_line(&format!("{label}: {text}")), MAX_LINE_CHARS))
    };
    details.iter().map(line).collect()
}

/// Title and status, message and description.
pub(in crate::cli) fn top(status: Status, end: &EndCard) -> Vec<String> {
    let mut lines = vec![headline(status, end), format!("  {}", visible(&end.message))];
    lines.extend(described(end));
    lines
}

/// Title and status, with the status's symbol and colour.
fn headline(status: Status, end: &EndCard) -> String {
    let words =
        format!("{} {} · {}", paint::status_sign(status), visible(&end.title), status.words());
    paint::status(status, words)
}

/// The first lines of the description.
fn described(end: &EndCard) -> Vec<String> {
    let words = visible(end.description.as_deref().unwrap_or_default());
    let all: Vec<_> = words.lines().filter(|line| !line.trim().is_empty()).collect();
    let bar = paint::dim("│");
    let shown = all
        .iter()
        .take(MAX_LINES)
        .map(|line| format!("  {bar} {}", shortened(line, MAX_LINE_CHARS)));
    let more = all.len().saturating_sub(MAX_LINES);
    let more =
        (more > 0).then(|| format!("  {}", paint::dim(format!("… {}", count(more, "more line")))));
    shown.chain(more).collect()
}
