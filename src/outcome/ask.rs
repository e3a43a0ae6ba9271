//! Instructions for the agent: how to report an outcome, and what was wrong with the last report.

use std::fmt::Display;

use super::{DESCRIPTION, FINDINGS, OTHER, OUTCOME};
use crate::recipe::{OutcomeOutline, StepOutline};

/// An example description of `other`. A whole sentence, because agents repeat placeholders.
const EXAMPLE: &str = "Waiting for external API response";

/// Example findings.
const EXAMPLE_FINDINGS: &str =
    r#"[{"file": "src/cart.rs", "line": 12, "text": "Totals are rounded twice"}]"#;

/// The text to append to a step's prompt, after an empty line: it lists the last lines with which
/// the agent's reply may end.
///
/// ```
/// use surefire::outcome::instructions;
/// use surefire::recipes::ImplementAndReview;
///
/// let step = ImplementAndReview::OUTLINE.step("code-review").unwrap();
/// assert_eq!(
///     instructions(step),
///     r#"End your response with a JSON block on the last line. Choose one of these:
///
/// {"outcome": "no-issues"}
/// {"outcome": "issues-found", "findings": [{"file": "src/cart.rs", "line": 12, "text": "Totals are rounded twice"}]}
/// {"outcome": "other", "otherDescription": "Waiting for external API response"}
///
/// For `issues-found`, list what you found in `findings`: one entry for each finding, in one sentence, with `file` and `line` if it has them.
///
/// For `other`, put what happened into `otherDescription`, in your own words.
///
/// Your possible outcomes for this step: no-issues, issues-found, other"#
/// );
/// ```
///
/// Where an outcome carries findings, its line shows how to list them:
///
/// ```
/// surefire::recipe! {
///     recipe Polish {
///         initial: Review,
///         guardrails: { max_step_visits: 3, exit_on_other: false },
///         step Review {
///             prompt: "Review the changes, and fix what you find.",
///             outcomes: [NoIssues, IssuesFound],
///             NoIssues => exit ChangesCommitted,
///             IssuesFound(findings) => Review,
///         }
///     }
/// }
///
/// assert_eq!(
///     surefire::outcome::instructions(&Polish::OUTLINE.steps[0]),
///     r#"End your response with a JSON block on the last line. Choose one of these:
///
/// {"outcome": "no-issues"}
/// {"outcome": "issues-found", "findings": [{"file": "src/cart.rs", "line": 12, "text": "Totals are rounded twice"}]}
///
/// For `issues-found`, list what you found in `findings`: one entry for each finding, in one sentence, with `file` and `line` if it has them.
///
/// Your possible outcomes for this step: no-issues, issues-found"#
/// );
/// ```
///
/// What an author writes about an outcome says when to choose it:
///
/// ```
/// surefire::recipe! {
///     recipe Triage {
///         initial: Judge,
///         guardrails: { exit_on_other: false },
///         step Judge {
///             prompt: "Judge the report.",
///             outcomes: [
///                 /// Customers see it.
///                 Urgent,
///                 Later,
///             ],
///             Urgent => exit ImplementationBlocked,
///             Later => exit NoTasksAvailable,
///         }
///     }
/// }
/// # fn main() {
/// assert_eq!(
///     surefire::outcome::instructions(Triage::OUTLINE.first_step()),
///     r#"End your response with a JSON block on the last line. Choose one of these:
///
/// {"outcome": "urgent"}
/// {"outcome": "later"}
///
/// When to choose which:
/// - `urgent`: Customers see it.
///
/// Your possible outcomes for this step: urgent, later"#
/// );
/// # }
/// ```
#[must_use]
pub fn instructions(step: &StepOutline) -> String {
    let outcomes = outcomes(step);
    let lines: String = outcomes.iter().map(|outcome| line(outcome) + "\n").collect();
    let described = outcomes.iter().filter(|outcome| !outcome.description.is_empty());
    let rules: String =
        described.map(|it| format!("- `{}`: {}\n", it.name, it.description)).collect();
    let rules = if rules.is_empty() { rules } else { format!("\nWhen to choose which:\n{rules}") };
    let with_findings: Vec<_> =
        outcomes.iter().filter(|it| it.findings).map(|it| it.name).collect();
    let about_findings = if with_findings.is_empty() {
        String::new()
    } else {
        format!(
            "\nFor `{}`, list what you found in `{FINDINGS}`: one entry for each finding, in one sentence, \
             with `file` and `line` if it has them.\n",
            with_findings.join("` and `")
        )
    };
    let about_other = if outcomes.iter().any(|outcome| outcome.name == OTHER) {
        format!("\nFor `{OTHER}`, put what happened into `{DESCRIPTION}`, in your own words.\n")
    } else {
        String::new()
    };
    let names = outcomes.iter().map(|outcome| outcome.name).collect::<Vec<_>>().join(", ");
    format!(
        "End your response with a JSON block on the last line. Choose one of these:\n\n\
         {lines}{rules}{about_findings}{about_other}\n\
         Your possible outcomes for this step: {names}"
    )
}

