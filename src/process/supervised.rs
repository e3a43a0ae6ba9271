//! A process under supervision, from its release or adoption to its end.

use std::fmt;
use std::io;
use std::process::ExitStatus;

use tokio_util::sync::CancellationToken;

use super::control::Control;
use super::end::End;
use super::files::Files;
use super::identity::Process;
use super::launcher;
use super::limits::Limits;
use super::mark::Mark;
use super::observer::Observer;
use super::output::Output;
use super::running::Running;
use super::stdin::Handover;
use super::sweep::sweep;
use super::watch::Watch;

/// A process that may have begun. Dropping it kills the process and all that it started.
pub struct Supervised<O: Observer> {
    subject: Subject,
    output: Output<O>,
    files: Files,
    limits: Limits,
}

#[derive(Debug)]
enum Subject {
    /// It was there when it was looked at.
    Running { running: Running, handover: Option<Handover> },
    /// It ended before it was looked at.
    Gone(Mark),
}

/// What came of a process.
#[derive(Debug)]
pub struct Report<O> {
    /// Why it is no longer watched.
    pub end: End,
    /// How it ended, where it ended by itself and that can be known: for a process that was adopted only if it was
    /// [launched](super::Command::launched).
    pub status: Option<ExitStatus>,
    /// What was understood of its output.
    pub observer: O,
    /// The last lines of its standard error.
    pub stderr: String,
}

impl<O: Observer> Supervised<O> {
    pub(super) const fn new(
        running: Running,
        handover: Handover,
        output: Output<O>,
        files: Files,
        limits: Limits,
    ) -> Self {
        let subject = Subject::Running { running, handover: Some(handover) };
        Self { subject, output, files, limits }
    }

    /// Adopts a process that an earlier supervisor started with this mark and these files. It may have ended since.
    ///
    /// Its output is read from the beginning. Its time counts from now.
    ///
    /// # Errors
    /// Its output cannot be read. The process is left as it is; [`stop`] ends it.
    pub fn adopt(
        process: Process,
        mark: Mark,
        files: Files,
        limits: Limits,
        observer: O,
    ) -> io::Result<Self> {
        let output = Output::open(&files, limits, observer)?;
        let subject = match Running::adopt(process, mark) {
            Some(running) => Subject::Running { running, handover: None },
            None => Subject::Gone(mark),
        };
        Ok(Self { subject, output, files, limits })
    }

    /// Watches the process to its end, and ends what it leaves behind.
    ///
    /// Every event of a process that ends by itself is passed on before this returns, so the caller has to take them
    /// meanwhile, or leave room for all of them.
    pub async fn watch(self, control: &Control<O::Event>) -> Report<O> {
        let Self { subject, output, files, limits } = self;
        let (running, handover) = match subject {
            Subject::Running { running, handover } => (running, handover),
            Subject::Gone(mark) => {
                sweep(mark).await;
                let (output, end) = output.read_rest(control).await;
                return Report::new(end, recorded_status(&files), output);
            }
        };
        let watch = Watch { running: &running, handover, control, limits };
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
        if end == End::Lingered && !output.is_passed_on(control).await {
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

/// Stops a process that an earlier supervisor started, if it still runs, and everything with its mark.
///
/// Where the process is not known, what carries its mark is killed.
pub async fn stop(process: Option<Process>, mark: Mark, limits: &Limits, fast_stop: &CancellationToken) {
    match process.and_then(|process| Running::adopt(process, mark)) {
        Some(running) => running.stop(limits, fast_stop).await,
        None => sweep(mark).await,
    }
}
