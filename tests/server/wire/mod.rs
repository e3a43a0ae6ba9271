//! The protocol: what clients may send, what they are sent, and the page that says so.

mod bad_input;
mod golden;
mod golden_client;
mod golden_server;
mod handoff;
mod http;
mod one_run;
mod properties;
mod standards;
mod telling;
