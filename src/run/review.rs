//! The reviews of a run: what each round of a reviewing step found, whether the rounds make
//! progress, and what the prompts say about it.
//!
//! A reviewing step has an outcome that carries findings. A round is one report of such an outcome
//! that lists at least one finding and was followed.

use std::collections::BTreeSet;

use super::event::{Event, ReplyReading};
use super::resumed::ResumedBy;
use crate::outcome::Finding;
use crate::{Exit, ExitReason, Outline};

/// How many findings the description of an exit names, and the maximum length of each, in
/// characters.
const MAX_NAMED: usize = 5;
const MAX_NAMED_CHARS: usize = 200;

/// How many findings a prompt lists, and how long that list may be, in characters.
const MAX_LISTED: usize = 20;
const MAX_LIST_CHARS: usize = 4000;

/// The fewest rounds over which the number of findings can be compared.
const MIN_ROUNDS: u32 = 2;

/// The reviews of a run. They follow from its events alone: see [`Reviews::apply`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reviews {
    /// The outcomes that carry findings, each with its step.
    carriers: Vec<(&'static str, &'static str)>,
    /// The step of the last turn.
    step: String,
    /// The agent's last report, until it is followed or the agent is asked again.
    reported: Option<Reported>,
    /// The reviews with open findings, ordered by their last report.
    open: Vec<Review>,
}

/// An outcome that the agent reported.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Reported {
    outcome: String,
    findings: Vec<Finding>,
}

/// A reviewing step with open findings.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Review {
    step: String,
    /// The findings of each round, never empty.
    rounds: Vec<Vec<Finding>>,
    /// How many rounds came before a person resumed the run: they no longer count.
    forgiven: usize,
}

impl Reviews {
    pub(super) fn new(recipe: &Outline) -> Self {
        let carriers = recipe.steps.iter().flat_map(|step| {
            let carrying = step.outcomes.iter().filter(|outcome| outcome.findings);
            carrying.map(|outcome| (step.name, outcome.name))
        });
        Self { carriers: carriers.collect(), step: String::new(), reported: None, open: Vec::new() }
    }

    /// Applies an event.
    pub(super) fn apply(&mut self, event: &Event) {
        match event {
            Event::TurnBegan { step, .. } => {
                self.step.clone_from(step);
                self.reported = None;
            }
            Event::Replied { read: ReplyReading::Outcome { outcome, findings, .. }, .. } => {
                self.reported =
                    Some(Reported { outcome: outcome.clone(), findings: findings.clone() });
            }
            Event::Moved { .. } => self.follow(),
            Event::Ended { ending, .. } if ending.outcome.is_some() => self.follow(),
            // What was reported before is not followed.
            Event::LimitReached { .. } | Event::Ended { .. } => self.reported = None,
            Event::Resumed { by: ResumedBy::User, .. } => {
                for review in &mut self.open {
                    review.forgiven = review.rounds.len();
                }
            }
            Event::Started { .. }
            | Event::TreeSeen { .. }
            | Event::RulesBroken { .. }
            | Event::WorktreeEnded { .. }
            | Event::ToolsRefused { .. }
            | Event::Replied {
                read: ReplyReading::Unread { .. } | ReplyReading::NotAsked, ..
            }
            | Event::CheckBegan { .. }
            | Event::Checked { .. }
            | Event::Retried { .. }
            | Event::PromptQueued { .. }
            | Event::Resumed { by: ResumedBy::Auto, .. } => {}
        }
    }

    /// The run follows the reported outcome, so its findings become a round.
    fn follow(&mut self) {
        let Some(Reported { outcome, findings }) = self.reported.take() else { return };
        let index = self.open.iter().position(|review| review.step == self.step);
        if !self.carries(&self.step, &outcome) {
            index.map(|index| self.open.remove(index));
        } else if !findings.is_empty() {
            let mut review = match index {
                Some(index) => self.open.remove(index),
                None => Review { step: self.step.clone(), rounds: Vec::new(), forgiven: 0 },
            };
            review.rounds.push(findings);
            self.open.push(review);
        }
    }

