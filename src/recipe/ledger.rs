//! The counters behind the guardrails.

use super::guardrail::{Guardrail, Guardrails};
use super::tripped::Tripped;

/// How often a run has entered each step.
///
/// Generated code and [`Position`](crate::Position) share it, so the typed and the erased form of a
/// run cannot count differently. `V` is an array with one counter per step: counting never
/// allocates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Ledger<V> {
    pub(super) visits: V,
    pub(super) steps: u32,
    pub(super) restarts: u32,
}

/// An array of counters, one per step.
pub trait Visits:
    AsRef<[u32]> + AsMut<[u32]> + Copy + Eq + std::fmt::Debug + Send + Sync + 'static
{
    /// No step has been visited.
    const NONE: Self;
}

impl<const N: usize> Visits for [u32; N] {
    const NONE: Self = [0; N];
}

impl<const N: usize> Ledger<[u32; N]> {
    /// The ledger of a run that has just entered its first step, in a chain with this many
    /// restarts.
    #[must_use]
    pub const fn begin(initial: usize, restarts: u32) -> Self {
        let mut visits = [0; N];
        visits[initial] = 1;
        Self { visits, steps: 1, restarts }
    }
}

impl<V: Visits> Ledger<V> {
    /// Like [`begin`](Ledger::begin), for any `V`: a `const fn` cannot call its trait's methods.
    pub(super) fn begun(initial: usize, restarts: u32) -> Self {
        let mut visits = V::NONE;
        visits.as_mut()[initial] = 1;
        Self { visits, steps: 1, restarts }
    }

    /// Counts the entry into a step, unless a guardrail forbids it.
    ///
    /// # Errors
    /// The guardrail that was hit; the ledger is then unchanged.
    #[inline]
    pub fn enter(
        &mut self,
        step: usize,
        name: &'static &'static str,
        limits: &Guardrails,
    ) -> Result<(), Tripped> {
        let visits = &mut self.visits.as_mut()[step];
        if let Some(limit) = limits.max_step_visits
            && *visits >= limit
        {
            return Err(Tripped::new(Guardrail::MaxStepVisits, limit, *visits, name));
        }
        if let Some(limit) = limits.max_total_steps
            && self.steps >= limit
        {
            return Err(Tripped::new(Guardrail::MaxTotalSteps, limit, self.steps, name));
        }
        *visits = one_more(*visits, limits.max_step_visits);
        self.steps = one_more(self.steps, limits.max_total_steps);
        Ok(())
    }

    /// Whether a step has been entered as often as this limit allows.
    #[must_use]
    #[inline]
    pub fn is_full(&self, step: usize, limit: u32) -> bool {
        self.visits.as_ref()[step] >= limit
    }

    /// Counts a restart, unless the guardrail forbids it, and returns the chain's new count.
    ///
    /// # Errors
    /// The guardrail that was hit.
    #[inline]
    pub fn restart(
        &self,
        name: &'static &'static str,
        limits: &Guardrails,
    ) -> Result<u32, Tripped> {
        match limits.max_restarts {
            Some(limit) if self.restarts >= limit => {
                Err(Tripped::new(Guardrail::MaxRestarts, limit, self.restarts, name))
            }
            limit => Ok(one_more(self.restarts, limit)),
        }
    }
}

/// The next count. A count below its limit cannot overflow; one without a limit saturates.
#[inline]
const fn one_more(count: u32, limit: Option<u32>) -> u32 {
    match limit {
        Some(_) => count + 1,
        None => count.saturating_add(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Guardrails = Guardrails {
        max_step_visits: Some(3),
        max_total_steps: Some(5),
        max_restarts: Some(2),
        max_verify_time_per_milestone: None,
        max_review_rounds: None,
        exit_on_other: true,
        raised_visits: 0,
    };

    #[test]
    fn a_step_runs_exactly_as_often_as_its_limit_allows() {
        let mut ledger = Ledger::<[u32; 2]>::begin(0, 0);
        assert_eq!(ledger.enter(0, &"a", &LIMITS), Ok(()));
        assert_eq!(ledger.enter(0, &"a", &LIMITS), Ok(()));
        let before = ledger;
        let tripped = ledger.enter(0, &"a", &LIMITS).unwrap_err();
        assert_eq!(
            (tripped.guardrail, tripped.limit, tripped.observed),
            (Guardrail::MaxStepVisits, 3, 4)
        );
        assert_eq!(ledger, before, "a refused entry is not counted");
    }

    #[test]
    fn a_run_takes_exactly_as_many_steps_as_its_limit_allows() {
        let mut ledger = Ledger::<[u32; 6]>::begin(0, 0);
        for step in 1..5 {
            assert_eq!(ledger.enter(step, &"s", &LIMITS), Ok(()));
        }
        let tripped = ledger.enter(5, &"f", &LIMITS).unwrap_err();
        assert_eq!(
            (tripped.guardrail, tripped.limit, tripped.observed),
            (Guardrail::MaxTotalSteps, 5, 6)
        );
    }

    #[test]
    fn visits_are_checked_before_the_total() {
        let mut ledger = Ledger::<[u32; 2]>::begin(0, 0);
        for step in [1, 1, 1, 0] {
            assert_eq!(ledger.enter(step, &"s", &LIMITS), Ok(()));
        }
        assert_eq!(ledger.enter(1, &"b", &LIMITS).unwrap_err().guardrail, Guardrail::MaxStepVisits);
        assert_eq!(ledger.enter(0, &"a", &LIMITS).unwrap_err().guardrail, Guardrail::MaxTotalSteps);
    }

    #[test]
    fn restarts_count_along_the_chain() {
        assert_eq!(Ledger::<[u32; 1]>::begin(0, 0).restart(&"a", &LIMITS), Ok(1));
        assert_eq!(Ledger::<[u32; 1]>::begin(0, 1).restart(&"a", &LIMITS), Ok(2));
        let tripped = Ledger::<[u32; 1]>::begin(0, 2).restart(&"a", &LIMITS).unwrap_err();
        assert_eq!(
            (tripped.guardrail, tripped.limit, tripped.observed),
            (Guardrail::MaxRestarts, 2, 3)
        );
    }
}
