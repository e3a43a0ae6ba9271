//! Output while a run is followed: redrawn in a terminal, line by line elsewhere, or as JSON
//! messages for programs.

use super::console::Console;
use super::format::{one_line, visible};
use super::live::Region;
use super::{live, paint};
use crate::engine::Clock;
use crate::store::Role;
use crate::view::{Timeline, Visit, short_id, took};
use crate::wire::{JournalEvent, RunBroadcast, ServerMessage, SessionHistory};

/// The width assumed for a terminal that does not report one.
const DEFAULT_WIDTH: usize = 80;

/// Prints one run at a time, in the form that the user chose.
pub(in crate::cli) struct View {
    console: Console,
    form: Form,
}

enum Form {
    /// Protocol messages, one per line.
    Json(Option<RunBroadcast>),
    /// One line per event.
    Lines { remarks: usize },
    /// A region that is redrawn.
    Live { region: Region, last_output: String, turn: usize },
}

impl View {
    pub(in crate::cli) fn new(console: Console, json: bool) -> Self {
        let form = match (json, console.can_redraw()) {
            (true, _) => Form::Json(None),
            (false, true) => {
                Form::Live { region: Region::default(), last_output: String::new(), turn: 0 }
            }
            (false, false) => Form::Lines { remarks: 0 },
        };
        Self { console, form }
    }

    /// Whether the output is redrawn as time passes.
    pub(in crate::cli) const fn is_live(&self) -> bool {
        matches!(self.form, Form::Live { .. })
    }

    pub(in crate::cli) const fn is_json(&self) -> bool {
        matches!(self.form, Form::Json(_))
    }

    /// Prints the heading of a run. Events in `past` are not printed again.
    pub(in crate::cli) fn begins(&mut self, timeline: &Timeline, past: &[JournalEvent]) {
        let run = timeline.facts();
        match &mut self.form {
            Form::Json(broadcast) => {
                let broadcast = broadcast.insert(RunBroadcast {
                    run: run.run,
                    session: run.session,
                    recipe_id: run.recipe.clone(),
                    recipe_label: run.recipe_label.clone(),
                    // The first event names the step.
                    step: String::new(),
                    step_count: 1,
                    rehearsal: run.rehearsal,
                    in_turn: false,
                });
                for record in past {
                    broadcast.apply(record.seq, record.at.0, &record.event);
                }
            }
            Form::Lines { .. } | Form::Live { .. } => {
                if let (Form::Lines { remarks }, Some(visit)) =
                    (&mut self.form, timeline.view().current())
                {
                    *remarks = visit.remarks.len();
                }
                let directory = one_line(&run.directory);
                let label = paint::bold(visible(&run.recipe_label));
                let id = short_id(&run.run);
                self.console
                    .say(format!("{label} · run {id} · {} in {directory}", visible(&run.agent)));
                if run.rehearsal {
                    self.console.say(paint::yellow(
                        "This is a rehearsal: the agent only pretends, and changes nothing.",
                    ));
                }
                if let Some(visit) = timeline.view().current() {
                    let step = visible(&visit.step);
                    self.console.say(format!("Resuming at step {}: {step}", visit.number));
                    if let Some(wait) = visit.remarks.last().filter(|_| timeline.is_paused()) {
                        self.console.say(format!("  {}", one_line(wait)));
                    }
                }
            }
        }
    }

    /// Prints an event that was just applied to the timeline. `before` is the number of visits
    /// before it.
    pub(in crate::cli) fn happened(
        &mut self,
        timeline: &Timeline,
        record: &JournalEvent,
        before: usize,
    ) {
        match &mut self.form {
            Form::Json(broadcast) => {
                let messages = broadcast
                    .iter_mut()
                    .flat_map(|broadcast| broadcast.apply(record.seq, record.at.0, &record.event));
                for message in messages {
                    self.console.plain(message.to_json());
                }
            }
            Form::Lines { remarks } => {
                for line in news(timeline, before, remarks) {
                    self.console.say(line);
                }
            }
            Form::Live { region, last_output, .. } => {
                let width = width(self.console);
                let left =
                    before.checked_sub(1).and_then(|index| timeline.view().visits.get(index));
                if let Some(visit) =
                    left.filter(|visit| visit.ended.is_some() && !timeline.is_paused())
                {
                    last_output.clear();
                    self.console
                        .redraw(&region.clear(), &format!("{}\n", live::done(visit, width)));
                }
            }
        }
    }

    /// Shows new messages of the run's session.
    pub(in crate::cli) fn messages(&mut self, history: &SessionHistory) {
        match &mut self.form {
            Form::Json(_) => {
                self.console.plain(ServerMessage::SessionHistory(history.clone()).to_json());
            }
            Form::Lines { .. } => {}
            Form::Live { last_output, .. } => {
                let agent = history
                    .messages
                    .iter()
                    .rev()
                    .find(|message| message.role.parse() == Ok(Role::Assistant));
                if let Some(message) = agent {
                    last_output.clone_from(&message.text);
                }
            }
        }
    }

    /// Shows a line that a command of the run printed, if the terminal can redraw.
    pub(in crate::cli) fn printed(&mut self, line: String) {
        if let Form::Live { last_output, .. } = &mut self.form {
            *last_output = line;
        }
    }

    /// Prints a note about following the run, not about the run itself.
    pub(in crate::cli) fn note(&mut self, words: &str) {
        match &mut self.form {
            Form::Json(_) | Form::Lines { .. } => self.console.warn(words),
            Form::Live { region, .. } => {
                self.console.redraw(&region.clear(), &format!("{}\n", paint::yellow(words)));
            }
        }
    }

    /// Redraws the region, so that spinner and clock advance.
    pub(in crate::cli) fn tick(&mut self, timeline: &Timeline) {
        if let Form::Live { region, last_output, turn } = &mut self.form {
            *turn += 1;
            let width = width(self.console);
            let lines = live::frame(timeline, Clock::system().now(), *turn, last_output, width);
            let (control, text) = (region.clear(), region.draw(&lines));
            self.console.redraw(&control, &text);
        }
    }

    /// Erases the redrawn region.
    pub(in crate::cli) fn over(&mut self) {
        if let Form::Live { region, .. } = &mut self.form {
            self.console.redraw(&region.clear(), "");
        }
    }
}

/// The terminal's actual width. A redrawn line that wraps could not be erased again.
fn width(console: Console) -> usize {
    console.size().map_or(DEFAULT_WIDTH, |(width, _)| width)
}

/// The lines for what was added to the timeline after `before` visits, the last of which had this
/// many remarks.
fn news(timeline: &Timeline, before: usize, remarks: &mut usize) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(visit) = before.checked_sub(1).and_then(|index| timeline.view().visits.get(index)) {
        lines.extend(
            visit.remarks.iter().skip(*remarks).map(|remark| format!("  {}", one_line(remark))),
        );
        *remarks = visit.remarks.len();
        if visit.ended.is_some() && !timeline.is_paused() {
            lines.push(left(visit));
        }
    }
    let view = timeline.view();
    for visit in view.visits.iter().skip(before) {
        *remarks = 0;
        let most = view.max_steps.map(|most| format!(" of at most {most}")).unwrap_or_default();
        lines.push(format!("step {}{most}: {}", visit.number, visible(&visit.step)));
    }
    lines
}

fn left(visit: &Visit) -> String {
    let time = took(visit.took(visit.began));
    match &visit.outcome {
        Some(outcome) => format!("  {} after {time}", visible(outcome)),
        None => format!("  stopped after {time}"),
    }
}
