//! Following a run to its end, wherever it goes on, and asking it to stop.

use std::time::Duration;

use tokio::time::MissedTickBehavior;

use super::connection::{Door, GoOn, House, Stir, Trouble, Wish};
use super::context::Context;
use super::render::live::PACE;
use super::render::view::View;
use super::signals::Stop;
use super::usage::complaint::Complaint;
use super::usage::program::program_name;
use crate::engine::Clock;
use crate::run::{Ending, Event, ResumedBy, RunId, SessionId};
use crate::view::Timeline;
use crate::wire::{Journal, JournalEvent, Stamp};

/// What is said to somebody who wants it to stop.
const STOPPING: &str = "Stopping the agent; once more, and this ends at once.";

/// What is said while the operator's command takes its time, and how long it may take before that.
const WAITING_FOR_ON_END: &str = "Waiting for the command of --on-end; Ctrl-C ends the wait.";
const SHORT_WAIT: Duration = Duration::from_secs(2);

/// How long after its time a run that should go on by itself is waited for, and how often the clock is looked at.
const OVERDUE: Duration = Duration::from_secs(10);
const LOOK_AGAIN: Duration = Duration::from_secs(30);

/// How long a server may be away that is started anew.
const RESTART: Duration = Duration::from_secs(1);

/// Somebody who watches.
pub(super) struct Follower<'f> {
    pub(super) context: &'f Context,
    pub(super) door: &'f Door,
    pub(super) house: House,
    pub(super) view: View,
    stop: Stop,
    /// Whether somebody wants it to stop.
    stopping: bool,
    /// Whether whoever runs it was told that.
    asked: bool,
}

impl<'f> Follower<'f> {
    pub(super) fn new(context: &'f Context, door: &'f Door, house: House, view: View, stop: Stop) -> Self {
        Self { context, door, house, view, stop, stopping: false, asked: false }
    }

    /// Begins as a guest where it is one, and refuses what was `chosen` for an agent of its own: it would count for nothing.
    pub(super) fn come_in(&mut self, chosen: &[String]) -> Result<(), Complaint> {
        if !self.house.is_guest() {
            return Ok(());
        }
        if let Some(first) = chosen.first() {
            return Err(Complaint::usage(
                format!("`{first}` cannot be chosen here"),
                "another process holds the data directory, and its agent is its own",
                "leave it out, stop that process, or name another directory with --data",
            ));
        }
        self.view.note("Another process holds the data directory, and runs this.");
        Ok(())
    }

    /// Has a run started.
    pub(super) async fn start(&mut self, wish: &Wish) -> Result<RunId, Complaint> {
        let Self { house, view, stop, stopping, .. } = self;
        Ok(to_its_end(house.start(wish), stop, view, stopping).await?)
    }

    /// Has a run gone on with.
    pub(super) async fn resume(&mut self, run: RunId, go_on: GoOn) -> Result<(), Complaint> {
        let Self { house, view, stop, stopping, .. } = self;
        Ok(to_its_end(house.resume(run, go_on), stop, view, stopping).await?)
    }

    /// Follows a run, and those that continue it in other sessions, and tells how the last of them ended. What happened in
    /// the first up to the event `known` is not told again.
    pub(super) async fn follow(&mut self, first: RunId, known: u64) -> Result<(Timeline, Ending), Complaint> {
        let (mut run, mut known) = (first, known);
        loop {
            let (timeline, ending) = self.one(run, known).await?;
            match ending.continued_by {
                Some(next) => (run, known) = (next, 0),
                None => return Ok((timeline, ending)),
            }
            while let Err(trouble) = self.house.listen_to(run).await {
                self.come_back(run, trouble).await?;
            }
        }
    }

