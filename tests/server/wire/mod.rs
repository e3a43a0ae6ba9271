//! The protocol: what clients may send, what the server sends, and the page that documents both.

mod bad_input;
mod broadcast;
mod golden;
mod golden_client;
mod golden_server;
mod handoff;
mod http;
mod one_run;
mod properties;
mod standards;
