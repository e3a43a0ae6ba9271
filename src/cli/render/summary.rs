//! The end of a run: what happened, why, and what to do next.

use super::commands;
use super::format::{one_line, shortened, visible};
use super::paint;
use crate::view::{CommandContext, Detail, EndCard, Status, Timeline, count};

/// How many lines of a description are shown, and how long they may be: what to do next shall not be out of sight.
const LINES: usize = 12;
const LINE: usize = 400;

/// The card of a run that has ended.
pub(in crate::cli) fn card(timeline: &Timeline, end: &EndCard, context: CommandContext<'_>) -> String {
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
        format!("  {}", shortened(&one_line(&format!("{label}: {text}")), LINE))
    };
    details.iter().map(line).collect()
}

/// What it is called and how it stands, what happened, and what is said about that.
pub(in crate::cli) fn top(status: Status, end: &EndCard) -> Vec<String> {
    let mut lines = vec![headline(status, end), format!("  {}", visible(&end.message))];
    lines.extend(described(end));
    lines
}

/// Its title and status, with the sign and in the colour of that.
fn headline(status: Status, end: &EndCard) -> String {
    let words = format!("{} {} · {}", paint::status_sign(status), visible(&end.title), status.words());
    paint::status(status, words)
}

/// The beginning of what is said about it beside its reason.
fn described(end: &EndCard) -> Vec<String> {
    let words = visible(end.description.as_deref().unwrap_or_default());
    let all: Vec<_> = words.lines().filter(|line| !line.trim().is_empty()).collect();
    let bar = paint::dim("│");
    let shown = all.iter().take(LINES).map(|line| format!("  {bar} {}", shortened(line, LINE)));
    let more = all.len().saturating_sub(LINES);
    let more = (more > 0).then(|| format!("  {}", paint::dim(format!("… {}", count(more, "more line")))));
    shown.chain(more).collect()
}
