//! The kinds of mistakes, whose counts must be 0.

use std::collections::BTreeMap;
use std::fmt;

use strum::IntoEnumIterator;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::EnumIter, strum::Display)]
pub(super) enum Wrong {
    #[strum(to_string = "transitions lost")]
    TransitionLost,
    #[strum(to_string = "transitions doubled")]
    TransitionDoubled,
    #[strum(to_string = "prompts acknowledged and lost")]
    PromptLost,
    #[strum(to_string = "prompts delivered again without saying so")]
    PromptRepeated,
    #[strum(to_string = "prompts delivered after a stop that withdrew them")]
    PromptAfterStop,
    #[strum(to_string = "agent calls that no attempt accounts for")]
    CallUnaccounted,
    #[strum(to_string = "attempts with two calls")]
    AttemptCalledTwice,
    #[strum(to_string = "orphan processes")]
    Orphan,
    #[strum(to_string = "runs and sessions that are stuck")]
    Stuck,
    #[strum(to_string = "spurious endings")]
    SpuriousEnding,
    #[strum(to_string = "errors that nothing explains")]
    UnexplainedError,
}

/// What was checked, and what was found wrong.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) sessions: usize,
    pub(super) runs: usize,
    pub(super) transitions: usize,
    pub(super) calls: usize,
    /// Prompts that were acknowledged as persisted.
    pub(super) prompts: usize,
    /// Prompts that reached an agent, and those that reached it again, with a notice.
    pub(super) delivered: usize,
    pub(super) delivered_again: usize,
    pub(super) withdrawn: usize,
    /// How often runs ended for each reason.
    pub(super) endings: BTreeMap<String, usize>,
    wrong: BTreeMap<Wrong, Vec<String>>,
}

impl Findings {
    pub(super) fn add(&mut self, wrong: Wrong, words: impl fmt::Display) {
        self.wrong.entry(wrong).or_default().push(words.to_string());
    }

    pub(super) fn is_anything_wrong(&self) -> bool {
        !self.wrong.is_empty()
    }
}

/// How many examples of each are shown.
const MAX_EXAMPLES: usize = 5;

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            sessions, runs, transitions, calls, prompts, delivered, delivered_again, ..
        } = self;
        writeln!(
            f,
            "  {sessions} sessions, {runs} runs, {transitions} transitions, {calls} agent calls"
        )?;
        writeln!(
            f,
            "  {prompts} prompts acknowledged; {delivered} delivered, {delivered_again} once more with notice, \
             {} withdrawn",
            self.withdrawn
        )?;
        let endings: Vec<_> =
            self.endings.iter().map(|(reason, times)| format!("{reason} {times}")).collect();
        writeln!(f, "  endings: {}", endings.join(", "))?;
        for kind in Wrong::iter() {
            let found = self.wrong.get(&kind).map(Vec::as_slice).unwrap_or_default();
            writeln!(f, "  {kind}: {}", found.len())?;
            for words in found.iter().take(MAX_EXAMPLES) {
                writeln!(f, "    {words}")?;
            }
        }
        Ok(())
    }
}
