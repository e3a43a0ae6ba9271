//! The stores: what all of them guarantee, and what the SQLite store guarantees in addition.

#![cfg(feature = "engine")]

mod conformance;
mod properties;
mod sqlite;
mod upkeep;
