//! One session as a pure state machine: after any inputs in any order, its state equals what is
//! persisted.

#![cfg(all(feature = "engine", feature = "recipes"))]

mod orders;
mod world;
