//! What a rehearsal remembers of its earlier answers.
//!
//! A prompt that comes twice in a row got lost with its answer the first time, in a crash say, and is answered as
//! before. So a run that was interrupted takes the same way as one that was not.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::agent::Turn;

/// How many sessions and projects are remembered; of more, the oldest are forgotten.
const KEPT: usize = 256;

/// The file beside the turns' own directories.
const FILE: &str = "rehearsal.json";

/// The last answers, by session or project; the latest at the end.
#[derive(Debug, Default)]
pub(super) struct Memory(Mutex<Vec<Entry>>);

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Entry {
    key: String,
    /// Stands for the last prompt.
    prompt: u64,
    choice: String,
    count: u32,
}

impl Memory {
    /// The choice for this turn: the same as before if it is asked again, else what `decide` makes of the count that it
    /// left behind the last time.
    pub(super) fn choose(
        &self,
        turn: &Turn,
        key: String,
        decide: impl FnOnce(u32) -> (String, u32),
    ) -> String {
        let prompt = fingerprint([turn.session.as_bytes(), turn.prompt.as_bytes()]);
        // Entries are replaced whole, so what a panic elsewhere left here is sound.
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !entries.iter().any(|entry| entry.key == key) {
            recall(turn, &mut entries);
        }
        let known = entries.iter().position(|entry| entry.key == key).map(|place| entries.remove(place));
        let entry = match known {
            Some(entry) if entry.prompt == prompt => entry,
            known => {
                let (choice, count) = decide(known.map_or(0, |entry| entry.count));
                Entry { key, prompt, choice, count }
            }
        };
        let choice = entry.choice.clone();
        entries.push(entry);
        let surplus = entries.len().saturating_sub(KEPT);
        entries.drain(..surplus);
        save(turn, &entries);
        choice
    }
}

fn file(turn: &Turn) -> Option<PathBuf> {
    turn.scratch.parent().map(|folder| folder.join(FILE))
}

/// Adds what an earlier server wrote down; what is known already is newer.
fn recall(turn: &Turn, entries: &mut Vec<Entry>) {
    let text = file(turn).and_then(|file| fs::read(file).ok());
    let mut written: Vec<Entry> =
        text.and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default();
    written.retain(|old| entries.iter().all(|entry| entry.key != old.key));
    entries.splice(0..0, written);
}

/// A rehearsal that cannot write goes on; it only forgets when the server is started again.
fn save(turn: &Turn, entries: &[Entry]) {
    let Some(file) = file(turn) else { return };
    let replace = |path: &Path| {
        let beside = path.with_extension("new");
        fs::write(&beside, serde_json::to_vec(entries)?)?;
        fs::rename(&beside, path)
    };
    if let Err(error) = replace(&file) {
        tracing::debug!(%error, "the rehearsal cannot write down its answers");
    }
}

/// FNV-1a: short, and the same in every version of ours.
fn fingerprint<const N: usize>(parts: [&[u8]; N]) -> u64 {
    let bytes = parts.into_iter().flatten();
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