    /// Whether this outcome of this step carries findings.
    pub(super) fn carries(&self, step: &str, outcome: &str) -> bool {
        self.carriers.contains(&(step, outcome))
    }

    /// The exit of a run in a review loop: the last report repeats the findings of an earlier
    /// round, or the number of findings did not shrink over `max_rounds` rounds.
    pub(super) fn stuck(&self, max_rounds: u32) -> Option<Exit> {
        let Reported { outcome, findings } = self.reported.as_ref()?;
        if findings.is_empty() || !self.carries(&self.step, outcome) {
            return None;
        }
        let review = self.open.iter().find(|review| review.step == self.step)?;
        let rounds: Vec<_> = review.rounds.iter().skip(review.forgiven).chain([findings]).collect();
        let (_, before) = rounds.split_last()?;
        let found = normalised(findings);
        let named = named(findings);
        if before.iter().any(|round| normalised(round) == found) {
            let round = review.rounds.len() + 1;
            let words = format!("the same findings came back in round {round}: {named}");
            return Some(Exit::because(ExitReason::ReviewLoopDetected).describe(words));
        }
        let window = usize::try_from(max_rounds.max(MIN_ROUNDS)).unwrap_or(usize::MAX);
        let numbers: Vec<_> =
            rounds[rounds.len().checked_sub(window)?..].iter().map(|it| it.len()).collect();
        let words = || {
            let counts: Vec<_> = numbers.iter().map(ToString::to_string).collect();
            format!(
                "the findings did not get fewer over {window} rounds ({}): {named}",
                counts.join(", ")
            )
        };
        let grew = numbers.last() >= numbers.first();
        grew.then(|| Exit::because(ExitReason::ReviewLoopDetected).describe(words()))
    }

    /// The paragraph before the prompt of a step while findings are open.
    pub(super) fn paragraph(&self, step: &str) -> Option<String> {
        let own = self.open.iter().find(|review| review.step == step);
        let review = own.or(self.open.last())?;
        let (rounds, list) = (review.rounds.len(), list(review.rounds.last()?));
        Some(if own.is_some() {
            format!(
                "This is review round {}. Round {rounds} found:\n{list}\n\
                 Report only what is still open or new; do not repeat what is resolved.",
                rounds + 1
            )
        } else {
            format!(
                "Open findings of the last review (round {rounds} of `{}`):\n{list}",
                review.step
            )
        })
    }
}

/// The findings as a list, truncated to what fits into a prompt.
fn list(findings: &[Finding]) -> String {
    let (mut lines, mut chars) = (Vec::new(), 0);
    for finding in findings.iter().take(MAX_LISTED) {
        let line = format!("- {finding}");
        chars += line.chars().count();
        if chars > MAX_LIST_CHARS && !lines.is_empty() {
            break;
        }
        lines.push(line);
    }
    let more = findings.len() - lines.len();
    if more > 0 {
        lines.push(format!("- and {more} more"));
    }
    lines.join("\n")
}

/// The first few findings, and how many more there are, in one sentence.
fn named(findings: &[Finding]) -> String {
    let short = |finding: &Finding| {
        let words = finding.to_string();
        let words = words.trim_end_matches('.');
        match words.char_indices().nth(MAX_NAMED_CHARS) {
            Some((end, _)) => format!("{}…", &words[..end]),
            None => words.to_owned(),
        }
    };
    let named: Vec<_> = findings.iter().take(MAX_NAMED).map(short).collect();
    let more = findings.len() - named.len();
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    format!("{}{more}", named.join("; "))
}

/// The findings in a form in which repeated ones compare equal: order, repetition, case, spaces,
/// surrounding punctuation and line numbers do not matter.
fn normalised(findings: &[Finding]) -> BTreeSet<(String, String)> {
    let file = |finding: &Finding| finding.file.as_deref().map(comparable).unwrap_or_default();
    findings.iter().map(|finding| (comparable(&finding.text), file(finding))).collect()
}

