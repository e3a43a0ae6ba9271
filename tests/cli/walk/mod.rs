//! The `surefire` command itself, walked through as clients do: a process, its signals, and real sockets.

mod program;
mod rules;

mod coming_back;
mod command_line;
mod dying;
mod forms;
mod node;
mod other_clients;
mod spacing;
mod stopping;
mod talking;
mod whole_run;
