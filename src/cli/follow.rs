//! Following a run to its end, whichever process runs it, and asking it to stop.

use std::time::Duration;

use tokio::time::MissedTickBehavior;

use super::connection::{
    Connection, ConnectionConfig, ConnectionError, ConnectionEvent, ResumeRequest, StartRequest,
};
use super::context::Context;
use super::render::live::REDRAW_INTERVAL;
use super::render::view::View;
use super::signals::Stop;
use super::usage::cli_error::CliError;
use super::usage::program::program_name;
use crate::engine::Clock;
use crate::run::{Ending, Event, ResumedBy, RunId, SessionId};
use crate::view::Timeline;
use crate::wire::{Journal, JournalEvent, Stamp};

/// Printed after the first Ctrl-C.
const STOPPING: &str = "Stopping the agent; press Ctrl-C again to exit at once.";

/// Printed while the operator's command is running, once it has taken this long.
const WAITING_FOR_ON_END: &str = "Waiting for the --on-end command; press Ctrl-C to stop waiting.";
const NOTICE_DELAY: Duration = Duration::from_secs(2);

/// The grace period for a run that is due to resume automatically, and how often the clock is
/// checked.
const RESUME_GRACE: Duration = Duration::from_secs(10);
const POLL_INTERVAL: Duration = Duration::from_secs(30);

/// How long a restarting server gets to come back before this process takes the data directory.
const RESTART_TIMEOUT: Duration = Duration::from_secs(1);

/// Follows runs on behalf of a command.
pub(super) struct Follower<'f> {
    pub(super) context: &'f Context,
    pub(super) config: &'f ConnectionConfig,
    pub(super) connection: Connection,
    pub(super) view: View,
    stop: Stop,
    /// Whether the user asked to stop.
    stopping: bool,
    /// Whether that request was sent for the current run.
    asked: bool,
}

impl<'f> Follower<'f> {
    pub(super) fn new(
        context: &'f Context,
        config: &'f ConnectionConfig,
        connection: Connection,
        view: View,
        stop: Stop,
    ) -> Self {
        Self { context, config, connection, view, stop, stopping: false, asked: false }
    }

    /// Says which process runs the recipe. With a server, the agent options in `chosen` are
    /// refused, because they would have no effect.
    pub(super) fn announce_connection(&mut self, chosen: &[String]) -> Result<(), CliError> {
        if !self.connection.is_remote() {
            if self.config.beside_server {
                let data = self.config.data.display();
                self.view.note(&format!(
                    "A server is running with an agent of its own. \
                     This rehearsal runs here, and is stored in {data}."
                ));
            }
            return Ok(());
        }
        if let Some(first) = chosen.first() {
            return Err(CliError::usage(
                format!("`{first}` cannot be chosen here"),
                "another process holds the data directory and uses its own agent",
                "remove the option, stop that process, or choose another directory with --data",
            ));
        }
        self.view.note("Another surefire process is running; it runs this recipe.");
        Ok(())
    }

    /// Starts a run.
    pub(super) async fn start(&mut self, request: &StartRequest) -> Result<RunId, CliError> {
        let Self { connection, view, stop, stopping, .. } = self;
        Ok(uninterrupted(connection.start(request), stop, view, stopping).await?)
    }

    /// Resumes a run.
    pub(super) async fn resume(
        &mut self,
        run: RunId,
        request: ResumeRequest,
    ) -> Result<(), CliError> {
        let Self { connection, view, stop, stopping, .. } = self;
        Ok(uninterrupted(connection.resume(run, request), stop, view, stopping).await?)
    }

    /// Follows a run, and the runs that continue it in other sessions, and returns how the last of
    /// them ended. Events of the first run up to `known` are not printed again.
    pub(super) async fn follow(
        &mut self,
        first: RunId,
        known: u64,
    ) -> Result<(Timeline, Ending), CliError> {
        let (mut run, mut known) = (first, known);
        loop {
            let (timeline, ending) = self.one(run, known).await?;
            match ending.continued_by {
                Some(next) => (run, known) = (next, 0),
                None => return Ok((timeline, ending)),
            }
            while let Err(failure) = self.connection.listen_to(run).await {
                self.reconnect(run, failure).await?;
            }
        }
    }

