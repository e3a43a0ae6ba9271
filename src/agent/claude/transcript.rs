//! What has been heard in a turn so far.

use super::envelope::{self, Envelope, Event};
use crate::agent::Sign;
use crate::process::Observer;

/// The longest passage that is passed on: more than a model says in one piece. The reply itself is never cut.
const MAX_PASSAGE_BYTES: usize = 256 << 10;

/// What the lines read so far have said.
#[derive(Debug, Default)]
pub(super) struct Transcript {
    pub(super) version: Option<String>,
    /// The last result object.
    pub(super) envelope: Option<Envelope>,
    pub(super) limit_resets: Option<u64>,
    pub(super) service_error: Option<String>,
}

impl Transcript {
    /// What the turn has cost, as far as was said.
    pub(super) fn cost_usd(&self) -> Option<f64> {
        self.envelope.as_ref().and_then(|envelope| envelope.cost_usd)
    }

    /// Takes in one event, and says which sign of life it is, if it is one.
    fn hear(&mut self, event: Event) -> Option<Sign> {
        match event {
            Event::Said(text) => return Some(Sign::Said(shortened(text))),
            Event::Used(tool) => return Some(Sign::Used { tool }),
            Event::Retrying(why) => return Some(Sign::Retrying { why }),
            Event::Began(version) => self.version = Some(version),
            Event::LimitResets(at) => self.limit_resets = Some(at),
            Event::ServiceError(kind) => self.service_error = Some(kind),
            Event::Ended(envelope) => self.envelope = Some(*envelope),
        }
        None
    }
}

impl Observer for Transcript {
    type Event = Sign;

    fn line(&mut self, line: &[u8]) -> Vec<Sign> {
        envelope::read(line).into_iter().filter_map(|event| self.hear(event)).collect()
    }

    /// The CLI may wait for something it left running in the background, and answer again; the last answer counts.
    fn has_answer(&self) -> bool {
        self.envelope.is_some()
    }
}

/// The channel for signs is bounded by their number, so each of them has to be small.
fn shortened(mut text: String) -> String {
    if text.len() > MAX_PASSAGE_BYTES {
        text.truncate(text.floor_char_boundary(MAX_PASSAGE_BYTES));
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
        transcript.line(br#"{"type":"result","result":"first"}"#);
        transcript.line(br#"{"type":"result","result":"second"}"#);
        assert_eq!(transcript.envelope.as_ref().map(|envelope| envelope.text.as_str()), Some("second"));

        let long = "ä".repeat(MAX_PASSAGE_BYTES);
        let line =
            format!(r#"{{"type":"assistant","message":{{"content":[{{"type":"text","text":"{long}"}}]}}}}"#);
        let signs = transcript.line(line.as_bytes());
        assert!(
            matches!(&signs[0], Sign::Said(text) if text.ends_with("ä…") && text.len() < MAX_PASSAGE_BYTES + 4)
        );
    }
}
