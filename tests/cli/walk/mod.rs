//! The `surefire` command as a server, used as clients use it: a process, its signals, and real
//! sockets.

mod program;
mod rules;

mod command_line;
mod message_forms;
mod node;
mod other_clients;
mod prompts;
mod reconnecting;
mod server_killed;
mod spacing;
mod stopping;
mod whole_run;
