//! Claims about random recipes, compared with every walk that their graph has.

use std::collections::VecDeque;

use proc_macro2::TokenStream;

use crate::check::{self, Valid};
use crate::diagnostic::Diagnostics;
use crate::resolve::{Goal, Report, Resolved, Target};
use crate::syntax::Recipe;
use crate::torture::Random;
use crate::witness::{self, Search, Way, Witness};

const RECIPES: usize = 4_000;
/// A witness visits each step at most twice, and there are at most five.
const LONGEST: usize = 11;

#[test]
fn a_claim_holds_if_no_walk_contradicts_it() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let (mut held, mut contradicted, mut past_full, mut past_time) = (0, 0, 0, 0);
    for _ in 0..RECIPES {
        let Some(valid) = recipe(&mut random) else { continue };
        let recipe = valid.recipe();
        let search = Search::new(recipe, 0);
        for _ in 0..6 {
            let claim = Claim::random(recipe, &mut random);
            let found = witness::find(&search, &claim.goal, &claim.needs, claim.since);
            let real = claim.shortest_contradiction(recipe);
            let words = || format!("{}\n{claim:?}", written(recipe));
            match &found {
                None => {
                    held += 1;
                    assert_eq!(real, None, "a run contradicts it: {}", words());
                }
                Some(witness) => {
                    contradicted += 1;
                    let mut ways = witness.taken.iter().map(|taken| taken.way);
                    past_time += usize::from(ways.any(|way| matches!(way, Way::Limit(_))));
                    claim.check(recipe, witness);
                    // Limits that are never reached change nothing, so the path can be walked, and
                    // none is shorter.
                    if recipe.steps.iter().all(|step| step.max_visits.is_none()) {
                        let from_the_start = Claim::length(recipe, witness);
                        assert_eq!(real, Some(from_the_start), "{}", words());
                    } else {
                        past_full +=
                            usize::from(witness.taken.iter().any(|one| !one.full.is_empty()));
                    }
                }
            }
        }
    }
    assert!(
        held > 300 && contradicted > 300 && past_full > 10 && past_time > 100,
        "{held} {contradicted} {past_full} {past_time}"
    );
}

#[derive(Debug)]
struct Claim {
    goal: Goal,
    needs: Vec<Report>,
    since: Option<usize>,
}

impl Claim {
    fn random(recipe: &Resolved, random: &mut Random) -> Self {
        let count = recipe.steps.len();
        let goal = match random.below(3) {
            0 => Goal::Exit("TaskCommitted".to_owned()),
            _ => Goal::Step(random.below(count)),
        };
        let needs = (0..=random.below(2)).map(|_| {
            let step = random.below(count);
            Report { step, outcome: random.below(recipe.steps[step].outcomes.len()) }
        });
        let needs = needs.collect();
        Self { goal, needs, since: (random.below(2) == 0).then(|| random.below(count)) }
    }

    /// How many steps the shortest run leaves that contradicts the claim. Runs are followed as the
    /// engine would, with counts; any visit may use up its limits.
    fn shortest_contradiction(&self, recipe: &Resolved) -> Option<usize> {
        if self.goal == Goal::Step(0) {
            return Some(0);
        }
        let mut first = vec![0; recipe.steps.len()];
        first[0] = 1;
        let mut pending = VecDeque::from([(0, first, false, 0)]);
        while let Some((step, visits, met, length)) = pending.pop_front() {
            if length == LONGEST || pending.len() > 20_000 {
                continue;
            }
            for way in Way::all(&recipe.steps[step]) {
                let met = met || way.reports(step, &self.needs);
                let target = entered(recipe, &visits, way.target(&recipe.steps[step]));
                let reached = self.goal.is(target);
                if reached && !met {
                    return Some(length + 1);
                }
                if let Some(next) = target.certain_step() {
                    let mut visits = visits.clone();
                    visits[next] += 1;
                    pending.push_back((next, visits, met && self.since != Some(next), length + 1));
                }
            }
        }
        None
    }

