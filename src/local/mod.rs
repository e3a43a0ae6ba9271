//! Meeting: where the processes of one user find each other on a machine.
//!
//! It locates lock files and sockets that no other user can access, and connects to such a socket.
//! It does not authorize anything, and stores nothing that has to survive a reboot. Start with
//! `runtime_directory.rs` for the directories, then `socket.rs`.

mod runtime_directory;
#[cfg(any(feature = "client", feature = "server"))]
mod socket;

#[cfg(all(test, feature = "server"))]
pub(crate) use runtime_directory::check_private;
#[cfg(feature = "engine")]
pub(crate) use runtime_directory::{make_private, runtime_directories};
#[cfg(all(test, feature = "server"))]
pub(crate) use socket::SOCKET;
#[cfg(feature = "server")]
pub(crate) use socket::SocketPath;
#[cfg(any(feature = "client", test))]
pub(crate) use socket::connect;
