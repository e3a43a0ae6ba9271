//! The driver of the Claude Code CLI, against a fake that misbehaves in every way we know of.
//!
//! What is watched are processes and files, so this runs on Linux only; the driver itself knows macOS as well.
#![cfg(all(feature = "engine", target_os = "linux"))]

mod limits;
mod recovery;
mod replies;
mod repository;
mod starting;
mod stopping;
mod tools;