    /// Each part of the path leads to the next one, and none is needed.
    fn check(&self, recipe: &Resolved, witness: &Witness) {
        let steps = witness.taken.iter().skip(1).map(|taken| Some(taken.step)).chain([None]);
        for (taken, next) in witness.taken.iter().zip(steps) {
            let mut target = taken.way.target(&recipe.steps[taken.step]);
            for full in &taken.full {
                assert_eq!(target.certain_step(), Some(*full));
                target = recipe.steps[*full].when_full.as_ref().expect("it has a limit");
            }
            assert!(!taken.way.reports(taken.step, &self.needs));
            match next {
                Some(next) => assert_eq!(target.certain_step(), Some(next)),
                None => assert!(self.goal.is(target)),
            }
        }
    }

    /// How many outcomes lead to the path and along it.
    fn length(recipe: &Resolved, witness: &Witness) -> usize {
        let start = witness.taken.first().map_or(0, |taken| taken.step);
        let mut distances = vec![None; recipe.steps.len()];
        distances[0] = Some(0);
        let mut pending = VecDeque::from([0]);
        while let Some(step) = pending.pop_front() {
            for next in recipe.certain.edges(step) {
                if distances[*next].is_none() {
                    distances[*next] = distances[step].map(|distance: usize| distance + 1);
                    pending.push_back(*next);
                }
            }
        }
        witness.taken.len() + distances[start].expect("every step is reached")
    }
}

/// Where a run goes that has made these visits.
fn entered<'a>(recipe: &'a Resolved, visits: &[u32], target: &'a Target) -> &'a Target {
    let mut target = target;
    while let Some(step) = target.certain_step()
        && let Some(most) = recipe.steps[step].max_visits
        && visits[step] >= most
        && let Some(instead) = &recipe.steps[step].when_full
    {
        target = instead;
    }
    target
}

/// A random recipe, if it follows every rule.
fn recipe(random: &mut Random) -> Option<Valid> {
    let text = source(random);
    let tokens: TokenStream = text.parse().expect("it is made of tokens");
    let mut diagnostics = Diagnostics::default();
    let written = Recipe::parse(tokens, &mut diagnostics)?;
    check::recipe(Resolved::new(written), diagnostics).ok()
}

fn source(random: &mut Random) -> String {
    let count = 2 + random.below(4);
    let limited = random.below(2) == 0;
    let mut text = vec!["recipe R { initial: S0, guardrails: { max_total_steps: 99 },".to_owned()];
    for step in 0..count {
        let outcomes = 1 + random.below(3);
        let names: Vec<_> = (0..outcomes).map(|outcome| format!("O{outcome}")).collect();
        text.push(format!("step S{step} {{ prompt: \"x\", outcomes: [{}],", names.join(", ")));
        if limited && random.below(3) == 0 && step + 1 < count {
            let later = step + 1 + random.below(count - step - 1);
            text.push(format!("max_visits: {} => S{later},", 1 + random.below(2)));
        }
        if random.below(4) == 0 {
            let other = (step + 1 + random.below(count - 1)) % count;
            text.push(format!("time: 5m => S{other},"));
        }
        for name in names {
            let next = match random.below(4) {
                0 => "exit TaskCommitted".to_owned(),
                _ => format!("S{}", random.below(count)),
            };
            text.push(format!("{name} => {next},"));
        }
        text.push("}".to_owned());
    }
    text.push("}".to_owned());
    text.concat()
}

/// The recipe in words, for a failure.
fn written(recipe: &Resolved) -> String {
    let steps = recipe.steps.iter().map(|step| {
        let targets: Vec<_> = step
            .outcomes
            .iter()
            .map(|outcome| {
                outcome.target.certain_step().map_or("end".to_owned(), |to| to.to_string())
            })
            .collect();
        let full = step.when_full.as_ref().and_then(Target::certain_step);
        let limits = step.after_limits.iter().map(|(_, target)| target.certain_step());
        let limits: Vec<_> = limits.collect();
        let name = step.name();
        format!("{name} -> {targets:?}, {:?} => {full:?}, {limits:?}", step.max_visits)
    });
    steps.collect::<Vec<_>>().join("\n")
}