fn comparable(text: &str) -> String {
    let lower = text.to_lowercase();
    let mut words: Vec<&str> = Vec::new();
    for word in lower.split_whitespace() {
        let is_number = bare(word).split('-').all(is_line_number);
        if is_number && matches!(words.last(), Some(&("line" | "lines"))) {
            continue;
        }
        words.push(without_line(word));
    }
    bare(&words.join(" ")).to_owned()
}

/// The text without the punctuation at its ends.
fn bare(text: &str) -> &str {
    text.trim_matches(|c: char| !c.is_alphanumeric())
}

fn is_line_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A word such as `src/cart.rs:12:5:` without line and column, and without the punctuation that
/// follows them.
fn without_line(word: &str) -> &str {
    let mut path = word;
    let end = |path: &str| path.trim_end_matches(|c: char| !c.is_alphanumeric()).len();
    while let Some((before, number)) = path[..end(path)].rsplit_once(':')
        && before.contains(['.', '/'])
        && number.split('-').all(is_line_number)
    {
        path = before;
    }
    path.trim_end_matches(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(texts: &[&str]) -> Vec<Finding> {
        let one = |text: &&str| Finding {
            text: (*text).to_owned(),
            file: None,
            line: None,
            severity: None,
        };
        texts.iter().map(one).collect()
    }

    #[test]
    fn findings_are_compared_without_order_case_and_line_numbers() {
        let table: [(&[&str], &[&str], bool); 14] = [
            (&["a b", "c"], &["c", "a b", "c"], true),
            (&["Totals are\n  wrong."], &["totals ARE wrong!"], true),
            (&["`x` leaks"], &["x` leaks"], true),
            (&["`x` leaks"], &["`y` leaks"], false),
            (&["src/cart.rs:12: totals differ"], &["src/cart.rs:99: totals differ"], true),
            (&["src/cart.rs:12:5: totals differ"], &["src/cart.rs: totals differ"], true),
            (&["totals differ (src/cart.rs:12)"], &["totals differ (src/cart.rs:9-11)."], true),
            (&["wrong at line 12, twice"], &["wrong at line 30, twice"], true),
            (&["lines 3-5 are long"], &["Lines 10-12 are long"], true),
            (&["line 3"], &["line 3 of the header"], false),
            (&["takes 3 arguments"], &["takes 4 arguments"], false),
            (&["note:1"], &["note:2"], false),
            (&["a"], &["a", "b"], false),
            (&["é"], &["É"], true),
        ];
        for (one, other, is_same) in table {
            assert_eq!(
                normalised(&findings(one)) == normalised(&findings(other)),
                is_same,
                "{one:?} {other:?}"
            );
        }
        let at = |file: &str, line| Finding {
            text: "totals differ".to_owned(),
            file: Some(file.to_owned()),
            line: Some(line),
            severity: None,
        };
        assert_eq!(normalised(&[at("src/a.rs", 1)]), normalised(&[at("src/a.rs:7", 2)]));
        assert_ne!(normalised(&[at("src/a.rs", 1)]), normalised(&[at("src/b.rs", 1)]));
    }

    #[test]
    fn long_lists_are_truncated_and_the_rest_is_counted() {
        let many = vec!["x"; 50];
        let lines = list(&findings(&many));
        assert_eq!((lines.lines().count(), lines.lines().last()), (21, Some("- and 30 more")));
        let long = "x".repeat(500);
        let lines = list(&findings(&vec![long.as_str(); 20]));
        assert!(lines.chars().count() < MAX_LIST_CHARS + 50, "{}", lines.len());
        assert_eq!(lines.lines().last(), Some("- and 13 more"));
        assert_eq!(list(&findings(&["a", "b"])), "- a\n- b");
        assert_eq!(named(&findings(&["a", "b"])), "a; b");
        assert_eq!(named(&findings(&["It leaks.", "b…"])), "It leaks; b…");
        assert_eq!(named(&findings(&["a"; 8])), "a; a; a; a; a; and 3 more");
        assert_eq!(named(&findings(&[&long])).chars().count(), MAX_NAMED_CHARS + 1);
    }
}
