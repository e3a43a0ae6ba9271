//! The supervision of processes, with real ones: arbitrary commands, none of which is an agent.
//!
//! What is watched are processes and files, so this runs on Linux only; the room itself knows macOS as well.
#![cfg(all(feature = "engine", target_os = "linux"))]

mod adoption;
mod ends;
mod launching;
mod limits;
mod stopping;
