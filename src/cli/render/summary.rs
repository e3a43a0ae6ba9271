//! The end of a run: what happened, why, and what to do next.

use super::advice;
use super::advice::Here;
use super::format::{count, shortened, took, visible};
use super::paint;
use super::story::Story;
use crate::run::Ending;

/// How many lines of a description are shown, and how long they may be: what to do next shall not be out of sight.
const LINES: usize = 12;
const LINE: usize = 400;

/// The card of a run that has ended.
pub(in crate::cli) fn card(story: &Story, ending: &Ending, here: Here<'_>) -> String {
    let mut lines =
        vec![headline(ending), format!("  {}", visible(&ending.message)), format!("  {}", what(story))];
    lines.extend(described(ending));
    if ending.rehearsal {
        lines.push(format!("  {}", paint::bold("This was a rehearsal: nothing was really done.")));
    }
    lines.push(format!("  {}  {}", paint::bold("why "), why(ending)));
    lines.push(format!("  {}  {}", paint::bold("next"), visible(&ending.diagnosis)));
    let commands = advice::commands(story, ending, here);
    lines.extend(commands.iter().map(|command| format!("        {}", paint::cyan(command))));
    lines.join("\n")
}

/// Its title, with the sign and in the colour of its kind.
pub(in crate::cli) fn headline(ending: &Ending) -> String {
    let sign = paint::sign(ending.category, ending.goal_met);
    paint::end(ending.category, ending.goal_met, format!("{sign} {}", visible(&ending.title)))
}

/// The beginning of what is said about it beside its reason.
pub(in crate::cli) fn described(ending: &Ending) -> Vec<String> {
    let words = visible(ending.description.as_deref().unwrap_or_default());
    let all: Vec<_> = words.lines().filter(|line| !line.trim().is_empty()).collect();
    let bar = paint::dim("│");
    let shown = all.iter().take(LINES).map(|line| format!("  {bar} {}", shortened(line, LINE)));
    let more = all.len().saturating_sub(LINES);
    let more = (more > 0).then(|| format!("  {}", paint::dim(format!("… {}", count(more, "more line")))));
    shown.chain(more).collect()
}

/// What the run did, in a sentence.
fn what(story: &Story) -> String {
    let steps = count(story.visits.len(), "step");
    let most = story.max_steps.map(|most| format!(" of at most {most}")).unwrap_or_default();
    let cost =
        if story.cost_usd > 0.0 { format!(", for about ${:.2}", story.cost_usd) } else { String::new() };
    format!("{} took {steps}{most} in {}{cost}", story.run.recipe_id, took(story.took()))
}

/// The reason as programs know it, and what led to it.
pub(in crate::cli) fn why(ending: &Ending) -> String {
    let step = visible(&ending.step);
    let how = match &ending.outcome {
        Some(outcome) => format!("`{step}` reported `{}`", visible(outcome)),
        None => format!("it stopped at `{step}`"),
    };
    format!("{how}: {} ({}), exit status {}", visible(&ending.reason), ending.category, ending.exit_code)
}
