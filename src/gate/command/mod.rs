//! Commands that the engine runs: held until they are recorded, watched, bounded, stopped, and adopted after a crash.
//!
//! Start with `execute.rs`; `recover.rs` is for what an earlier engine left.

mod end;
mod execute;
mod execution;
mod lines;
mod link;
mod recover;
mod tail;

pub use end::{CommandEnd, CommandFate};
pub use execution::{CommandSettings, Commands, Execution};
pub use link::{CommandEvent, CommandLink};
pub use tail::MAX_TAIL_BYTES;
