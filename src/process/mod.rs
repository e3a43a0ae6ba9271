//! Holding: one process is started, watched, bounded and stopped with everything it started; and after a crash of its
//! supervisor it is adopted.
//!
//! This room does not know what a process is for: what its lines mean is told to it by an [`Observer`], and what
//! follows from its [`End`] is the caller's to decide. It imports no other room.
//! Start with [`Command::start`], then [`Held::release`] and [`Supervised::watch`], which is the way of every process.
//!
//! ```text
//! Command ──start──→ Held ──release──→ Supervised ──watch──→ Report
//!                     │ recorded by the caller ↑ adopt, by the next supervisor
//!                     └ has been given nothing on its standard input
//! ```
//!
//! A process writes into [`Files`], not into pipes: so it outlives its supervisor, its output can be read from the
//! beginning by the next one, and no grandchild that holds a pipe open keeps a reader waiting.
//!
//! ```
//! use surefire::process::{Command, Control, End, Files, Limits, Mark, TextLines};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let directory = tempfile::tempdir()?;
//! let command = Command::new("sh", Mark::new(uuid::Uuid::new_v4())).arguments(["-c", "echo hello"]);
//! let held = command.start(Files::at(directory.path()), Limits::default(), TextLines).await?;
//! // A caller that wants to find the process after a crash persists `held.process()` here.
//! let supervised = held.release(Vec::new()).await?;
//!
//! let (control, mut lines) = Control::new(16);
//! let report = supervised.watch(&control).await;
//! assert_eq!(report.end, End::Exited);
//! assert!(report.status.is_some_and(|status| status.success()));
//! assert_eq!(lines.recv().await.as_deref(), Some("hello"));
//! # Ok(())
//! # }
//! ```

mod command;
mod control;
mod end;
mod files;
mod held;
mod identity;
mod launcher;
mod limits;
mod lines;
mod mark;
mod observer;
mod output;
mod running;
mod stdin;
mod supervised;
mod sweep;
mod tail;
mod watch;
mod watchdog;
mod withheld;

pub use command::Command;
pub use control::Control;
pub use end::{End, OutputLimit};
pub use files::Files;
pub use held::{Held, StartError};
pub use identity::Process;
pub use limits::Limits;
pub use mark::Mark;
pub use observer::{Observer, TextLines};
pub use supervised::{Report, Supervised, stop};
