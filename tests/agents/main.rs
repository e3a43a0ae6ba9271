//! Agents and their processes: the driver of the Claude Code CLI against a fake and the real
//! one, the supervision of processes, the built-in agent; and the gate, which checks what agents
//! did.

#![cfg(feature = "engine")]

mod claude;
mod conformance;
mod gate;
mod process;
mod real_cli;
mod rehearsals;