    /// Waits until all that was begun at the end of a session's runs is done, and says what went wrong with it. It has its
    /// own limits; a user who presses Ctrl-C does not wait for them.
    pub(super) async fn hand_off(&mut self, session: SessionId) {
        let Self { house, view, stop, stopping, .. } = self;
        let handing_off = async {
            let mut handing_off = std::pin::pin!(house.handed_off(session));
            if let Ok(problems) = tokio::time::timeout(SHORT_WAIT, &mut handing_off).await {
                return problems;
            }
            view.note(WAITING_FOR_ON_END);
            handing_off.await
        };
        let problems = tokio::select! {
            problems = handing_off => problems,
            _ = stop.wished(), if !*stopping => Vec::new(),
        };
        for problem in problems {
            view.note(&problem);
        }
    }

    /// Gives back the house, once everything is over.
    pub(super) async fn leave(mut self) {
        self.view.over();
        self.house.leave().await;
        // Only now: until its agent is gone, somebody may still insist.
        self.stop.concerns_nothing();
    }

    async fn one(&mut self, run: RunId, known: u64) -> Result<(Timeline, Ending), Complaint> {
        let journal = self.read(run, 0).await?;
        let mut timeline = journal.run.timeline(self.context.catalog);
        self.hold_the_brake(timeline.facts().session);
        let (past, mut events): (Vec<_>, Vec<_>) =
            journal.events.into_iter().partition(|told| told.seq <= known);
        for told in &past {
            timeline.apply(told.seq, told.at.0, &told.event);
        }
        self.view.begins(&timeline, &past);
        // It may be another run than the one that was asked to stop.
        self.asked = false;
        loop {
            for told in &events {
                let before = timeline.view().visits.len();
                timeline.apply(told.seq, told.at.0, &told.event);
                self.view.happened(&timeline, told, before);
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
            // An end that is written down is told by the journal; this is about the other kind.
            if let Some(ending) = unsaved.filter(|_| events.is_empty() && timeline.ending().is_none()) {
                let event = Event::ended(ending);
                events.push(JournalEvent { seq, at: last, event });
            }
        }
    }

    /// Waits until there may be something new about a run. An end that it hears of on the way may not be in the journal.
    async fn wait(&mut self, timeline: &Timeline) -> Result<Option<Ending>, Complaint> {
        let (run, session) = (timeline.facts().run, timeline.facts().session);
        let mut ticks = tokio::time::interval(PACE);
        // A terminal that is slow, or a process that was stopped for a while, has nothing to make up for.
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let stir = tokio::select! {
                biased;
                _ = self.stop.wished(), if !self.stopping => {
                    self.stopping = true;
                    // Before anything else: whoever wishes it twice in a row leaves no time for that.
                    self.ask_to_stop(timeline).await?;
                    self.view.note(STOPPING);
                    return Ok(None);
                }
                stir = self.house.stirred() => stir,
                _ = ticks.tick(), if self.view.is_live() => {
                    self.view.tick(timeline);
                    continue;
                }
                // Whoever holds the data directory may not know that it is theirs to go on with.
                () = overdue(timeline), if self.house.is_guest() && !self.stopping => {
                    self.house.resume(run, GoOn::as_it_was(ResumedBy::Auto)).await.map(|()| Stir::Any)
                }
            };
            match stir {
                Ok(Stir::Run(stirred)) if stirred == run => return Ok(None),
                Ok(Stir::Ended(ended, ending)) if ended == run => return Ok(Some(*ending)),
                Ok(Stir::Any) => return Ok(None),
                Ok(Stir::Said(history)) if history.session_id == session => self.view.said(&history),
                Ok(Stir::Printed(printed, line)) if printed == run => self.view.printed(line),
                Ok(Stir::Run(_) | Stir::Ended(..) | Stir::Said(_) | Stir::Printed(..)) => {}
                Err(trouble) => {
                    self.come_back(run, trouble).await?;
                    return Ok(None);
                }
            }
        }
    }

    /// Whoever wishes it to stop ends this session's run, whatever is going on here.
    fn hold_the_brake(&self, session: SessionId) {
        if let Some(brake) = self.house.brake(session) {
            self.stop.concerns(brake);
        }
    }

