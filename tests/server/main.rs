//! The server as clients see it, over real sockets on loopback.

#[path = "../app/mod.rs"]
mod app;
#[path = "../engine/held_store.rs"]
#[allow(dead_code, reason = "what it can do beside that is tried there")]
mod held_store;
mod raw;
#[path = "../store_fixtures/mod.rs"]
mod store_fixtures;

mod bad_input;
mod console;
mod crowds;
mod holding;
mod http;
mod last_reply;
mod offer;
mod races;
mod requests;
mod stopping;
mod storage;
mod threats_crowding;
mod threats_hostile_client;
mod threats_key;
mod threats_other_machine;
mod threats_web_page;
mod together;
mod walk;
mod wishes;
mod work;
