//! A simulated agent, built in so that everything can be tried without a CLI, a login or costs.
//!
//! It reads the outcomes that a prompt offers, picks one by its script, and says in every reply
//! that nothing was changed. It does not know recipes: outcomes of one's own are checked against a
//! recipe before a rehearsal is made of them. Start with [`Script`].

mod memory;
mod offer;
mod outcomes;
mod script;
mod words;

use std::sync::Arc;
use std::time::Duration;

use self::memory::Memory;
use self::outcomes::Outcomes;
use super::{
    Agent, AgentEvent, AgentInfo, BoxFuture, Failure, Fate, ProcessIdentity, RefusedTool,
    RehearsedCheck, Reply, Turn, TurnContext, UnknownModel,
};
use crate::paths::{PathError, RunPath};

pub use script::Script;

/// How long a turn of the slow script takes, unless it is stopped.
const SLOW_TURN_TIME: Duration = Duration::from_secs(10 * 60);

/// How many tasks a chain of runs has before it runs out of them.
const REHEARSED_TASKS: u32 = 2;

/// The built-in simulated agent. It changes nothing.
///
/// Its replies depend only on the script, the prompt and its earlier replies in the same session.
/// These are saved next to the scratch directories, so a server that restarts in the middle of a
/// run gets the same replies.
///
/// ```
/// use surefire::agent::{Agent, Rehearsal, Script};
///
/// let rehearsal = Rehearsal::new(Script::OneFix);
/// assert_eq!(rehearsal.script().as_deref(), Some("one-fix"));
/// assert!(rehearsal.about().rehearsal);
/// ```
///
/// A script fits every recipe. To report outcomes of your own choice, in a recipe of your own,
/// follow a path through it: see [`along`](Self::along).
#[derive(Debug, Clone)]
pub struct Rehearsal {
    course: Course,
    pace: Duration,
    memory: Arc<Memory>,
}

/// What a rehearsal plays.
#[derive(Debug, Clone)]
enum Course {
    Script(Script),
    Outcomes(Outcomes),
}

impl Rehearsal {
    /// A rehearsal of this script, without delays.
    #[must_use]
    pub fn new(script: Script) -> Self {
        Self::of(Course::Script(script))
    }

    /// A rehearsal that follows this path, without delays: it reports the path's outcomes, step by
    /// step and through restarts. A step that is a command passes or fails as the path says; all
    /// evidence is found, and commands that verify a step pass.
    ///
    /// It is for runs of the path's recipe. In a run of another one, it reports outcomes that the
    /// steps there may not have.
    ///
    /// # Errors
    /// The path does not end with an exit.
    ///
    /// ```
    /// use surefire::agent::Rehearsal;
    /// use surefire::paths::RunPath;
    /// use surefire::recipes::ImplementAndReview;
    ///
    /// let outcomes = "complete, issues-found, complete, no-issues, committed";
    /// let path = RunPath::parse(&ImplementAndReview, outcomes)?;
    /// let rehearsal = Rehearsal::along(&path)?;
    ///
    /// // Or one rehearsal for each path through the recipe.
    /// for path in ImplementAndReview::paths() {
    ///     let rehearsal = Rehearsal::along(&path)?;
    /// }
    /// # Ok::<_, surefire::paths::PathError>(())
    /// ```
    pub fn along(path: &RunPath) -> Result<Self, PathError> {
        Outcomes::of(path).map(|outcomes| Self::of(Course::Outcomes(outcomes)))
    }

    fn of(course: Course) -> Self {
        Self { course, pace: Duration::ZERO, memory: Arc::default() }
    }

    /// Sets the duration of each turn, so that people can follow.
    #[must_use]
    pub fn pace(self, pace: Duration) -> Self {
        Self { pace, ..self }
    }

    /// Whether it plays this script.
    fn plays(&self, script: Script) -> bool {
        matches!(&self.course, Course::Script(played) if *played == script)
    }

    fn turn_time(&self) -> Duration {
        if self.plays(Script::Slow) { SLOW_TURN_TIME } else { self.pace }
    }
}

impl Default for Rehearsal {
    fn default() -> Self {
        Self::new(Script::default())
    }
}

impl Agent for Rehearsal {
    fn about(&self) -> AgentInfo {
        AgentInfo {
            name: "rehearsal",
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            rehearsal: true,
        }
    }

    /// Any model: a recipe that names one can be rehearsed too.
    fn knows_model(&self, _model: &str) -> Result<(), UnknownModel> {
        Ok(())
    }

    fn turn(&self, turn: Turn, context: TurnContext) -> BoxFuture<Result<Reply, Failure>> {
        let rehearsal = self.clone();
        Box::pin(async move { rehearsal.play(&turn, &context).await })
    }

    fn script(&self) -> Option<String> {
        Some(match &self.course {
            Course::Script(script) => script.to_string(),
            Course::Outcomes(outcomes) => outcomes.to_string(),
        })
    }

    fn rehearsed_check_passes(&self, check: &RehearsedCheck<'_>) -> bool {
        match &self.course {
            Course::Script(script) => script.passes(check),
            Course::Outcomes(outcomes) => {
                !check.is_step || outcomes.passes(check.restarts, check.step)
            }
        }
    }

    /// Nothing was done, so an interrupted turn can begin anew.
    fn recover(
        &self,
        turn: Turn,
        process: Option<ProcessIdentity>,
        context: TurnContext,
    ) -> BoxFuture<Fate> {
        let _ = (turn, process, context);
        Box::pin(async { Fate::NeverBegan })
    }
}

