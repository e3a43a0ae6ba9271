//! `subscribe`: the wish to hear what is said in a session.

use crate::run::SessionId;
use crate::wire::fields::{Fields, Refusal};

/// The wish to hear what is said in a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscribe {
    /// The session.
    pub session_id: SessionId,
    /// The offset from which on it is new to the client; `None` for one that knows nothing yet.
    pub from: Option<u64>,
    /// The signature of the conversation that the offset was in.
    pub file_signature_seen: Option<String>,
}

impl Subscribe {
    pub(super) fn read(fields: &mut Fields) -> Result<Self, Refusal> {
        let session_id = fields.required_session()?;
        // Protocol 0.5 counts from 0 and names the first that is missing; 0.4 counts from 1 and names the last that is
        // there. It is the same number.
        let from_offset = fields.count("from_offset")?;
        let last_seq = fields.count("last_seq")?;
        Ok(Self {
            session_id,
            from: from_offset.or(last_seq),
            file_signature_seen: fields.text_or_nothing("file_signature_seen"),
        })
    }
}
