//! A simulated agent, built in so that everything can be tried without a CLI, a login or costs.
//!
//! It reads the outcomes that a prompt offers, picks one by its script, and says in every reply
//! that nothing was changed. It does not know recipes. Start with [`Script`].

mod memory;
mod offer;
mod script;
mod words;

use std::sync::Arc;
use std::time::Duration;

use self::memory::Memory;
use super::{
    Agent, AgentEvent, AgentInfo, BoxFuture, Failure, Fate, ProcessIdentity, RefusedTool,
    RehearsedCheck, Reply, Turn, TurnContext, UnknownModel,
};

pub use script::Script;

/// How long a turn of the slow script takes, unless it is stopped.
const SLOW_TURN_TIME: Duration = Duration::from_mins(10);

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
/// let rehearsal = Rehearsal::new("one-fix".parse()?);
/// assert_eq!(rehearsal.script(), Script::OneFix);
/// assert!(rehearsal.about().rehearsal);
/// # Ok::<_, strum::ParseError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Rehearsal {
    script: Script,
    pace: Duration,
    memory: Arc<Memory>,
}

impl Rehearsal {
    /// A rehearsal of this script, without delays.
    #[must_use]
    pub fn new(script: Script) -> Self {
        Self { script, pace: Duration::ZERO, memory: Arc::default() }
    }

    /// Sets the duration of each turn, so that people can follow.
    #[must_use]
    pub fn pace(self, pace: Duration) -> Self {
        Self { pace, ..self }
    }

    /// Its script.
    #[must_use]
    pub fn script(&self) -> Script {
        self.script
    }

    fn turn_time(&self) -> Duration {
        if self.script == Script::Slow { SLOW_TURN_TIME } else { self.pace }
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

    fn rehearsed_check_passes(&self, check: &RehearsedCheck<'_>) -> bool {
        self.script.passes(check)
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
        if let Some(failure) = self.script.failure() {
            return Err(failure);
        }
        let refused =
            (self.script == Script::Denied).then(|| RefusedTool::new("Bash", Some("git commit")));
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
        let preferred = self.script.prefers().iter().find(|name| offered.contains(name));
        if let Some(outcome) = preferred {
            return self.report(turn, outcome);
        }
        let forward = self.forward(turn, &offered);
        match self.script {
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
        words::reporting(outcome, &self.script.finds(round.parse().unwrap_or(1)))
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
