//! A process that was started and has not received its standard input yet.

use std::fmt;
use std::io;
use std::process::ChildStdin;

use super::blocking::try_blocking;
use super::command::Command;
use super::files::Files;
use super::identity::ProcessIdentity;
use super::limits::ProcessLimits;
use super::observer::Observer;
use super::output::Output;
use super::running::Running;
use super::stdin::StdinWriter;
use super::supervised::Supervised;
use super::withheld::Withheld;

/// A process that waits for its standard input. Its work begins when it is
/// [released](HeldProcess::release); until then its caller can persist its identity.
///
/// If the supervisor crashes while it holds a process, the process sees the end of its standard
/// input, and [`Files::is_stdin_withheld`] returns `true` afterwards. Dropping a held process kills
/// it with everything that it started.
pub struct HeldProcess<O: Observer> {
    running: Running,
    stdin: ChildStdin,
    preamble: &'static [u8],
    withheld: Withheld,
    output: Output<O>,
    files: Files,
    limits: ProcessLimits,
}

/// Why a process could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpawnError {
    /// Its files cannot be created.
    #[error("the files of the process cannot be created: {0}")]
    Files(#[source] io::Error),
    /// The system refuses to start it.
    #[error("the process cannot be started: {0}")]
    Spawn(#[source] io::Error),
}

impl Command {
    /// Starts the program with these files, and holds it.
    ///
    /// # Errors
    /// Its files cannot be created, or the system refuses to start it.
    pub async fn start<O: Observer>(
        self,
        files: Files,
        limits: ProcessLimits,
        observer: O,
    ) -> Result<HeldProcess<O>, SpawnError> {
        // Files are synced here, which can take a while. If the caller stops waiting, the result is
        // dropped, which kills the process.
        let starting = try_blocking(move || self.start_blocking(files, limits, observer));
        starting.await.unwrap_or_else(|error| Err(SpawnError::Spawn(io::Error::other(error))))
    }

    fn start_blocking<O: Observer>(
        self,
        files: Files,
        limits: ProcessLimits,
        observer: O,
    ) -> Result<HeldProcess<O>, SpawnError> {
        files.make_directory().map_err(SpawnError::Files)?;
        // This comes first: the evidence must be about this process before the output and the
        // status of an earlier one with the same files are deleted.
        let withheld = Withheld::create(files.directory()).map_err(SpawnError::Files)?;
        let new_files = files.create().map_err(SpawnError::Files)?;
        let output = Output::open(&files, limits, observer).map_err(SpawnError::Files)?;
        let (running, stdin) =
            Running::start(&self, &files, new_files).map_err(SpawnError::Spawn)?;
        Ok(HeldProcess {
            running,
            stdin,
            preamble: self.preamble(),
            withheld,
            output,
            files,
            limits,
        })
    }
}

impl<O: Observer> HeldProcess<O> {
    /// The identity of the process, to find it again after a crash.
    #[must_use]
    pub const fn process(&self) -> &ProcessIdentity {
        self.running.process()
    }

    /// Writes its standard input, and then closes it. From now on the process may have begun its
    /// work.
    ///
    /// # Errors
    /// The evidence that its input was withheld could not be revoked. The process was killed, and
    /// received no input.
    pub async fn release(self, stdin: Vec<u8>) -> io::Result<Supervised<O>> {
        let Self { running, stdin: pipe, preamble, withheld, output, files, limits } = self;
        let released = try_blocking(move || withheld.release()).await;
        if let Err(error) = released.unwrap_or_else(|error| Err(io::Error::other(error))) {
            running.finish().await;
            return Err(error);
        }
        let bytes = if preamble.is_empty() { stdin } else { [preamble, &stdin].concat() };
        let stdin_writer = StdinWriter::new(pipe, bytes);
        Ok(Supervised::new(running, stdin_writer, output, files, limits))
    }

    /// Kills the process. It received no input, so there is no work to interrupt.
    pub async fn end(self) {
        self.running.finish().await;
    }
}

impl<O: Observer> fmt::Debug for HeldProcess<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Held").field("process", self.process()).finish_non_exhaustive()
    }
}
