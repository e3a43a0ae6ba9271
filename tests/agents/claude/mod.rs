//! The driver of the Claude Code CLI, against a fake that misbehaves in every way we know of.
//!
//! The tests look for processes in `/proc`, so they run on Linux only; the driver also supports
//! macOS.
#![cfg(all(feature = "engine", target_os = "linux"))]

mod limits;
mod recovery;
mod replies;
mod repository;
mod starting;
mod stopping;
mod tools;
