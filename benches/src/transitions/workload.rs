//! The work that every contender does: the exits it counts, the limits it enforces, the outcomes it
//! gets.
//!
//! All contenders share this code, so that a difference between two rows of the table is a
//! difference between two ways to write the machine.

/// How often a step may be entered.
pub const MAX_STEP_VISITS: u32 = 3;
/// How many steps a run may enter in all.
pub const MAX_TOTAL_STEPS: u32 = 100;

/// How many transitions one lap of the static path takes.
pub const LAP: u64 = 5;

/// A step's place in the counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Implement,
    CodeReview,
    Fix,
    Commit,
}

/// The names of each step's outcomes, for the contenders that are fed with names.
pub const NAMES: [&[&str]; 4] = [
    &["complete", "no-tasks", "blocked"],
    &["no-issues", "issues-found"],
    &["complete"],
    &["committed", "nothing-to-commit"],
];

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    NoTasksAvailable,
    ImplementationBlocked,
    TaskCommitted,
    NoChangesToCommit,
    MaxStepVisits,
    MaxTotalSteps,
}

/// The exits of a whole benchmark, counted by kind: two contenders that walked differently differ
/// here.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Checksum([u64; 6]);

impl Checksum {
    /// Counts one exit.
    #[inline]
    pub fn count(&mut self, exit: Exit) {
        self.0[exit as usize] += 1;
    }
}

/// The steps entered so far, which the two limits are checked against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counters {
    visits: [u32; 4],
    total: u32,
}

impl Counters {
    /// The counters of a run that has just entered its first step.
    #[inline]
    pub const fn started() -> Self {
        Self { visits: [1, 0, 0, 0], total: 1 }
    }

    /// Whether `step` may be entered; visits are checked first.
    #[inline]
    pub const fn check(&self, step: Step) -> Result<(), Exit> {
        if self.visits[step as usize] >= MAX_STEP_VISITS {
            return Err(Exit::MaxStepVisits);
        }
        if self.total >= MAX_TOTAL_STEPS {
            return Err(Exit::MaxTotalSteps);
        }
        Ok(())
    }

    /// Counts an entry that `check` allowed.
    #[inline]
    pub const fn count(&mut self, step: Step) {
        self.visits[step as usize] += 1;
        self.total += 1;
    }

    /// Enters `step`, or returns the limit that forbids it.
    #[inline]
    pub const fn enter(&mut self, step: Step) -> Result<(), Exit> {
        match self.check(step) {
            Ok(()) => {
                self.count(step);
                Ok(())
            }
            Err(exit) => Err(exit),
        }
    }
}

/// A stream of pseudo-random outcomes.
///
/// A linear congruential generator of two instructions, so that the feeding hides as little of the
/// machine's own cost as possible; its upper half is random enough to defeat any pattern.
pub struct Feed(u32);

impl Feed {
    /// The same stream for all contenders.
    pub const fn new() -> Self {
        Self(0x2545_F491)
    }

    /// A number below `count`.
    #[inline]
    pub const fn index(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (((self.0 >> 16) * count as u32) >> 16) as usize
    }

    /// One of these outcomes.
    #[inline]
    pub const fn pick<T: Copy>(&mut self, outcomes: &[T]) -> T {
        outcomes[self.index(outcomes.len())]
    }
}

impl Default for Feed {
    fn default() -> Self {
        Self::new()
    }
}
