//! The earlier replies of a rehearsal.
//!
//! If the same prompt comes twice in a row, the first reply was lost, for example in a crash, so it
//! gets the same reply again. An interrupted run thus takes the same path as any other.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::agent::Turn;

/// How many sessions and runs are remembered. Beyond that, the oldest are dropped.
const MAX_SESSIONS: usize = 256;

/// The file next to the attempts' scratch directories.
const FILE: &str = "rehearsal.json";

/// The last replies, by session or run, the latest at the end.
#[derive(Debug, Default)]
pub(super) struct Memory(Mutex<Vec<Entry>>);

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Entry {
    key: String,
    /// The fingerprint of the last prompt.
    prompt: u64,
    choice: String,
    count: u32,
}

impl Memory {
    /// The choice for this turn: the previous one if the prompt is repeated, otherwise what
    /// `decide` returns for the key's last count.
    pub(super) fn choose(
        &self,
        turn: &Turn,
        key: String,
        decide: impl FnOnce(u32) -> (String, u32),
    ) -> String {
        let prompt = fingerprint([turn.session.as_bytes(), turn.prompt.as_bytes()]);
        // Entries are replaced as a whole, so a poisoned lock is harmless.
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !entries.iter().any(|entry| entry.key == key) {
            recall(turn, &mut entries);
        }
        let known =
            entries.iter().position(|entry| entry.key == key).map(|index| entries.remove(index));
        let entry = match known {
            Some(entry) if entry.prompt == prompt => entry,
            known => {
                let (choice, count) = decide(known.map_or(0, |entry| entry.count));
                Entry { key, prompt, choice, count }
            }
        };
        let choice = entry.choice.clone();
        entries.push(entry);
        let surplus = entries.len().saturating_sub(MAX_SESSIONS);
        entries.drain(..surplus);
        save(turn, &entries);
        choice
    }
}

fn file(turn: &Turn) -> Option<PathBuf> {
    turn.scratch.parent().map(|folder| folder.join(FILE))
}

/// Adds the entries that an earlier server saved. Entries in memory are newer.
fn recall(turn: &Turn, entries: &mut Vec<Entry>) {
    let text = file(turn).and_then(|file| fs::read(file).ok());
    let mut written: Vec<Entry> =
        text.and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default();
    written.retain(|old| entries.iter().all(|entry| entry.key != old.key));
    entries.splice(0..0, written);
}

/// Failing to save is harmless: the entries are only lost if the server restarts.
fn save(turn: &Turn, entries: &[Entry]) {
    let Some(file) = file(turn) else { return };
    let replace = |path: &Path| {
        let temporary = path.with_extension("new");
        fs::write(&temporary, serde_json::to_vec(entries)?)?;
        fs::rename(&temporary, path)
    };
    if let Err(error) = replace(&file) {
        tracing::debug!(%error, "failed to save the rehearsal's replies");
    }
}

/// FNV-1a: short, and stable across versions.
fn fingerprint<const N: usize>(parts: [&[u8]; N]) -> u64 {
    let bytes = parts.into_iter().flatten();
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
