//! Checking: what is true of a working directory, found out by looking at it: which files a run changed, which commits it
//! made, whether evidence is there, and how a command of the engine ended.
//!
//! This room decides nothing and changes nothing: what follows from what was found is for the engine, git is only asked
//! to look, and its snapshots are kept outside of the repository. It reads no agent's words.
//! Start with [`Git::find`] and [`Repository::snapshot`], then [`look`] for evidence and [`Commands::execute`] for commands.
//!
//! ```text
//! Git ──find──→ Repository ──snapshot──→ TreeState, before and after ──→ changes, diff, commits, look
//! Commands ──execute──→ CommandEvent::Spawned, recorded by the caller ──go──→ lines, shown live ──→ CommandEnd
//!          └─recover──→ CommandFate, after a crash
//! ```

mod blocking;
mod command;
mod environment;
mod evidence;
mod git;
mod printable;

pub use command::{
    CommandEnd, CommandEvent, CommandFate, CommandLink, CommandSettings, Commands, Execution, MAX_TAIL_BYTES,
};
pub use environment::Environment;
pub use evidence::{GitContext, LookError, Looked, look};
pub use git::{
    ChangeKind, ChangedFile, Changes, CommitSeen, Diff, GIT_TIMEOUT, Git, GitError, Head, MAX_LISTED_COMMITS,
    MAX_LISTED_FILES, MAX_SNAPSHOT_FILE_BYTES, MainBranch, Repository, TreeState, Window,
};