impl Rehearsal {
    async fn play(&self, turn: &Turn, context: &TurnContext) -> Result<Reply, Failure> {
        let work = async {
            // Without a delay, the reply would replace the passage before anyone could read it.
            if !self.turn_time().is_zero() {
                let said =
                    AgentEvent::Passage("Rehearsal: I only pretend to work on this.".to_owned());
                // The receiver may be gone, which is fine.
                let _ = context.events.send(said).await;
            }
            tokio::time::timeout(turn.limits.duration, tokio::time::sleep(self.turn_time())).await
        };
        let in_time = tokio::select! {
            biased;
            () = context.stop.cancelled() => return Err(Failure::Stopped),
            () = context.detach.cancelled() => return Err(Failure::Detached),
            in_time = work => in_time.is_ok(),
        };
        if !in_time {
            return Err(Failure::TookTooLong { after: turn.limits.duration });
        }
        if let Course::Script(script) = &self.course
            && let Some(failure) = script.failure()
        {
            return Err(failure);
        }
        let refused =
            self.plays(Script::Denied).then(|| RefusedTool::new("Bash", Some("git commit")));
        if let Some(refused) = &refused {
            let _ = context.events.send(AgentEvent::Refused(refused.clone())).await;
        }
        Ok(Reply {
            text: self.answer(turn),
            cost_usd: Some(0.0),
            version: self.about().version,
            rounds: Some(1),
            refused: refused.into_iter().collect(),
            written: Vec::new(),
        })
    }

    fn answer(&self, turn: &Turn) -> String {
        let offered = offer::offered(&turn.prompt);
        if offered.is_empty() {
            return words::chatting();
        }
        let script = match &self.course {
            Course::Script(script) => *script,
            Course::Outcomes(outcomes) => {
                let next = turn.step.and_then(|step| outcomes.at(turn.restarts, step));
                return next.map_or_else(words::at_the_end, |outcome| self.report(turn, outcome));
            }
        };
        let preferred = script.prefers().iter().find(|name| offered.contains(name));
        if let Some(outcome) = preferred {
            return self.report(turn, outcome);
        }
        let forward = self.forward(turn, &offered);
        match script {
            Script::OneFix => {
                let review = offered.contains(&"issues-found");
                let choice = self.in_session(turn, |found| match (review, found) {
                    (true, 0) => ("issues-found".to_owned(), 1),
                    _ => (forward, found),
                });
                self.report(turn, &choice)
            }
            Script::GarbageOnce => {
                // An empty choice stands for the reply without an outcome.
                let choice = self.in_session(turn, |replies| {
                    if replies == 0 { (String::new(), 1) } else { (forward, replies) }
                });
                if choice.is_empty() { words::garbage() } else { self.report(turn, &choice) }
            }
            Script::UnknownOutcome => words::reporting("all-is-well", &[]),
            Script::Garbage => words::garbage(),
            Script::Denied => words::denied(),
            Script::Happy
            | Script::NeverSatisfied
            | Script::ReviewLoop
            | Script::NoTasks
            | Script::Blocked
            | Script::Questions
            | Script::NotFound
            | Script::NothingToCommit
            | Script::Other
            | Script::Unproved
            | Script::UnprovedOnce
            | Script::ChecksFail
            | Script::ChecksFailOnce
            | Script::Slow
            | Script::Crash
            | Script::RateLimited
            | Script::Overloaded
            | Script::LoggedOut
            | Script::ContextFull
            | Script::OverBudget => self.report(turn, &forward),
        }
    }

    /// The reply with this outcome, and with findings if the outcome carries them.
    fn report(&self, turn: &Turn, outcome: &str) -> String {
        if !offer::carries_findings(&turn.prompt, outcome) {
            return words::reporting(outcome, &[]);
        }
        let round = self.memory.choose(turn, format!("findings {}", turn.session), |rounds| {
            (rounds.saturating_add(1).to_string(), rounds.saturating_add(1))
        });
        // `choose` returns the number that was saved above, unless the file was edited.
        let round = round.parse().unwrap_or(1);
        let findings = match &self.course {
            Course::Script(script) => script.finds(round),
            // Fewer each time: otherwise the run would end because of a review loop.
            Course::Outcomes(outcomes) => {
                let step = turn.step.unwrap_or_default();
                words::findings(outcomes.left(turn.restarts, step), round)
            }
        };
        words::reporting(outcome, &findings)
    }

    /// The outcome that makes progress. If a step offers `no-tasks`, the tasks run out after a
    /// while: a recipe that takes task after task would not end otherwise. Tasks are counted in the
    /// run, plus one for each restart that led to it, so that a new run always finds a task.
    fn forward(&self, turn: &Turn, offered: &[&str]) -> String {
        let forward = offer::forward(offered).to_owned();
        let Some(run) = turn.run.filter(|_| offered.contains(&"no-tasks")) else {
            return forward;
        };
        self.memory.choose(turn, format!("run {run}"), |done| {
            if turn.restarts.saturating_add(done) < REHEARSED_TASKS {
                (forward, done + 1)
            } else {
                ("no-tasks".to_owned(), done)
            }
        })
    }

    fn in_session(&self, turn: &Turn, decide: impl FnOnce(u32) -> (String, u32)) -> String {
        self.memory.choose(turn, format!("session {}", turn.session), decide)
    }
}
