//! Fits a part of a conversation into one frame.

use super::outgoing::{HistoryMessage, ServerMessage, SessionHistory};
use super::shrink_to_fit::cut;
use crate::run::SessionId;

/// A part of a conversation, before it is cut to what fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryPart {
    /// The session.
    pub session: SessionId,
    /// Identifies the conversation.
    pub signature: String,
    /// Whether the client's offset belongs to another conversation of this session.
    pub replaced: bool,
    /// How many messages the conversation has.
    pub total: u64,
    /// Consecutive messages from the wanted offset on, as many as there may be room for.
    pub messages: Vec<HistoryMessage>,
}

/// The frame with as many of the messages as stay below this many bytes. It has at least one: a
/// message that does not fit alone is cut in its middle, so that a client that asks again makes
/// progress.
#[must_use]
pub fn history_page(part: HistoryPart, limit: usize) -> SessionHistory {
    let HistoryPart { session, signature, replaced, total, mut messages } = part;
    let mut frame = SessionHistory {
        session_id: session,
        messages: Vec::new(),
        next_offset: total,
        end_of_file: false,
        file_signature: signature,
        file_replaced: replaced.then_some(true),
        first_seq: Some(u64::MAX),
        last_seq: Some(u64::MAX),
        next_seq: u64::MAX,
        is_complete: false,
        gap: None,
        total_count: u64::MAX,
    };
    let room =
        limit.saturating_sub(ServerMessage::SessionHistory(frame.clone()).to_json().len() + 1);
    let fitting = fitting(&messages, room);
    messages.truncate(fitting.max(1));
    if fitting == 0
        && let Some(first) = messages.first_mut()
    {
        let size = size_of(first);
        let text_size = serde_json::to_string(&first.text).map_or(0, |text| text.len());
        // The other fields and the quotes around the text stay.
        first.text = cut(&first.text, room.saturating_sub(size - text_size + 2));
    }
    frame.next_offset = messages.last().map_or(total, |last| last.offset + 1);
    frame.end_of_file = frame.next_offset >= total;
    frame.is_complete = frame.end_of_file;
    frame.first_seq = messages.first().map(|first| first.seq);
    frame.last_seq = messages.last().map(|last| last.seq);
    frame.next_seq = total + 1;
    frame.total_count = total;
    frame.messages = messages;
    frame
}

/// How many of the messages fit into this many bytes.
fn fitting(messages: &[HistoryMessage], room: usize) -> usize {
    let mut used = 0;
    let fits = |message: &&HistoryMessage| {
        used += size_of(message);
        used <= room
    };
    messages.iter().take_while(fits).count()
}

/// The bytes of a message, and of the comma after it.
fn size_of(message: &HistoryMessage) -> usize {
    serde_json::to_string(message).map_or(0, |json| json.len()) + 1
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::wire::Stamp;

    fn message(offset: u64, text: &str) -> HistoryMessage {
        let uuid = Uuid::from_u128(u128::from(offset));
        HistoryMessage {
            session_id: Uuid::from_u128(7).into(),
            uuid,
            role: "assistant".into(),
            kind: "assistant".into(),
            text: text.into(),
            timestamp: Stamp(1_750_000_000_000),
            offset,
            seq: offset + 1,
            id: uuid,
            provider: "claude".into(),
            mark: None,
            delivered: true,
        }
    }

    fn part(total: u64, messages: Vec<HistoryMessage>) -> HistoryPart {
        let session = Uuid::from_u128(7).into();
        HistoryPart { session, signature: "1".into(), replaced: false, total, messages }
    }

    fn size(frame: &SessionHistory) -> usize {
        ServerMessage::SessionHistory(frame.clone()).to_json().len()
    }

    #[test]
    fn messages_that_fit_are_sent_whole() {
        let frame = history_page(part(2, vec![message(0, "a"), message(1, "b")]), 64 * 1024);
        assert_eq!((frame.messages.len(), frame.next_offset, frame.end_of_file), (2, 2, true));
        assert_eq!((frame.first_seq, frame.last_seq, frame.next_seq), (Some(1), Some(2), 3));
    }

    #[test]
    fn an_empty_page_is_the_last() {
        let frame = history_page(part(5, Vec::new()), 1024);
        assert_eq!((frame.next_offset, frame.end_of_file, frame.first_seq), (5, true, None));
    }

    #[test]
    fn a_page_ends_at_the_limit_and_the_next_one_continues_there() {
        let words = "ä\"\n".repeat(200);
        let all: Vec<_> = (0..40).map(|offset| message(offset, &words)).collect();
        for limit in [1024, 1500, 4096, 10_000, 100_000] {
            let (mut from, mut frames) = (0, 0);
            while from < 40 {
                let frame = history_page(part(40, all[from..].to_vec()), limit);
                assert!(size(&frame) < limit, "{} of {limit}", size(&frame));
                assert_eq!(frame.messages[0].offset, from as u64);
                assert_eq!(frame.end_of_file, frame.next_offset == 40);
                assert!(frame.next_offset > from as u64, "each page makes progress");
                from = usize::try_from(frame.next_offset).unwrap();
                frames += 1;
            }
            assert_eq!(frames == 1, limit == 100_000);
        }
    }

    #[test]
    fn a_message_that_does_not_fit_is_cut_in_its_middle() {
        let words = format!("beginning{}end", "\u{1}".repeat(300_000));
        let frame = history_page(part(2, vec![message(0, &words), message(1, "b")]), 8 * 1024);
        let text = &frame.messages[0].text;
        assert!(size(&frame) < 8 * 1024 && size(&frame) > 7 * 1024, "{}", size(&frame));
        assert!(text.starts_with("beginning") && text.ends_with("end"), "{text}");
        assert!(text.contains("left out"), "{text}");
        assert_eq!((frame.next_offset, frame.end_of_file), (1, false));
    }
}
