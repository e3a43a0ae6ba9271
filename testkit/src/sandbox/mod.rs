//! Directories for real processes, and ways to observe those processes without their supervisor.
//!
//! They read `/proc`, so they work on Linux only.

mod claude;
mod command;
mod git;
mod process;

use std::path::Path;

use surefire::process::ProcessIdentity;
use uuid::Uuid;

pub use claude::{ClaudeSandbox, PROMPT, turn};
pub use command::{CommandSandbox, CommandWatcher};
pub use git::{GitSandbox, listing};
pub use process::{ProcessSandbox, Watched};

use crate::eventually;

/// All processes that carry the mark of this attempt.
#[must_use]
pub fn alive(attempt: Uuid) -> Vec<u32> {
    marked(&format!("SUREFIRE_ATTEMPT={attempt}"))
}

/// All processes with this in their environment.
fn marked(mark: &str) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").expect("this is Linux");
    let numbers = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    let marked = numbers.filter(|pid| {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|pair| pair == mark.as_bytes())
    });
    marked.collect()
}

/// Waits until a process has ended; it may still be a zombie.
pub async fn ends(process: &ProcessIdentity) {
    let stat = format!("/proc/{}/stat", process.pid);
    let ended = || std::fs::read_to_string(&stat).is_ok_and(|stat| stat.contains(") Z "));
    eventually("the process has ended", ended).await;
}

/// Whether the process was reaped: not even a zombie is left.
#[must_use]
pub fn is_collected(process: &ProcessIdentity) -> bool {
    !Path::new(&format!("/proc/{}", process.pid)).exists()
}
