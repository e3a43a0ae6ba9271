//! Asking: a typed client of the server's protocol.
//!
//! This room answers how a program talks to a server: it sends
//! [requests](crate::wire::ClientMessage), matches each answer by the request's id, and hands over
//! every other message of the server. It keeps no state about runs or sessions, never reconnects by
//! itself, and knows nothing of how the server works. Start with [`Client`], then [`Endpoint`] for
//! reading over HTTP.
//!
//! ```no_run
//! use surefire::client::{Client, Endpoint};
//! use surefire::wire::{ServerMessage, StartRecipe};
//!
//! # async fn example() -> Result<(), surefire::client::ClientError> {
//! let server =
//!     Endpoint::at(([127, 0, 0, 1], 8080).into(), "untethered-00112233445566778899aabbccddeeff");
//! let mut client = Client::connect(server).await?;
//! let started = client.start_recipe(StartRecipe::new("implement-and-review")).await?;
//! loop {
//!     if let ServerMessage::RecipeExited(exited) = client.next().await?
//!         && exited.of.is_some_and(|of| of.run_id == started.run)
//!     {
//!         println!("{}: {}", exited.title, exited.message);
//!         return Ok(());
//!     }
//! }
//! # }
//! ```
//!
//! `examples/talk_to_a_server.rs` does the same against a server of its own.

mod connection;
mod endpoint;
mod error;
mod http;
mod requests;

pub use connection::Client;
pub use endpoint::Endpoint;
pub use error::ClientError;
pub use http::RunsQuery;
pub use requests::StartedRun;
