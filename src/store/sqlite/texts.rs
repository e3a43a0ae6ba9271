//! What agents are told, persisted once however often it is said.
//!
//! The prompt of a step is the same on every visit and in every run of a recipe, and is longer than all else that a transition
//! writes. Only the messages of a turn's beginning are looked up here: nothing else is said word for word again.

use rusqlite::Connection;

use super::failure::Failure;
use super::read::one;
use crate::store::Role;
use crate::store::records::Message;

/// A shorter text stays in its message: to name it would save less than finding it costs.
const MIN_TEXT_BYTES: usize = 256;

/// The number of the text that this message says, which is persisted if it is a new one. `None` for a message that has its
/// words itself.
pub(super) fn number_of(connection: &Connection, message: &Message) -> Result<Option<i64>, Failure> {
    let is_told = message.role == Role::User && message.attempt.is_some();
    if !is_told || message.text.len() < MIN_TEXT_BYTES {
        return Ok(None);
    }
    let (hash, text) = (hash(&message.text), &message.text);
    let known = "SELECT number FROM texts WHERE hash = ?1 AND text = ?2";
    if let Some(number) = one(connection, known, (hash, text), |row| row.get(0))? {
        return Ok(Some(number));
    }
    connection.prepare_cached("INSERT INTO texts (hash, text) VALUES (?1, ?2)")?.execute((hash, text))?;
    Ok(Some(connection.last_insert_rowid()))
}

/// Deletes the texts that no message says any more. This reads all messages, and is for when some were deleted.
pub(super) fn forget_unsaid(connection: &Connection) -> Result<(), Failure> {
    let sql = "DELETE FROM texts WHERE number NOT IN (SELECT said FROM messages WHERE said IS NOT NULL)";
    connection.prepare_cached(sql)?.execute([])?;
    Ok(())
}

/// What a text is found by: FNV-1a over words of eight bytes, because a prompt has thousands. The words themselves are compared
/// after that.
fn hash(text: &str) -> i64 {
    const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    let (words, rest) = text.as_bytes().as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let words = words.iter().chain([&last]).map(|word| u64::from_le_bytes(*word));
    // A product moves bits up only; turning it brings the upper ones to where the next word counts.
    let mix = |hash: u64, word: u64| (hash ^ word).wrapping_mul(PRIME).rotate_left(29);
    words.fold(BASIS, mix).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_differ_a_little_are_found_apart() {
        let text = "Review the code, and fix what you find. ".repeat(9);
        let cut = (0..text.len()).map(|length| text[..length].to_owned());
        let changed = (0..text.len()).map(|at| format!("{}_{}", &text[..at], &text[at + 1..]));
        let mut hashes: Vec<_> = cut.chain(changed).map(|text| hash(&text)).collect();
        let all = hashes.len();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), all);
    }
}