/// The prompt after a reply that could not be read: what was wrong, and the instructions again.
/// The problem is an [`Unread`](super::Unread), or its text if only that was stored.
///
/// ```
/// use surefire::outcome::{read, reminder};
/// use surefire::recipes::ImplementAndReview;
///
/// let step = ImplementAndReview::OUTLINE.first_step();
/// let problem = read("All done!", step).unwrap_err();
/// let reminder = reminder(step, &problem);
/// assert!(
///     reminder.starts_with(
///         "Your last reply could not be used: there is no JSON object in the reply;"
///     )
/// );
/// assert!(reminder.contains("Please respond again with JSON per the instructions."));
/// assert!(reminder.contains(r#"{"outcome": "complete"}"#));
/// ```
#[must_use]
pub fn reminder(step: &StepOutline, problem: impl Display) -> String {
    let instructions = instructions(step);
    format!(
        "Your last reply could not be used: {problem}.\n\n\
         Please respond again with JSON per the instructions. There is no need to repeat the work.\n\n\
         {instructions}"
    )
}

/// The step's outcomes in their order, but with `other` last.
fn outcomes(step: &StepOutline) -> Vec<&'static OutcomeOutline> {
    let (other, mut outcomes): (Vec<_>, Vec<_>) =
        step.outcomes.iter().partition(|outcome| outcome.name == OTHER);
    outcomes.extend(other);
    outcomes
}

