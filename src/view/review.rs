//! What the reviews of a run found, as clients show it.

use serde::{Deserialize, Serialize};

use super::visit::Visit;
use super::words::brief;
use crate::run::Finding;

/// How many rounds a view has, how many findings of each, and how much of a finding, in characters.
const MAX_ROUNDS: usize = 10;
const MAX_FINDINGS: usize = 20;
const MAX_TEXT_CHARS: usize = 300;

/// One round of a review: a report that listed findings and was followed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ShownReview {
    /// The step that reviewed.
    pub step: String,
    /// 1-based index of the round, since that step last found nothing.
    pub round: u32,
    /// The visit of the step, by its number.
    pub visit: u32,
    /// What was found; a long list is truncated.
    pub findings: Vec<Finding>,
    /// How many more findings there were.
    #[serde(default)]
    pub more: u32,
    /// Whether the step has found nothing since.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub settled: bool,
}

impl ShownReview {
    /// The total number of findings.
    fn total(&self) -> usize {
        self.findings.len() + self.more as usize
    }

    /// Its status as text.
    fn words(&self) -> String {
        let Self { step, round, .. } = self;
        if self.settled {
            format!("settled after round {round} of `{step}`")
        } else {
            format!("{} open after round {round} of `{step}`", self.total())
        }
    }
}

/// Adds the findings of a visit as a new round.
pub(super) fn found(rounds: &mut Vec<ShownReview>, visit: &Visit, findings: &[Finding]) {
    let last = rounds.iter().rfind(|review| review.step == visit.step && !review.settled);
    let round = last.map_or(0, |last| last.round).saturating_add(1);
    let short = |finding: &Finding| Finding {
        text: brief(&finding.text, MAX_TEXT_CHARS),
        file: finding.file.as_deref().map(|file| brief(file, MAX_TEXT_CHARS)),
        ..finding.clone()
    };
    rounds.push(ShownReview {
        step: visit.step.clone(),
        round,
        visit: visit.number,
        findings: findings.iter().take(MAX_FINDINGS).map(short).collect(),
        more: u32::try_from(findings.len().saturating_sub(MAX_FINDINGS)).unwrap_or(u32::MAX),
        settled: false,
    });
    let more = rounds.len().saturating_sub(MAX_ROUNDS);
    rounds.drain(..more);
}

/// Marks the rounds of a step as settled: it found nothing.
pub(super) fn settle(rounds: &mut [ShownReview], step: &str) {
    for review in rounds.iter_mut().filter(|review| review.step == step) {
        review.settled = true;
    }
}

/// The last round of each reviewing step, the latest at the end.
pub(super) fn last_rounds(rounds: &[ShownReview]) -> impl Iterator<Item = &ShownReview> {
    let is_last =
        |index: usize, step: &str| rounds[index + 1..].iter().all(|later| later.step != step);
    rounds
        .iter()
        .enumerate()
        .filter(move |(index, review)| is_last(*index, &review.step))
        .map(|(_, it)| it)
}

