//! What the engine looks at and runs by itself, with real git repositories and real commands.
//!
//! What is watched are processes and files, so this runs on Linux only; the room itself knows macOS as well.
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
