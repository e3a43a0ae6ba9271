//! How a run is shown while it is running: alive in a terminal, line by line elsewhere, or as messages for programs.

use super::console::Console;
use super::format::{one_line, visible};
use super::live::Region;
use super::{live, paint};
use crate::engine::Clock;
use crate::store::Role;
use crate::view::{Timeline, Visit, short_id, took};
use crate::wire::{JournalEvent, ServerMessage, SessionHistory, Telling};

/// The width of a terminal that does not say.
const USUAL_WIDTH: usize = 80;

/// One run at a time, as somebody wants to see it.
pub(in crate::cli) struct View {
    console: Console,
    form: Form,
}

enum Form {
    /// The wire's messages, one a line.
    Json(Option<Telling>),
    /// A line for everything that happens.
    Lines { remarks: usize },
    /// Lines that change.
    Live { region: Region, said: String, turn: usize },
}

impl View {
    pub(in crate::cli) fn new(console: Console, json: bool) -> Self {
        let form = match (json, console.can_redraw()) {
            (true, _) => Form::Json(None),
            (false, true) => Form::Live { region: Region::default(), said: String::new(), turn: 0 },
            (false, false) => Form::Lines { remarks: 0 },
        };
        Self { console, form }
    }

    /// Whether it changes by itself.
    pub(in crate::cli) const fn is_live(&self) -> bool {
        matches!(self.form, Form::Live { .. })
    }

    pub(in crate::cli) const fn is_json(&self) -> bool {
        matches!(self.form, Form::Json(_))
    }

    /// A run is about to be told: from its beginning, or from behind what has happened already.
    pub(in crate::cli) fn begins(&mut self, timeline: &Timeline, past: &[JournalEvent]) {
        let run = timeline.facts();
        match &mut self.form {
            Form::Json(telling) => {
                let telling = telling.insert(Telling {
                    run: run.run,
                    session: run.session,
                    recipe_id: run.recipe.clone(),
                    recipe_label: run.recipe_label.clone(),
                    // The first event says which step that is.
                    step: String::new(),
                    step_count: 1,
                    rehearsal: run.rehearsal,
                    in_turn: false,
                });
                for told in past {
                    telling.tell(told.seq, told.at.0, &told.event);
                }
            }
            Form::Lines { .. } | Form::Live { .. } => {
                if let (Form::Lines { remarks }, Some(visit)) = (&mut self.form, timeline.view().current()) {
                    *remarks = visit.remarks.len();
                }
                let directory = one_line(&run.directory);
                let label = paint::bold(visible(&run.recipe_label));
                let id = short_id(&run.run);
                self.console.say(format!("{label} · run {id} · {} in {directory}", visible(&run.agent)));
                if run.rehearsal {
                    self.console.say(paint::yellow(
                        "This is a rehearsal: the agent only pretends, and changes nothing.",
                    ));
                }
                if let Some(visit) = timeline.view().current() {
                    let step = visible(&visit.step);
                    self.console.say(format!("It had come to step {}: {step}", visit.number));
                    if let Some(wait) = visit.remarks.last().filter(|_| timeline.is_paused()) {
                        self.console.say(format!("  {}", one_line(wait)));
                    }
                }
            }
        }
    }

    /// Something happened, and the timeline has it already. `before` is how many visits it had without it.
    pub(in crate::cli) fn happened(&mut self, timeline: &Timeline, told: &JournalEvent, before: usize) {
        match &mut self.form {
            Form::Json(telling) => {
                let messages =
                    telling.iter_mut().flat_map(|telling| telling.tell(told.seq, told.at.0, &told.event));
                for message in messages {
                    self.console.plain(message.to_json());
                }
            }
            Form::Lines { remarks } => {
                for line in news(timeline, before, remarks) {
                    self.console.say(line);
                }
            }
            Form::Live { region, said, .. } => {
                let width = width(self.console);
                let left = before.checked_sub(1).and_then(|index| timeline.view().visits.get(index));
                if let Some(visit) = left.filter(|visit| visit.ended.is_some() && !timeline.is_paused()) {
                    said.clear();
                    self.console.redraw(&region.clear(), &format!("{}\n", live::done(visit, width)));
                }
            }
        }
    }

    /// Somebody said something in the run's session.
    pub(in crate::cli) fn said(&mut self, history: &SessionHistory) {
        match &mut self.form {
            Form::Json(_) => self.console.plain(ServerMessage::SessionHistory(history.clone()).to_json()),
            Form::Lines { .. } => {}
            Form::Live { said, .. } => {
                let agent =
                    history.messages.iter().rev().find(|message| message.role.parse() == Ok(Role::Assistant));
                if let Some(message) = agent {
                    said.clone_from(&message.text);
                }
            }
        }
    }

    /// A command of the run printed a line. Only a terminal that can redraw shows it.
    pub(in crate::cli) fn printed(&mut self, line: String) {
        if let Form::Live { said, .. } = &mut self.form {
            *said = line;
        }
    }

    /// Something about the watching itself.
    pub(in crate::cli) fn note(&mut self, words: &str) {
        match &mut self.form {
            Form::Json(_) | Form::Lines { .. } => self.console.warn(words),
            Form::Live { region, .. } => {
                self.console.redraw(&region.clear(), &format!("{}\n", paint::yellow(words)));
            }
        }
    }

    /// Time has passed.
    pub(in crate::cli) fn tick(&mut self, timeline: &Timeline) {
        if let Form::Live { region, said, turn } = &mut self.form {
            *turn += 1;
            let width = width(self.console);
            let lines = live::frame(timeline, Clock::system().now(), *turn, said, width);
            let (control, text) = (region.clear(), region.draw(&lines));
            self.console.redraw(&control, &text);
        }
    }

    /// Takes away what would change.
    pub(in crate::cli) fn over(&mut self) {
        if let Form::Live { region, .. } = &mut self.form {
            self.console.redraw(&region.clear(), "");
        }
    }
}

/// How wide the terminal really is: a line that changes and does not fit could not be taken away again.
fn width(console: Console) -> usize {
    console.size().map_or(USUAL_WIDTH, |(width, _)| width)
}

/// What is new in a timeline since it had so many visits, and this many remarks in the last of them.
fn news(timeline: &Timeline, before: usize, remarks: &mut usize) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(visit) = before.checked_sub(1).and_then(|index| timeline.view().visits.get(index)) {
        lines.extend(visit.remarks.iter().skip(*remarks).map(|remark| format!("  {}", one_line(remark))));
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