fn line(outcome: &OutcomeOutline) -> String {
    let name = outcome.name;
    let description =
        if name == OTHER { format!(r#", "{DESCRIPTION}": "{EXAMPLE}""#) } else { String::new() };
    let findings = if outcome.findings {
        format!(r#", "{FINDINGS}": {EXAMPLE_FINDINGS}"#)
    } else {
        String::new()
    };
    format!(r#"{{"{OUTCOME}": "{name}"{description}{findings}}}"#)
}

#[cfg(test)]
#[allow(clippy::empty_docs, reason = "a doc comment that says nothing is what one test is about")]
mod tests {
    use super::*;
    use crate::outcome::read;

    crate::recipe! {
        /// For the tests.
        recipe Asking {
            initial: Look,
            guardrails: { exit_on_other: false },

            step Look {
                prompt: "Look.",
                outcomes: [Other, Found, NotFound],
                Other => exit UserProvidedOther,
                Found => Act,
                NotFound => exit NoTasksAvailable,
            }
            step Act { prompt: "Act.", outcomes: [Complete], Complete => exit ChangesCommitted }
        }
    }

    #[test]
    fn other_comes_last_and_only_where_there_is_one() {
        let text = instructions(Asking::OUTLINE.first_step());
        assert!(
            text.ends_with("Your possible outcomes for this step: found, not-found, other"),
            "{text}"
        );
        let text = instructions(&Asking::OUTLINE.steps[1]);
        assert!(!text.contains(OTHER), "{text}");
    }

    #[test]
    fn every_offered_line_can_be_read() {
        for step in Asking::OUTLINE.steps {
            let text = instructions(step);
            let lines: Vec<_> = text.lines().filter(|line| line.starts_with('{')).collect();
            let read: Vec<_> =
                lines.iter().map(|line| read(line, step).map(|it| it.outcome)).collect();
            assert_eq!(read, outcomes(step).into_iter().map(|it| Ok(it.name)).collect::<Vec<_>>());
            assert!(
                !text.contains(['<', '>', '…']) && !text.contains("..."),
                "no placeholders: {text}"
            );
        }
    }

    crate::steps! {
        steps judgement(worked) {
            step Judge {
                prompt: "Judge.",
                outcomes: [
                    /// It works,
                    /// and the tests `{"pass"}`.
                    ///
                    /// Not part of the rule.
                    Works,
                    /// It is {"outcome": "broken"}; see `Fix`.
                    Broken,
                    ///
                    Unclear,
                    /// Nobody knows.
                    Other,
                ],
                Works => worked,
                Broken(findings) => exit ReviewRejected,
                Unclear => exit ClarificationNeeded,
                Other => exit UserProvidedOther,
            }
        }
    }

    crate::recipe! {
        recipe Judging {
            initial: Judge,
            include judgement(worked => exit ChangesCommitted);
        }
    }

    #[test]
    fn the_first_paragraph_about_an_outcome_says_when_to_choose_it() {
        let step = Judging::OUTLINE.first_step();
        let text = instructions(step);
        let rules = "\n\nWhen to choose which:\n\
            - `works`: It works, and the tests `{\"pass\"}`.\n\
            - `broken`: It is {\"outcome\": \"broken\"}; see `Fix`.\n\
            - `other`: Nobody knows.\n\n\
            For `broken`, list";
        assert!(text.contains(rules), "{text}");
        assert!(reminder(step, "x").ends_with(&text), "a reminder repeats the rules");
        let plain = instructions(Asking::OUTLINE.first_step());
        assert!(!plain.contains("When to choose"), "{plain}");
    }

    #[test]
    fn an_outcome_with_findings_shows_how_to_list_them() {
        let step = Asking::OUTLINE.first_step();
        let carrying: Vec<_> = step
            .outcomes
            .iter()
            .map(|outcome| OutcomeOutline { findings: true, ..*outcome })
            .collect();
        let text = instructions(&StepOutline { outcomes: carrying.leak(), ..*step });
        let lines: Vec<_> = text.lines().filter(|line| line.starts_with('{')).collect();
        for line in lines {
            let reading = read(line, step).expect("an offered line can be read");
            let found: Vec<_> = reading.findings.iter().map(ToString::to_string).collect();
            assert_eq!(found, ["src/cart.rs:12: Totals are rounded twice"], "{line}");
        }
        assert!(
            text.contains("\n\nFor `found` and `not-found` and `other`, list what you found"),
            "{text}"
        );
        assert!(
            !instructions(step).contains("findings"),
            "findings are asked for only where an outcome carries them"
        );
    }

    #[test]
    fn a_reminder_names_each_kind_of_problem() {
        let step = Asking::OUTLINE.first_step();
        for reply in [
            "",
            "{\"a\": 1}",
            "{\"outcome\": \"x",
            "{\"outcome\": \"x\"}",
            "{\"outcome\": \"other\"}",
        ] {
            let problem = read(reply, step).expect_err(reply);
            let text = reminder(step, &problem);
            assert!(text.contains(&problem.to_string()), "{text}");
            assert!(
                text.contains("Please respond again with JSON per the instructions."),
                "{text}"
            );
            assert!(text.ends_with(&instructions(step)), "{text}");
        }
    }
}
