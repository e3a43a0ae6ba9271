//! The stores: what holds for each of them, and what the one on disk does beyond that.

#![cfg(feature = "engine")]

mod conformance;
mod properties;
mod sqlite;
mod upkeep;
