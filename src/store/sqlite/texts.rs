//! Deduplicating prompt texts.
//!
//! The prompt of a step is the same on every visit and in every run of a recipe, and longer than
//! everything else that a transition writes. Only the prompts of turns are deduplicated: other
//! messages rarely repeat.

use rusqlite::Connection;

use super::failure::Failure;
use super::read::one;
use crate::store::Role;
use crate::store::records::Message;

/// A shorter text stays in its message: sharing it would save less than the lookup costs.
const MIN_TEXT_BYTES: usize = 256;

/// The number of this message's shared text, which is inserted if it is new. `None` if the message
/// keeps its own text.
pub(super) fn number_of(
    connection: &Connection,
    message: &Message,
) -> Result<Option<i64>, Failure> {
    let is_prompt = message.role == Role::User && message.attempt.is_some();
    if !is_prompt || message.text.len() < MIN_TEXT_BYTES {
        return Ok(None);
    }
    let (hash, text) = (hash(&message.text), &message.text);
    let known = "SELECT number FROM texts WHERE hash = ?1 AND text = ?2";
    if let Some(number) = one(connection, known, (hash, text), |row| row.get(0))? {
        return Ok(Some(number));
    }
    connection
        .prepare_cached("INSERT INTO texts (hash, text) VALUES (?1, ?2)")?
        .execute((hash, text))?;
    Ok(Some(connection.last_insert_rowid()))
}

/// Deletes the texts that no message refers to any more. This reads all messages; call it after
/// some were deleted.
pub(super) fn delete_unused(connection: &Connection) -> Result<(), Failure> {
    let sql =
        "DELETE FROM texts WHERE number NOT IN (SELECT said FROM messages WHERE said IS NOT NULL)";
    connection.prepare_cached(sql)?.execute([])?;
    Ok(())
}

/// The lookup key of a text: FNV-1a over 8-byte words, for speed. The text itself is compared
/// afterwards.
fn hash(text: &str) -> i64 {
    const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    let (words, rest) = text.as_bytes().as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let words = words.iter().chain([&last]).map(|word| u64::from_le_bytes(*word));
    // A multiplication only moves bits up; the rotation mixes the upper ones into the next word.
    let mix = |hash: u64, word: u64| (hash ^ word).wrapping_mul(PRIME).rotate_left(29);
    words.fold(BASIS, mix).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_texts_have_different_hashes() {
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