    async fn ask_to_stop(&mut self, timeline: &Timeline) -> Result<(), Complaint> {
        self.asked = true;
        match self.house.ask_to_stop(timeline.facts().session).await {
            Ok(()) => {
                if self.house.is_guest() {
                    self.stop.heeded().cancel();
                }
                Ok(())
            }
            Err(trouble) => self.come_back(timeline.facts().run, trouble).await,
        }
    }

    async fn read(&mut self, run: RunId, since: u64) -> Result<Journal, Complaint> {
        loop {
            let Self { house, view, stop, stopping, .. } = self;
            let books = house.books();
            match to_its_end(books.journal(run, since), stop, view, stopping).await {
                Ok(Some(journal)) => return Ok(journal),
                Ok(None) => {
                    let why = "somebody may have had it forgotten";
                    let fix = format!("`{} runs` lists them", program_name());
                    return Err(Complaint::new(format!("there is no run {run}"), why, fix));
                }
                Err(trouble) => self.come_back(run, trouble).await?,
            }
        }
    }

    /// Whoever held the data directory is gone. The run goes on with the next one, be it us.
    async fn come_back(&mut self, run: RunId, mut trouble: Trouble) -> Result<(), Complaint> {
        loop {
            let Trouble::Lost = trouble else { return Err(trouble.into()) };
            self.view.note("The server is gone; looking for the run.");
            match self.find_again(run).await {
                Ok(()) => return Ok(()),
                Err(another) => trouble = another,
            }
        }
    }

    async fn find_again(&mut self, run: RunId) -> Result<(), Trouble> {
        // What is to stop needs nobody to go on with it first.
        let take_up: &[RunId] = if self.stopping { &[] } else { &[run] };
        let (guest, mut stop) = (self.house.is_guest(), self.stop.clone());
        let entering = async {
            // A server that is started anew comes first: it is there for more than this run. What is to stop cannot wait.
            if guest {
                let _ = tokio::time::timeout(RESTART, stop.wished()).await;
            }
            House::enter(self.door, take_up).await
        };
        self.house = to_its_end(entering, &mut self.stop, &mut self.view, &mut self.stopping).await?;
        self.asked = false;
        let Some(found) = self.house.books().run(run).await? else { return Ok(()) };
        self.hold_the_brake(found.session_id);
        // At a server that takes up nothing by itself, it would stay where it is.
        if self.house.is_guest()
            && !self.stopping
            && found.ending.is_none()
            && let Err(trouble) = self.house.resume(run, GoOn::as_it_was(ResumedBy::User)).await
        {
            // It may have come to its end just now.
            let ended = self.house.books().run(run).await?.is_some_and(|run| run.ending.is_some());
            return if ended { Ok(()) } else { Err(trouble) };
        }
        self.house.listen_to(run).await
    }
}

/// Waits for something that cannot be given up half-way: what somebody wants to stop has to be there first.
async fn to_its_end<T>(
    doing: impl Future<Output = T>,
    stop: &mut Stop,
    view: &mut View,
    stopping: &mut bool,
) -> T {
    let mut doing = std::pin::pin!(doing);
    tokio::select! {
        done = &mut doing => return done,
        _ = stop.wished(), if !*stopping => {}
    }
    *stopping = true;
    view.note(STOPPING);
    doing.await
}

/// Waits until a run should have gone on by itself for some time.
async fn overdue(timeline: &Timeline) {
    let Some(at) = timeline.ending().and_then(|ending| ending.resume_at) else {
        return std::future::pending().await;
    };
    let late = Duration::from_millis(at) + OVERDUE;
    loop {
        let left = late.saturating_sub(Duration::from_millis(Clock::system().now()));
        if left.is_zero() {
            return;
        }
        tokio::time::sleep(left.min(LOOK_AGAIN)).await;
    }
}
