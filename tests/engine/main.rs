//! The engine with an agent that does what it is told, a store in memory, and a clock that stands still.

#![cfg(all(feature = "recipes", feature = "engine"))]

mod apart;
mod bad_input;
mod chaos;
mod chats;
mod cut_short;
mod feeds;
mod handoffs;
mod interleavings;
mod limits;
mod logs;
mod owner;
mod passages;
mod proving;
mod recovering;
mod resuming;
mod saying;
mod starting;
mod stopping;
mod storage;
mod taking_up;
mod tree;
mod undriven;
mod unreadable;
