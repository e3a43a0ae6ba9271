//! The server as clients see it, over real sockets on loopback.

mod raw;

mod allowing;
mod apart;
mod bad_input;
mod console;
mod crowds;
mod diff;
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
mod threats_widening;
mod together;
mod walk;
mod wire;
mod wishes;
mod work;
