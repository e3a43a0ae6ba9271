//! Holding: one process is started, supervised, limited and stopped with everything it started;
//! after a crash of its supervisor it is adopted.
//!
//! This room does not know what a process is for: an [`Observer`] interprets its lines, and the
//! caller decides what follows from its [`End`]. It imports no other room. Start with
//! [`Command::start`], then [`HeldProcess::release`] and [`Supervised::watch`]: the life of every
//! process.
//!
//! ```text
//! Command ──start──→ HeldProcess ──release──→ Supervised ──watch──→ Report
//!                     │ recorded by the caller ↑ adopt, by the next supervisor
//!                     └ has not received its standard input
//! ```
//!
//! A process writes to [`Files`], not to pipes: so it can outlive its supervisor, the next
//! supervisor can read its output from the beginning, and a grandchild that holds a pipe open does
//! not block a reader.
//!
//! ```
//! use surefire::process::{Command, Control, End, Files, ProcessLimits, ProcessMark, TextLines};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let directory = tempfile::tempdir()?;
//! let command =
//!     Command::new("sh", ProcessMark::new(uuid::Uuid::new_v4())).arguments(["-c", "echo hello"]);
//! let held =
//!     command.start(Files::at(directory.path()), ProcessLimits::default(), TextLines).await?;
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

mod blocking;
mod cancel_token;
mod command;
mod control;
mod end;
mod files;
mod find;
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

pub(crate) use blocking::{run_blocking, try_blocking};
pub use cancel_token::CancelToken;
pub use command::Command;
pub use control::Control;
pub use end::{End, OutputLimit};
pub use files::Files;
pub use find::find_on_path;
pub use held::{HeldProcess, SpawnError};
pub use identity::ProcessIdentity;
pub use limits::ProcessLimits;
pub use mark::ProcessMark;
pub use observer::{Observer, TextLines};
pub use supervised::{Report, Supervised, stop};
