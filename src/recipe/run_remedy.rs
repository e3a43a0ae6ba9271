//! What helps after a run has ended: the registry's column `remedy`.

use std::fmt;

use serde::{Serialize, Serializer};

/// What helps most after a run has ended with a reason: the column `remedy` of its
/// [`ReasonInfo`](crate::ReasonInfo).
///
/// A [`Remedy`](crate::Remedy) is about an error: a request was refused, and the remedy's text says
/// what to write or do instead. A `RunRemedy` is about a run that has ended. It only names the kind
/// of help, because the details (the run's id, a limit that is high enough) depend on the run.
/// `view::next_actions` combines the kind and the details into the actions that every client
/// offers, at most three.
///
/// | in a registry | first offer |
/// |---|---|
/// | `again` | start the recipe again |
/// | `resume` | resume the run |
/// | `raise(visits)`, `raise(steps)`, `raise(time)`, `raise(turns)`, `raise(budget)` | resume the run with a higher limit |
/// | `permit(allow_deps)`, `permit(force_parallel)` | resume the run with this permission |
/// | `answer` | start the recipe again in the same session, with an answer to the agent |
/// | `doctor` | run `surefire doctor` to check the machine |
/// | `follow` | look at the run that continues this one |
/// | `none` | nothing: no client can do anything about it |
///
/// ```
/// use surefire::{ExitReason, Registry, RunLimit, RunRemedy};
///
/// assert_eq!(ExitReason::Timeout.definition().remedy, RunRemedy::Raise(RunLimit::Time));
/// assert_eq!(ExitReason::Timeout.definition().remedy.to_string(), "raise(time)");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RunRemedy {
    /// Start the recipe again: this run has nothing left to do, or cannot be resumed.
    Again,
    /// Resume the run.
    Resume,
    /// Resume the run with a higher limit.
    Raise(RunLimit),
    /// Resume the run with an additional permission.
    Permit(RunPermit),
    /// Answer the agent, and start the recipe again in the same session.
    Answer,
    /// Find out what is wrong on the machine, then resume the run.
    Doctor,
    /// Look at the run that continues this one.
    Follow,
    /// Nothing that a client could do.
    None,
}

/// A limit that can be raised when a run is resumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::Display, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
#[non_exhaustive]
pub enum RunLimit {
    /// The visits of each step.
    Visits,
    /// The total number of steps.
    Steps,
    /// The time that the agent may work.
    Time,
    /// The number of turns.
    Turns,
    /// The money that the agent may spend.
    Budget,
}

impl RunLimit {
    /// Every limit, in the order of declaration.
    pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;
}

/// A permission that a run can get when it is resumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::Display, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
#[non_exhaustive]
pub enum RunPermit {
    /// To change the lockfiles of package managers.
    AllowDeps,
    /// To work in a work tree that another run works in.
    ForceParallel,
}

impl RunPermit {
    /// Every permission, in the order of declaration.
    pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;
}

impl fmt::Display for RunRemedy {
    /// As it is written in a registry.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self {
            Self::Again => "again",
            Self::Resume => "resume",
            Self::Raise(limit) => return f.pad(&format!("raise({limit})")),
            Self::Permit(permit) => return f.pad(&format!("permit({permit})")),
            Self::Answer => "answer",
            Self::Doctor => "doctor",
            Self::Follow => "follow",
            Self::None => "none",
        };
        f.pad(word)
    }
}

impl Serialize for RunRemedy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
