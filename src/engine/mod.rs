//! Driving: one task for each session in which something happens.
//!
//! A task owns its session: it hands [`session`](crate::session) what happens, persists what that decides, and gives the
//! agent its prompts. It decides nothing itself and knows no clients: they subscribe to its [`Feed`]. Start with [`Backend`]
//! for what can be asked for, then `driver.rs` for the loop.

mod backend;
mod blocking;
mod check;
mod command;
mod committer;
mod crash;
mod directory;
mod driver;
mod error;
mod failure;
mod feed;
mod journal;
mod leftovers;
mod load;
mod local;
mod obey;
mod options;
mod provider;
mod prune;
mod publish;
mod recover;
mod registry;
mod roots;
mod say;
mod scratch;
mod session_lock;
mod shared;
mod start;
mod streamed;
mod turn;
mod watch;

pub use backend::{Backend, Pending};
pub use directory::DirectoryError;
pub use error::{EngineError, ResumeError};
pub use feed::{Feed, Notice};
pub use local::Engine;
pub use options::{Clock, Options, Shutdown, TakeUp};
pub use provider::UnknownProvider;
pub use prune::remove_directories;
pub use roots::Roots;
pub use say::{Begin, Said, Say, SayError};
pub use start::{Start, StartError, Started};
