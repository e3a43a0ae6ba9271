//! What has been heard in a turn so far.

use std::collections::VecDeque;

use super::envelope::{self, Envelope, Event};
use crate::agent::Sign;

/// The longest passage that is passed on, in bytes: more than a model says in one piece. The reply itself is never cut.
const PASSAGE: usize = 256 << 10;

/// What the lines read so far have said.
#[derive(Debug, Default)]
pub(super) struct Transcript {
    pub(super) version: Option<String>,
    /// The last result object.
    pub(super) envelope: Option<Envelope>,
    pub(super) limit_resets: Option<u64>,
    pub(super) service_error: Option<String>,
    /// Signs that were not yet passed on.
    pub(super) signs: VecDeque<Sign>,
}

impl Transcript {
    /// What the turn has cost, as far as was said.
    pub(super) fn cost_usd(&self) -> Option<f64> {
        self.envelope.as_ref().and_then(|envelope| envelope.cost_usd)
    }

    /// Takes in one line.
    pub(super) fn hear(&mut self, line: &[u8]) {
        for event in envelope::read(line) {
            match event {
                Event::Began(version) => self.version = Some(version),
                Event::Said(text) => self.signs.push_back(Sign::Said(shortened(text))),
                Event::Used(tool) => self.signs.push_back(Sign::Used { tool }),
                Event::Retrying(why) => self.signs.push_back(Sign::Retrying { why }),
                Event::LimitResets(at) => self.limit_resets = Some(at),
                Event::ServiceError(kind) => self.service_error = Some(kind),
                Event::Ended(envelope) => self.envelope = Some(*envelope),
            }
        }
    }
}

/// The channel for signs is bounded by their number, so each of them has to be small.
fn shortened(mut text: String) -> String {
    if text.len() > PASSAGE {
        text.truncate(text.floor_char_boundary(PASSAGE));
        text.push('…');
        text.shrink_to_fit();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_result_counts_and_long_passages_are_cut() {
        let mut transcript = Transcript::default();
        transcript.hear(br#"{"type":"result","result":"first"}"#);
        transcript.hear(br#"{"type":"result","result":"second"}"#);
        assert_eq!(transcript.envelope.as_ref().map(|envelope| envelope.text.as_str()), Some("second"));

        let long = "ä".repeat(PASSAGE);
        let line =
            format!(r#"{{"type":"assistant","message":{{"content":[{{"type":"text","text":"{long}"}}]}}}}"#);
        transcript.hear(line.as_bytes());
        assert!(
            matches!(&transcript.signs[0], Sign::Said(text) if text.ends_with("ä…") && text.len() < PASSAGE + 4)
        );
    }
}
