//! The stores: what holds for each of them, and what the one on disk does beyond that.

#![cfg(feature = "engine")]

#[path = "../store_fixtures/mod.rs"]
mod store_fixtures;

mod conformance;
mod properties;
mod sqlite;
mod upkeep;