    /// Waits for the work that follows the end of a session's runs, and prints its problems. That
    /// work has its own time limits; Ctrl-C ends the wait.
    pub(super) async fn hand_off(&mut self, session: SessionId) {
        let Self { connection, view, stop, stopping, .. } = self;
        let handing_off = async {
            let mut handing_off = std::pin::pin!(connection.wait_for_handoffs(session));
            if let Ok(problems) = tokio::time::timeout(NOTICE_DELAY, &mut handing_off).await {
                return problems;
            }
            view.note(WAITING_FOR_ON_END);
            handing_off.await
        };
        let problems = tokio::select! {
            problems = handing_off => problems,
            _ = stop.requested(), if !*stopping => Vec::new(),
        };
        for problem in problems {
            view.note(&problem);
        }
    }

    /// Closes the connection at the end.
    pub(super) async fn leave(mut self) {
        self.view.over();
        self.connection.leave().await;
        // Only now: until the agent has exited, a second Ctrl-C still needs the canceller.
        self.stop.disarm();
    }

    async fn one(&mut self, run: RunId, known: u64) -> Result<(Timeline, Ending), CliError> {
        let journal = self.read(run, 0).await?;
        let mut timeline = journal.run.timeline(self.context.catalog);
        self.arm_canceller(timeline.facts().session);
        let (past, mut events): (Vec<_>, Vec<_>) =
            journal.events.into_iter().partition(|record| record.seq <= known);
        for record in &past {
            timeline.apply(record.seq, record.at.0, &record.event);
        }
        self.view.begins(&timeline, &past);
        // This may be a different run from the one that was asked to stop.
        self.asked = false;
        loop {
            for record in &events {
                let before = timeline.view().visits.len();
                timeline.apply(record.seq, record.at.0, &record.event);
                self.view.happened(&timeline, record, before);
            }
            if let Some(ending) = timeline.ending().cloned().filter(|_| timeline.is_over()) {
                self.view.over();
                return Ok((timeline, ending));
            }
            let unsaved = if self.stopping && !self.asked {
                self.ask_to_stop(&timeline).await?;
                None
            } else {
                self.wait(&timeline).await?
            };
            let (seq, last) = (timeline.view().seq, Stamp(timeline.view().changed_at));
            events = self.read(run, seq).await?.events;
            // A persisted end is in the journal; this handles an end that could not be persisted.
            if let Some(ending) =
                unsaved.filter(|_| events.is_empty() && timeline.ending().is_none())
            {
                let event = Event::ended(ending);
                events.push(JournalEvent { seq, at: last, event });
            }
        }
    }

