//! The supervision of processes, with real ones: arbitrary commands, none of which is an agent.
//!
//! The tests look for processes in `/proc`, so they run on Linux only; the room also supports
//! macOS.
#![cfg(all(feature = "engine", target_os = "linux"))]

mod adoption;
mod ends;
mod launching;
mod limits;
mod stopping;
