//! The server as clients see it, over real sockets on loopback.

mod raw;

mod bad_input;
mod connection_slots;
mod console;
mod data_directory_lock;
mod diff;
mod http;
mod last_reply;
mod local_permissions;
mod message_order;
mod offer;
mod pipelining;
mod races;
mod request_options;
mod requests;
mod stopping;
mod storage;
mod threats_browser_pass;
mod threats_connection_flood;
mod threats_hostile_client;
mod threats_key;
mod threats_other_machine;
mod threats_web_page;
mod threats_widening;
mod wire;
mod work;
mod worktrees;
