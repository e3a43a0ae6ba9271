//! What is proven about every run of a recipe at compile time.

use crate::fingerprint;
use crate::longest::Walks;
use crate::model::{Claim, Flow, Shape, Step};

/// Facts about a valid recipe.
pub(crate) struct Proof {
    /// No run takes more steps than this.
    pub(crate) max_steps: u32,
    /// Whether a run can take as many; where the graph has too many walks to look at, `max_steps`
    /// is only a bound.
    pub(crate) max_steps_is_exact: bool,
    /// The steps of the longest walk, and how often each runs there. If `max_steps` is only a
    /// bound: what it was computed from.
    pub(crate) heaviest_path: Vec<(usize, u32)>,
    /// The configured limits that can never be reached.
    pub(crate) never_trips: Vec<Limit>,
    /// The limits that a run may reach: the other ones, and those that steps have of their own.
    pub(crate) trips: Vec<Limit>,
    /// What holds on every path, as the author claims and a rule checked.
    pub(crate) claims: Vec<Claim>,
    /// A hash of the graph.
    pub(crate) fingerprint: u64,
    /// The hash of the graph that older runs and snapshots have.
    pub(crate) former_fingerprint: u64,
    /// The graph itself.
    pub(crate) flow: Flow,
}

/// One of the limits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Limit {
    StepVisits,
    TotalSteps,
    Restarts,
}

impl Limit {
    /// What it is called in the public enum of guardrails.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::StepVisits => "MaxStepVisits",
            Self::TotalSteps => "MaxTotalSteps",
            Self::Restarts => "MaxRestarts",
        }
    }
}

impl Proof {
    pub(crate) fn new(shape: &Shape, claims: Vec<Claim>) -> Self {
        let flow = Flow::new(shape);
        let total = shape.limits.max_total_steps;
        // One more than the total shows whether that is ever reached.
        let most = total.map_or(u32::MAX, |total| total.saturating_add(1));
        let limits = visits(shape, &flow, most);
        let ways: Vec<_> = shape.steps.iter().map(Step::ways).collect();
        let detours: Vec<_> = shape.steps.iter().map(Step::detour).collect();
        let Flow { graph, components } = &flow;
        let walks =
            Walks { graph, components, outcomes: &ways, detours: &detours, limits: &limits };
        let longest = walks.longest(shape.initial, None);
        let trips = total.is_some_and(|total| longest.steps > u64::from(total));
        let is_limited =
            |step: usize| shape.steps[step].max_visits.or(shape.limits.max_step_visits).is_some();
        let longest = match total.filter(|_| trips) {
            Some(total) => walks
                .endless(shape.initial, total, is_limited)
                .unwrap_or_else(|| walks.longest(shape.initial, Some(total))),
            None => longest,
        };
        let max_steps = u32::try_from(longest.steps).unwrap_or(u32::MAX);
        // Without a cycle, no step is entered twice; and where a limit leads on, it does not trip.
        let visits_trip = |step: usize| {
            is_limited(step)
                && shape.steps[step].when_full.is_none()
                && components.is_cyclic(components.of[step], graph)
        };
        let limits = [
            (
                Limit::StepVisits,
                shape.limits.max_step_visits.is_some(),
                (0..shape.steps.len()).any(visits_trip),
            ),
            (Limit::TotalSteps, total.is_some(), trips),
            (Limit::Restarts, shape.limits.max_restarts.is_some(), !shape.restarts.is_empty()),
        ];
        let never_trips = limits.iter().filter(|(_, is_set, trips)| *is_set && !trips);
        let never_trips = never_trips.map(|(limit, ..)| *limit).collect();
        let trips = limits.iter().filter(|(.., trips)| *trips).map(|(limit, ..)| *limit).collect();
        // If only the total bounds a cycle, no step runs more often than that.
        let within = |(step, visits): (usize, u32)| (step, visits.min(max_steps));
        let heaviest_path = longest.path.into_iter().map(within).collect();
        let max_steps_is_exact = longest.is_exact;
        Self {
            max_steps,
            max_steps_is_exact,
            heaviest_path,
            never_trips,
            trips,
            claims,
            fingerprint: fingerprint::of(shape),
            former_fingerprint: fingerprint::former(shape),
            flow,
        }
    }
}

/// How often a run can visit each step, and never more than `most`.
///
/// A step without a limit that lies on no cycle of such steps is visited at most once between two
/// visits of steps that have one.
fn visits(shape: &Shape, flow: &Flow, most: u32) -> Vec<u32> {
    let limit = |step: usize| shape.steps[step].max_visits.or(shape.limits.max_step_visits);
    let unlimited = flow.graph.without(|step| limit(step).is_some());
    let components = unlimited.components();
    let between = |members: &Vec<usize>| {
        let limits = members.iter().filter_map(|step| limit(*step));
        limits.fold(1, u32::saturating_add)
    };
    let between: Vec<_> = flow.components.members.iter().map(between).collect();
    let visits = (0..shape.steps.len()).map(|step| match limit(step) {
        Some(limit) => limit.min(most),
        None if components.is_cyclic(components.of[step], &unlimited) => most,
        None => between[flow.components.of[step]].min(most),
    });
    visits.collect()
}
