//! A process that was started and has been given nothing yet.

use std::fmt;
use std::io;
use std::process::ChildStdin;

use super::command::Command;
use super::files::Files;
use super::identity::Process;
use super::limits::Limits;
use super::observer::Observer;
use super::output::Output;
use super::running::Running;
use super::stdin::Handover;
use super::supervised::Supervised;
use super::withheld::Withheld;

/// A process that waits for its standard input. What it does begins when it is [released](Held::release); until then its
/// caller can record it.
///
/// If the supervisor crashes while it holds a process, the process sees the end of its standard input, and
/// [`Files::is_stdin_withheld`] says so afterwards. Dropping it kills the process and all that it started.
pub struct Held<O: Observer> {
    running: Running,
    stdin: ChildStdin,
    preamble: &'static [u8],
    withheld: Withheld,
    output: Output<O>,
    files: Files,
    limits: Limits,
}

/// Why a process could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Its files cannot be made.
    #[error("the files of the process cannot be made: {0}")]
    Files(#[source] io::Error),
    /// The system refuses to start it.
    #[error("the process cannot be started: {0}")]
    Spawn(#[source] io::Error),
}

impl Command {
    /// Starts it, with these files, and holds it.
    ///
    /// # Errors
    /// Its files cannot be made, or the system refuses to start it.
    pub async fn start<O: Observer>(
        self,
        files: Files,
        limits: Limits,
        observer: O,
    ) -> Result<Held<O>, StartError> {
        // Files are synced here, which can take a while. A result that is no longer waited for is dropped, and the
        // process ends with it.
        let starting = tokio::task::spawn_blocking(move || self.start_blocking(files, limits, observer));
        starting.await.unwrap_or_else(|error| Err(StartError::Spawn(io::Error::other(error))))
    }

    fn start_blocking<O: Observer>(
        self,
        files: Files,
        limits: Limits,
        observer: O,
    ) -> Result<Held<O>, StartError> {
        files.make_directory().map_err(StartError::Files)?;
        // First of all: an earlier process with these files may have been given something, and what shows how that ended is
        // about to go.
        let withheld = Withheld::create(files.directory()).map_err(StartError::Files)?;
        let fresh = files.create().map_err(StartError::Files)?;
        let output = Output::open(&files, limits, observer).map_err(StartError::Files)?;
        let (running, stdin) = Running::start(&self, &files, fresh).map_err(StartError::Spawn)?;
        Ok(Held { running, stdin, preamble: self.preamble(), withheld, output, files, limits })
    }
}

impl<O: Observer> Held<O> {
    /// What is needed to find the process again.
    #[must_use]
    pub const fn process(&self) -> &Process {
        self.running.process()
    }

    /// Hands it its standard input, and closes that behind it. From now on the process may have begun.
    ///
    /// # Errors
    /// The evidence that it was given nothing cannot be taken back. The process is ended, and was given nothing.
    pub async fn release(self, stdin: Vec<u8>) -> io::Result<Supervised<O>> {
        let Self { running, stdin: pipe, preamble, withheld, output, files, limits } = self;
        let released = tokio::task::spawn_blocking(move || withheld.release()).await;
        if let Err(error) = released.unwrap_or_else(|error| Err(io::Error::other(error))) {
            running.finish().await;
            return Err(error);
        }
        let bytes = if preamble.is_empty() { stdin } else { [preamble, &stdin].concat() };
        let handover = Handover::new(pipe, bytes);
        Ok(Supervised::new(running, handover, output, files, limits))
    }

    /// Ends it. It was given nothing, so there is nothing to interrupt.
    pub async fn end(self) {
        self.running.finish().await;
    }
}

impl<O: Observer> fmt::Debug for Held<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Held").field("process", self.process()).finish_non_exhaustive()
    }
}
