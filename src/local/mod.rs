//! Meeting: where the processes of one user find each other on one machine.
//!
//! It answers where lock files and sockets are that no other user can touch, and connects to such a socket. It decides nothing
//! about who may do what, and keeps nothing that has to outlive a restart of the machine. Start with `runtime_directory.rs` for
//! the directories, then `socket.rs`.

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
pub(crate) use socket::Way;
#[cfg(any(feature = "client", test))]
pub(crate) use socket::connect;