/// The status of a run's reviews in one line.
pub(super) fn words(rounds: &[ShownReview]) -> Option<String> {
    let words: Vec<_> = last_rounds(rounds).map(ShownReview::words).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Event, ResumedBy};
    use crate::view::one_run::{
        after_start, ending, found_by, moved, outcome_of, resumed, turn_at,
    };
    use crate::view::{RunView, Timeline};
    use crate::{ExitReason, run::Ending, run::Purpose};

    fn line(timeline: &Timeline) -> Option<String> {
        let details = &timeline.view().details;
        details.iter().find(|detail| detail.label == "findings").map(|detail| detail.text.clone())
    }

    fn rounds(timeline: &Timeline) -> Vec<(&str, u32, u32, usize, bool)> {
        let reviews = timeline.view().proof.reviews.iter();
        reviews
            .map(|it| (it.step.as_str(), it.round, it.visit, it.findings.len(), it.settled))
            .collect()
    }

    #[test]
    fn rounds_are_counted_until_the_step_finds_nothing() {
        let mut events = vec![turn_at("rebase", Purpose::Step), found_by("issues", &["a", "b"])];
        assert_eq!(line(&after_start(&events)), None, "a report that may still be refused");
        events.push(moved("fix", 2));
        assert_eq!(
            line(&after_start(&events)).as_deref(),
            Some("2 open after round 1 of `rebase`")
        );
        events.extend([outcome_of("complete"), moved("rebase", 3), found_by("issues", &["b"])]);
        events.push(moved("fix", 4));
        let timeline = after_start(&events);
        assert_eq!(line(&timeline).as_deref(), Some("1 open after round 2 of `rebase`"));
        assert_eq!(rounds(&timeline), [("rebase", 1, 1, 2, false), ("rebase", 2, 3, 1, false)]);
        events.extend([moved("rebase", 5), outcome_of("no-issues"), moved("commit", 6)]);
        let timeline = after_start(&events);
        assert_eq!(line(&timeline).as_deref(), Some("settled after round 2 of `rebase`"));
        events.extend([moved("rebase", 7), found_by("issues", &["c"]), moved("fix", 8)]);
        assert_eq!(
            line(&after_start(&events)).as_deref(),
            Some("1 open after round 1 of `rebase`")
        );
    }

    #[test]
    fn a_report_that_was_not_followed_does_not_count_as_a_round() {
        let again = crate::view::one_run::retried(1, "no commit", crate::run::RetryCause::Evidence);
        let events =
            [found_by("issues", &["a"]), again, found_by("issues", &["a", "b"]), moved("fix", 2)];
        assert_eq!(rounds(&after_start(&events)), [("rebase", 1, 1, 2, false)]);
        let stopped = [found_by("issues", &["a"]), Event::ended(ending(ExitReason::UserStopped))];
        assert_eq!(rounds(&after_start(&stopped)), []);
    }

    #[test]
    fn the_findings_that_stopped_a_run_are_shown_and_stay_when_it_is_resumed() {
        let stuck =
            Ending { outcome: Some("issues".to_owned()), ..ending(ExitReason::ReviewLoopDetected) };
        let mut events = vec![found_by("issues", &["a"]), moved("fix", 2), moved("rebase", 3)];
        events.extend([found_by("issues", &["a"]), Event::ended(stuck)]);
        assert_eq!(
            line(&after_start(&events)).as_deref(),
            Some("1 open after round 2 of `rebase`")
        );
        events.push(resumed(ResumedBy::User, 0));
        assert_eq!(
            line(&after_start(&events)).as_deref(),
            Some("1 open after round 2 of `rebase`")
        );
    }

    #[test]
    fn each_reviewing_step_has_its_findings_shown() {
        let mut events =
            vec![found_by("issues", &["a"]), moved("audit", 2), found_by("risks", &["b", "c"])];
        events.push(moved("fix", 3));
        let words = "1 open after round 1 of `rebase`, 2 open after round 1 of `audit`";
        assert_eq!(line(&after_start(&events)).as_deref(), Some(words));
        events.extend([moved("rebase", 4), outcome_of("no-issues"), moved("audit", 5)]);
        let words = "settled after round 1 of `rebase`, 2 open after round 1 of `audit`";
        assert_eq!(line(&after_start(&events)).as_deref(), Some(words));
    }

    #[test]
    fn many_rounds_and_findings_stay_bounded() {
        let long = "x".repeat(500);
        let many = vec![long.as_str(); 50];
        let events = (0..30).flat_map(|number| {
            [
                found_by("issues", &many),
                moved("fix", 2 * number + 2),
                moved("rebase", 2 * number + 3),
            ]
        });
        let timeline = after_start(&events.collect::<Vec<_>>());
        let reviews = &timeline.view().proof.reviews;
        assert_eq!((reviews.len(), reviews[9].round), (MAX_ROUNDS, 30));
        assert_eq!((reviews[9].findings.len(), reviews[9].more), (MAX_FINDINGS, 30));
        assert_eq!(line(&timeline).as_deref(), Some("50 open after round 30 of `rebase`"));
        let stored = serde_json::to_string(timeline.view()).unwrap();
        assert_eq!(&serde_json::from_str::<RunView>(&stored).unwrap(), timeline.view());
        assert!(serde_json::to_string(&timeline.view().proof).unwrap().len() < 100_000);
    }
}
