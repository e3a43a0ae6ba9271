//! One session as a pure state machine: whatever happens in whatever order, it stays one with what is persisted.

#![cfg(all(feature = "engine", feature = "recipes"))]

mod orders;
mod world;
