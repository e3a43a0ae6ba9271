//! Agents and the processes they are: the driver of the Claude Code CLI against a fake and the real one, the supervision of
//! processes, and the built-in agent.

#![cfg(feature = "engine")]

mod claude;
mod conformance;
mod process;
mod real_cli;
mod rehearsals;
