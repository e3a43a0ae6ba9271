//! A supervised process, from its release or adoption to its end.

use std::fmt;
use std::io;
use std::process::ExitStatus;

use super::cancel_token::CancelToken;
use super::control::Control;
use super::end::End;
use super::files::Files;
use super::identity::ProcessIdentity;
use super::launcher;
use super::limits::ProcessLimits;
use super::mark::ProcessMark;
use super::observer::Observer;
use super::output::Output;
use super::running::Running;
use super::stdin::StdinWriter;
use super::sweep::sweep;
use super::watch::Watch;

/// A process that may have begun its work. Dropping this kills the process and everything that it
/// started.
pub struct Supervised<O: Observer> {
    subject: Subject,
    output: Output<O>,
    files: Files,
    limits: ProcessLimits,
}

#[derive(Debug)]
enum Subject {
    /// It was running when it was released or adopted.
    Running { running: Running, stdin_writer: Option<StdinWriter> },
    /// It had ended before it was adopted.
    Ended(ProcessMark),
}

/// The result of a process.
#[derive(Debug)]
pub struct Report<O> {
    /// Why it is no longer supervised.
    pub end: End,
    /// Its exit status, if it ended by itself and the status is known: for an adopted process only
    /// if it was [launched](super::Command::launched).
    pub status: Option<ExitStatus>,
    /// Its observer.
    pub observer: O,
    /// The last lines of its standard error.
    pub stderr: String,
}

impl<O: Observer> Supervised<O> {
    pub(super) const fn new(
        running: Running,
        stdin_writer: StdinWriter,
        output: Output<O>,
        files: Files,
        limits: ProcessLimits,
    ) -> Self {
        let subject = Subject::Running { running, stdin_writer: Some(stdin_writer) };
        Self { subject, output, files, limits }
    }

    /// Adopts a process that an earlier supervisor started with this mark and these files. It may
    /// have ended since.
    ///
    /// Its output is read from the beginning. Its time limit counts from now.
    ///
    /// # Errors
    /// Its output cannot be read. The process keeps running; [`stop`] ends it.
    pub fn adopt(
        process: ProcessIdentity,
        mark: ProcessMark,
        files: Files,
        limits: ProcessLimits,
        observer: O,
    ) -> io::Result<Self> {
        let output = Output::open(&files, limits, observer)?;
        let subject = match Running::adopt(process, mark) {
            Some(running) => Subject::Running { running, stdin_writer: None },
            None => Subject::Ended(mark),
        };
        Ok(Self { subject, output, files, limits })
    }

    /// Supervises the process to its end, and stops the processes it leaves behind.
    ///
    /// Every event of a process that ends by itself is sent before this returns, so the caller has
    /// to receive them meanwhile, or provide enough capacity.
    pub async fn watch(self, control: &Control<O::Event>) -> Report<O> {
        let Self { subject, output, files, limits } = self;
        let (running, stdin_writer) = match subject {
            Subject::Running { running, stdin_writer } => (running, stdin_writer),
            Subject::Ended(mark) => {
                sweep(mark).await;
                let (output, end) = output.read_rest(control).await;
                return Report::new(end, recorded_status(&files), output);
            }
        };
        let watch = Watch { running: &running, stdin_writer, control, limits };
        let (mut output, mut end) = watch.until_end(output).await;
        let status = match end {
            End::Exited => running.finish().await.or_else(|| recorded_status(&files)),
            End::Detached => {
                running.detach();
                None
            }
            End::Lingered | End::Stopped | End::Silent | End::TimedOut | End::TooMuchOutput(_) => {
                running.stop(&limits, &control.fast_stop).await;
                None
            }
        };
        if end == End::Lingered && !output.send_events(control).await {
            end = End::Detached;
        }
        Report::new(end, status, output)
    }
}

impl<O: Observer> fmt::Debug for Supervised<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Supervised").field("subject", &self.subject).finish_non_exhaustive()
    }
}

impl<O: Observer> Report<O> {
    fn new(end: End, status: Option<ExitStatus>, output: Output<O>) -> Self {
        let (observer, stderr) = output.into_parts();
        Self { end, status, observer, stderr }
    }
}

fn recorded_status(files: &Files) -> Option<ExitStatus> {
    launcher::status(&files.status().ok()?)
}

/// Stops a process that an earlier supervisor started, if it still runs, and everything with its
/// mark.
///
/// If the process is unknown, everything with its mark is killed.
pub async fn stop(
    process: Option<ProcessIdentity>,
    mark: ProcessMark,
    limits: &ProcessLimits,
    fast_stop: &CancelToken,
) {
    match process.and_then(|process| Running::adopt(process, mark)) {
        Some(running) => running.stop(limits, fast_stop).await,
        None => sweep(mark).await,
    }
}
