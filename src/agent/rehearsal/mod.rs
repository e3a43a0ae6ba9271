//! An agent that only pretends, built in so that everything can be tried without a CLI, a login or money.
//!
//! It reads the outcomes that a prompt offers, picks one by its script, and says in every reply that nothing was done.
//! It knows no recipes. Start with [`Script`], the list of what it can play.

mod memory;
mod offer;
mod script;
mod words;

use std::sync::Arc;
use std::time::Duration;

use self::memory::Memory;
use super::{
    About, Agent, Doing, Failure, Fate, Link, Process, RefusedTool, RehearsedCheck, Reply, Sign, Turn,
    UnknownModel,
};

pub use script::Script;

/// How long the slow script takes for a turn, unless it is stopped.
const SLOW: Duration = Duration::from_mins(10);

/// How many tasks a project has before there are none.
const TASKS: u32 = 2;

/// The built-in agent that changes nothing.
///
/// Its answers depend on the script, the prompt and what was answered in the same session before, and on nothing else.
/// What was answered before is kept beside the turns' own directories, so a server that is started again in the middle
/// of a run gets the same answers as one that was never stopped.
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
    /// A rehearsal of this script, as fast as it can be.
    #[must_use]
    pub fn new(script: Script) -> Self {
        Self { script, pace: Duration::ZERO, memory: Arc::default() }
    }

    /// Takes this long for each turn, so that people can follow.
    #[must_use]
    pub fn pace(self, pace: Duration) -> Self {
        Self { pace, ..self }
    }

    /// What it plays.
    #[must_use]
    pub fn script(&self) -> Script {
        self.script
    }

    fn takes(&self) -> Duration {
        if self.script == Script::Slow { SLOW } else { self.pace }
    }
}

impl Default for Rehearsal {
    fn default() -> Self {
        Self::new(Script::default())
    }
}

impl Agent for Rehearsal {
    fn about(&self) -> About {
        About { name: "rehearsal", version: Some(env!("CARGO_PKG_VERSION").to_owned()), rehearsal: true }
    }

    /// Any: a recipe that asks for a model can be rehearsed as well.
    fn knows_model(&self, _model: &str) -> Result<(), UnknownModel> {
        Ok(())
    }

    fn turn(&self, turn: Turn, link: Link) -> Doing<Result<Reply, Failure>> {
        let rehearsal = self.clone();
        Box::pin(async move { rehearsal.play(&turn, &link).await })
    }

    fn rehearses_well(&self, check: &RehearsedCheck<'_>) -> bool {
        self.script.passes(check)
    }

    /// Nothing was ever done, so a turn that was cut off can be taken as if for the first time.
    fn recover(&self, turn: Turn, process: Option<Process>, link: Link) -> Doing<Fate> {
        let _ = (turn, process, link);
        Box::pin(async { Fate::NeverBegan })
    }
}

impl Rehearsal {
    async fn play(&self, turn: &Turn, link: &Link) -> Result<Reply, Failure> {
        let work = async {
            // Only where there is a pause in which somebody could read it.
            if !self.takes().is_zero() {
                let said = Sign::Said("Rehearsal: I only pretend to work on this.".to_owned());
                // Nobody may be listening; a rehearsal does not mind.
                let _ = link.signs.send(said).await;
            }
            tokio::time::timeout(turn.limits.duration, tokio::time::sleep(self.takes())).await
        };
        let in_time = tokio::select! {
            biased;
            () = link.stop.cancelled() => return Err(Failure::Stopped),
            () = link.leave.cancelled() => return Err(Failure::Left),
            in_time = work => in_time.is_ok(),
        };
        if !in_time {
            return Err(Failure::TookTooLong { after: turn.limits.duration });
        }
        if let Some(failure) = self.script.failure() {
            return Err(failure);
        }
        let refused = (self.script == Script::Denied).then(|| RefusedTool::new("Bash", Some("git commit")));
        if let Some(refused) = &refused {
            let _ = link.signs.send(Sign::Refused(refused.clone())).await;
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
                // The one choice that is no outcome's name.
                let choice = self
                    .in_session(turn, |given| if given == 0 { (String::new(), 1) } else { (forward, given) });
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

    /// The reply with this outcome, and with findings where it carries some.
    fn report(&self, turn: &Turn, outcome: &str) -> String {
        if !offer::carries_findings(&turn.prompt, outcome) {
            return words::reporting(outcome, &[]);
        }
        let round = self.memory.choose(turn, format!("findings {}", turn.session), |rounds| {
            (rounds.saturating_add(1).to_string(), rounds.saturating_add(1))
        });
        // What the memory gives back was put in by us, or written into its file by others.
        words::reporting(outcome, &self.script.finds(round.parse().unwrap_or(1)))
    }

    /// The outcome that leads on. Where tasks can run out they do, for a recipe that takes one after the other would
    /// not end otherwise; it takes each in a session of its own, so they are counted by project.
    fn forward(&self, turn: &Turn, offered: &[&str]) -> String {
        let forward = offer::forward(offered).to_owned();
        if !offered.contains(&"no-tasks") {
            return forward;
        }
        self.memory.choose(turn, format!("project {}", turn.directory.display()), |done| {
            if done < TASKS { (forward, done + 1) } else { ("no-tasks".to_owned(), 0) }
        })
    }

    fn in_session(&self, turn: &Turn, decide: impl FnOnce(u32) -> (String, u32)) -> String {
        self.memory.choose(turn, format!("session {}", turn.session), decide)
    }
}
