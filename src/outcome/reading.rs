//! What was read from a reply, and the functions that read one.

use serde::Serialize;

use super::OTHER;
use super::answer::answer;
use super::decide::decide;
use super::finding::Finding;
use super::repair::Repair;
use super::unread::Unread;
use crate::recipe::{StepOutline, WireEnum};

/// The outcome that a reply reports.
///
/// ```
/// use surefire::outcome::{Reading, Repair, read_among};
///
/// let reply = r#"The key is missing. {"outcome": "other", "otherDescription": "no API key",}"#;
/// let reading = Reading {
///     outcome: "other",
///     description: Some("no API key".to_owned()),
///     findings: vec![],
///     repaired: vec![Repair::TrailingComma],
/// };
/// assert_eq!(read_among(reply, &["complete", "other"]), Ok(reading));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reading<O> {
    /// The outcome.
    pub outcome: O,
    /// The agent's description of `other`; `None` for every other outcome.
    pub description: Option<String>,
    /// The findings that the agent lists; at most 50.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// What had to be repaired, each kind once.
    pub repaired: Vec<Repair>,
}

/// Reads the outcome that a reply reports about a step, by its name.
///
/// The last JSON object with an `outcome` decides; text before and after it does not matter.
/// `docs/OUTCOMES.md` has the exact rules.
///
/// ```
/// use surefire::outcome::read;
/// use surefire::recipes::ImplementAndReview;
///
/// let step = ImplementAndReview::OUTLINE.first_step();
/// let reading = read("There was nothing to do.\n\n{\"outcome\": \"no-tasks\"}", step)?;
/// assert_eq!(reading.outcome, "no-tasks");
/// # Ok::<(), surefire::outcome::Unread>(())
/// ```
///
/// # Errors
/// Why it reports no outcome; see [`reminder`](super::reminder) for what to answer.
pub fn read(reply: &str, step: &StepOutline) -> Result<Reading<&'static str>, Unread> {
    let names: Vec<&'static str> = step.outcomes.iter().map(|outcome| outcome.name).collect();
    // An agent that was asked before an outcome got another name answers with the former one.
    let former = |name: &str| step.outcome_once_named(name);
    read_at(reply, &names, former, |index| names[index])
}

/// Reads the outcome that a reply reports, as a variant of the step's own enum.
///
/// ```
/// use surefire::outcome::read_as;
/// use surefire::recipes::implement_and_review::ImplementOutcome;
///
/// let reading = read_as::<ImplementOutcome>(r#"{"outcome": "no-tasks"}"#)?;
/// assert_eq!(reading.outcome, ImplementOutcome::NoTasks);
/// # Ok::<(), surefire::outcome::Unread>(())
/// ```
///
/// # Errors
/// Why it reports no outcome.
pub fn read_as<O: WireEnum>(reply: &str) -> Result<Reading<O>, Unread> {
    read_at(reply, O::NAMES, |_| None, |index| O::ALL[index])
}

/// Reads the outcome that a reply reports, if the possible outcomes are only known at run time.
///
/// ```
/// use surefire::outcome::read_among;
///
/// let reading = read_among(r#"So: {"outcome": "no"}."#, &["yes", "no"])?;
/// assert_eq!(reading.outcome, "no");
/// # Ok::<(), surefire::outcome::Unread>(())
/// ```
///
/// # Errors
/// Why it reports no outcome.
pub fn read_among<'n>(reply: &str, names: &[&'n str]) -> Result<Reading<&'n str>, Unread> {
    read_at(reply, names, |_| None, |index| names[index])
}

/// Reads an outcome as its index among the possible ones, or by another name that it has.
fn read_at<O>(
    reply: &str,
    names: &[&str],
    other_name: impl Fn(&str) -> Option<usize>,
    outcome: impl Fn(usize) -> O,
) -> Result<Reading<O>, Unread> {
    let (object, text) = decide(reply)?;
    let answer = answer(text, &object)?;
    let index = names.iter().position(|name| *name == answer.outcome);
    let Some(index) = index.or_else(|| other_name(&answer.outcome)) else {
        return Err(Unread::unknown(&answer.outcome, names));
    };
    let description = if names[index] == OTHER {
        let description = answer.description.filter(|text| !text.trim().is_empty());
        Some(description.ok_or(Unread::OtherWithoutDescription)?.into_owned())
    } else {
        None
    };
    let findings = answer.findings;
    Ok(Reading { outcome: outcome(index), description, findings, repaired: object.repaired })
}
