//! The labels in a diagram of a recipe, before each kind of diagram escapes them in its own way.

use std::time::Duration;

use super::{OutcomeOutline, StepOutline};
use crate::recipe::command_line::CommandLine;
use crate::recipe::step_limits::{AfterLimit, VisitLimit};

/// A longer label would stretch the diagram; the other forms of the outline have the whole text.
const MAX_TEXT_CHARS: usize = 48;

impl StepOutline {
    /// The lines in its box below the name: its own command, or the commands that verify it.
    pub(super) fn notes(&self) -> Vec<String> {
        let command = self.command.map(|step| format!("$ {}", short(step.command)));
        command
            .into_iter()
            .chain(self.verify.iter().map(|command| format!("✓ {}", short(command))))
            .collect()
    }
}

impl StepOutline {
    /// The limits that lead somewhere, each with the label of its arrow.
    pub(super) fn limit_arrows(&self) -> Vec<(String, AfterLimit)> {
        let after = self.limits.after_visit();
        let after = after.map(|(limit, next)| (format!("after {}", self.limit_value(limit)), next));
        let visits = self.limits.max_visits.map(|visits| match visits {
            1 => "visited once".to_owned(),
            2 => "visited twice".to_owned(),
            more => format!("visited {more} times"),
        });
        after.chain(visits.zip(self.limits.when_full)).collect()
    }

    /// The value of a visit's limit, for people: `30m`, `2 retries`, `$1.50`.
    pub(crate) fn limit_value(&self, limit: VisitLimit) -> String {
        let value = match limit {
            VisitLimit::Time => {
                let of_command = self.command.and_then(|command| command.time);
                let time = self.limits.time.or(of_command);
                time.map(written)
            }
            VisitLimit::Retries => self.limits.retries.map(|retries| match retries {
                1 => "1 retry".to_owned(),
                more => format!("{more} retries"),
            }),
            VisitLimit::Budget => self.limits.budget_usd.map(|budget| format!("${budget:.2}")),
        };
        value.unwrap_or_else(|| limit.to_string())
    }
}

impl OutcomeOutline {
    /// The label of its arrow: its name and the evidence it requires.
    pub(super) fn label(&self) -> String {
        let evidence: Vec<_> =
            self.evidence.iter().map(|evidence| cut(&evidence.to_string())).collect();
        match evidence.as_slice() {
            [] => self.name.to_owned(),
            found => format!("{} if {}", self.name, found.join(" and ")),
        }
    }
}

/// A time as authors write it, in the largest unit that divides it.
fn written(time: Duration) -> String {
    match time.as_secs() {
        whole if whole % 3600 == 0 => format!("{}h", whole / 3600),
        whole if whole % 60 == 0 => format!("{}m", whole / 60),
        whole => format!("{whole}s"),
    }
}

fn short(command: &CommandLine) -> String {
    cut(&command.to_string())
}

/// The text on one line, truncated if it is long.
fn cut(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= MAX_TEXT_CHARS {
        return line;
    }
    let kept: String = line.chars().take(MAX_TEXT_CHARS - 1).collect();
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_written_in_its_largest_unit() {
        let table = [(90, "90s"), (1_800, "30m"), (5_400, "90m"), (7_200, "2h")];
        for (seconds, text) in table {
            assert_eq!(written(Duration::from_secs(seconds)), text);
        }
    }

    #[test]
    fn a_text_stays_on_one_short_line() {
        assert_eq!(cut("cargo test \\\n    --workspace"), "cargo test \\ --workspace");
        let long = cut(&"ä ".repeat(60));
        assert!(long.chars().count() <= MAX_TEXT_CHARS && long.ends_with("ä…"), "{long}");
    }
}