    /// Waits until the run may have new events. Returns an ending that arrived meanwhile, since it
    /// may be missing from the journal.
    async fn wait(&mut self, timeline: &Timeline) -> Result<Option<Ending>, CliError> {
        let (run, session) = (timeline.facts().run, timeline.facts().session);
        let mut ticks = tokio::time::interval(REDRAW_INTERVAL);
        // After a slow write or a suspended process, missed redraws are not made up for.
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let event = tokio::select! {
                biased;
                _ = self.stop.requested(), if !self.stopping => {
                    self.stopping = true;
                    // Before the note: after two signals in quick succession, there is no time
                    // for it later.
                    self.ask_to_stop(timeline).await?;
                    self.view.note(STOPPING);
                    return Ok(None);
                }
                event = self.connection.next_event() => event,
                _ = ticks.tick(), if self.view.is_live() => {
                    self.view.tick(timeline);
                    continue;
                }
                // The server may not know that it has to resume this run.
                () = overdue(timeline), if self.connection.is_remote() && !self.stopping => {
                    let request = ResumeRequest::unchanged(ResumedBy::Auto);
                    self.connection.resume(run, request).await.map(|()| ConnectionEvent::Any)
                }
            };
            match event {
                Ok(ConnectionEvent::Run(changed)) if changed == run => return Ok(None),
                Ok(ConnectionEvent::Ended(ended, ending)) if ended == run => {
                    return Ok(Some(*ending));
                }
                Ok(ConnectionEvent::Any) => return Ok(None),
                Ok(ConnectionEvent::Messages(history)) if history.session_id == session => {
                    self.view.messages(&history);
                }
                Ok(ConnectionEvent::Printed(printed, line)) if printed == run => {
                    self.view.printed(line);
                }
                Ok(
                    ConnectionEvent::Run(_)
                    | ConnectionEvent::Ended(..)
                    | ConnectionEvent::Messages(_)
                    | ConnectionEvent::Printed(..),
                ) => {}
                Err(failure) => {
                    self.reconnect(run, failure).await?;
                    return Ok(None);
                }
            }
        }
    }

    /// Lets a signal end this session's run even while this task is blocked.
    fn arm_canceller(&self, session: SessionId) {
        if let Some(canceller) = self.connection.canceller(session) {
            self.stop.arm(canceller);
        }
    }

    async fn ask_to_stop(&mut self, timeline: &Timeline) -> Result<(), CliError> {
        self.asked = true;
        match self.connection.ask_to_stop(timeline.facts().session).await {
            Ok(()) => {
                if self.connection.is_remote() {
                    self.stop.accepted().cancel();
                }
                Ok(())
            }
            Err(failure) => self.reconnect(timeline.facts().run, failure).await,
        }
    }

    async fn read(&mut self, run: RunId, since: u64) -> Result<Journal, CliError> {
        loop {
            let Self { connection, view, stop, stopping, .. } = self;
            let history = connection.history();
            match uninterrupted(history.journal(run, since), stop, view, stopping).await {
                Ok(Some(journal)) => return Ok(journal),
                Ok(None) => {
                    let why = "it may have been deleted meanwhile";
                    let fix = format!("`{} runs` lists the runs", program_name());
                    return Err(CliError::new(format!("there is no run {run}"), why, fix));
                }
                Err(failure) => self.reconnect(run, failure).await?,
            }
        }
    }

    /// The process that held the data directory is gone. The next holder, possibly this process,
    /// resumes the run.
    async fn reconnect(
        &mut self,
        run: RunId,
        mut failure: ConnectionError,
    ) -> Result<(), CliError> {
        loop {
            let ConnectionError::Lost = failure else { return Err(failure.into()) };
            self.view.note("The connection to the server was lost; looking for the run.");
            match self.find_run_again(run).await {
                Ok(()) => return Ok(()),
                Err(another) => failure = another,
            }
        }
    }

    async fn find_run_again(&mut self, run: RunId) -> Result<(), ConnectionError> {
        // A run that is to be stopped is not resumed first.
        let recovery: &[RunId] = if self.stopping { &[] } else { &[run] };
        let (remote, mut stop) = (self.connection.is_remote(), self.stop.clone());
        let entering = async {
            // A restarting server takes precedence: it serves more than this run. A stop request
            // ends the wait.
            if remote {
                let _ = tokio::time::timeout(RESTART_TIMEOUT, stop.requested()).await;
            }
            Connection::enter(self.config, recovery).await
        };
        self.connection =
            uninterrupted(entering, &mut self.stop, &mut self.view, &mut self.stopping).await?;
        self.asked = false;
        let Some(found) = self.connection.history().run(run).await? else { return Ok(()) };
        self.arm_canceller(found.session_id);
        // A server without automatic recovery would leave the run as it is.
        if self.connection.is_remote()
            && !self.stopping
            && found.ending.is_none()
            && let Err(failure) =
                self.connection.resume(run, ResumeRequest::unchanged(ResumedBy::User)).await
        {
            // The run may have ended just now.
            let ended =
                self.connection.history().run(run).await?.is_some_and(|run| run.ending.is_some());
            return if ended { Ok(()) } else { Err(failure) };
        }
        self.connection.listen_to(run).await
    }
}

/// Completes an operation that must not be dropped half-way, and records a stop request that
/// arrives meanwhile.
async fn uninterrupted<T>(
    doing: impl Future<Output = T>,
    stop: &mut Stop,
    view: &mut View,
    stopping: &mut bool,
) -> T {
    let mut doing = std::pin::pin!(doing);
    tokio::select! {
        done = &mut doing => return done,
        _ = stop.requested(), if !*stopping => {}
    }
    *stopping = true;
    view.note(STOPPING);
    doing.await
}

/// Waits until a run is overdue to resume automatically.
async fn overdue(timeline: &Timeline) {
    let Some(at) = timeline.ending().and_then(|ending| ending.resume_at) else {
        return std::future::pending().await;
    };
    let late = Duration::from_millis(at) + RESUME_GRACE;
    loop {
        let left = late.saturating_sub(Duration::from_millis(Clock::system().now()));
        if left.is_zero() {
            return;
        }
        tokio::time::sleep(left.min(POLL_INTERVAL)).await;
    }
}
