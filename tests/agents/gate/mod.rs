//! What the engine itself checks and runs, with real git repositories and real commands.
//!
//! The tests look for processes in `/proc`, so they run on Linux only; the room also supports
//! macOS.
#![cfg(all(feature = "engine", target_os = "linux"))]

mod changes;
mod commands;
mod commits;
mod evidence;
mod finding;
mod head_files;
mod merging;
mod recovery;
mod snapshots;
mod submodules;
mod untouched;
mod violations;
mod worktrees;
