//! The engine with a scripted agent, a store in memory, and a paused clock.

#![cfg(all(feature = "recipes", feature = "engine"))]

mod adopting;
mod bad_input;
mod chaos;
mod chats;
mod cut_short;
mod first_prompt;
mod handoffs;
mod interleavings;
mod limits;
mod logs;
mod owner;
mod passages;
mod prompts;
mod proving;
mod recovering;
mod rehearsals;
mod resuming;
mod starting;
mod stopping;
mod storage;
mod subscribing;
mod tasks;
mod tree;
mod undriven;
mod unreadable;
mod visit_limits;
mod worktrees;
