//! Commands that the engine runs: held until they are recorded, supervised, limited, stopped, and
//! adopted after a crash.
//!
//! Start with `execute.rs`; `recover.rs` is for what an earlier engine left.

mod control;
mod end;
mod execute;
mod execution;
mod lines;
mod recover;
mod tail;

pub use control::{CommandControl, CommandEvent};
pub use end::{CommandEnd, CommandFate};
pub use execution::{CommandSettings, Commands, Execution};
pub use tail::MAX_TAIL_BYTES;
