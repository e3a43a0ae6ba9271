//! The paths through a recipe: they are the shortest, they take everything, and a test that only
//! takes some of them is told what is missing.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use surefire::paths::{Coverage, PathGoal, RunPath, assert_path};
use surefire::{AnyRecipe, Guardrail};

surefire::recipe! {
    /// A step that may be tried twice, and one that only its limit leads to.
    recipe Escalating {
        initial: Try,
        guardrails: { max_step_visits: 4 },
        step Try {
            prompt: "Try it.",
            max_visits: 2 => Ask,
            outcomes: [Done, Stuck, Unsure],
            Done => exit TaskCommitted,
            Stuck => Think,
            Unsure => Try,
        }
        step Think { prompt: "Think.", outcomes: [Idea], Idea => Try }
        step Ask {
            prompt: "Ask.",
            max_visits: 1 => exit ClarificationNeeded,
            outcomes: [Answered, NotAnswered],
            Answered => Apply,
            NotAnswered => Ask,
        }
        step Apply { prompt: "Apply it.", outcomes: [Applied, Wrong], Applied => exit ChangesCommitted, Wrong => Think }
    }
}

surefire::recipe! {
    /// A loop that only the total bounds, and restarts.
    recipe Chained {
        initial: Take,
        guardrails: { max_total_steps: 5, max_restarts: 2 },
        step Take { prompt: "Take one.", outcomes: [Taken, NoneLeft], Taken => Work, NoneLeft => exit NoTasksAvailable }
        step Work { prompt: "Work.", outcomes: [Done, Skipped, Escalated], Done => restart Chained, Skipped => Take, Escalated => restart Escalating }
    }
}

surefire::recipe! {
    /// A step that only its limit ends, with two ways to it.
    recipe Waiting {
        initial: Ask,
        step Ask { prompt: "Ask.", outcomes: [Asked, Unsure], Asked => Wait, Unsure => Think }
        step Think { prompt: "Think.", outcomes: [Done], Done => Wait }
        step Wait { prompt: "Wait.", max_visits: 2 => exit ClarificationNeeded, outcomes: [NotYet], NotYet => Wait }
    }
}

surefire::recipe! {
    /// One step that ends.
    recipe Single {
        initial: Only,
        step Only { prompt: "Do it.", outcomes: [Done], Done => exit TaskCommitted }
    }
}

fn recipes() -> Vec<&'static dyn AnyRecipe> {
    #[cfg(feature = "recipes")]
    let bundled: Vec<_> = surefire::recipes::BUNDLED.iter().collect();
    #[cfg(not(feature = "recipes"))]
    let bundled: Vec<&'static dyn AnyRecipe> = Vec::new();
    let own: [&'static dyn AnyRecipe; 4] = [&Escalating, &Chained, &Waiting, &Single];
    bundled.into_iter().chain(own).collect()
}

/// What a path takes.
fn taken(recipe: &'static dyn AnyRecipe, path: &RunPath) -> HashSet<PathGoal> {
    let mut coverage = Coverage::of(recipe);
    coverage.add(path);
    let missing: HashSet<_> = coverage.missing().collect();
    coverage.goals().iter().copied().filter(|goal| !missing.contains(goal)).collect()
}

/// The length of the first path to each goal, of all paths within one run.
fn exhaustively(recipe: &'static dyn AnyRecipe) -> HashMap<PathGoal, usize> {
    let outline = recipe.outline();
    let goals = Coverage::of(recipe).goals().len();
    let mut found = HashMap::new();
    let mut seen = HashSet::new();
    let mut queue = VecDeque::from([Vec::new()]);
    while let Some(outcomes) = queue.pop_front() {
        let path = RunPath::follow(recipe, outcomes.iter().copied()).unwrap();
        for goal in taken(recipe, &path) {
            found.entry(goal).or_insert(outcomes.len());
        }
        // A guardrail on restarts takes more than one run.
        if path.is_over() || found.len() == goals {
            continue;
        }
        let mut visits = BTreeMap::new();
        path.steps().for_each(|step| *visits.entry(step).or_insert(0) += 1);
        let step = path.steps().last().unwrap();
        if seen.insert((step, visits)) {
            for outcome in outline.step(step).unwrap().outcomes {
                queue.push_back(outcomes.iter().copied().chain([outcome.name]).collect());
            }
        }
    }
    found
}

#[test]
fn the_paths_of_a_recipe_take_everything_by_the_shortest_way() {
    for recipe in recipes() {
        let (id, paths) = (recipe.outline().id, recipe.paths());
        let mut coverage = Coverage::of(recipe);
        coverage.extend(paths.iter().cloned());
        assert!(coverage.is_complete(), "{id}: {coverage}");
        let mut first = HashMap::new();
        for path in &paths {
            assert!(path.is_over(), "{path}");
            let outcomes: Vec<_> = path.outcomes().collect();
            for length in 1..=outcomes.len() {
                let part = RunPath::follow(recipe, outcomes[..length].iter().copied()).unwrap();
                for goal in taken(recipe, &part) {
                    let shortest = first.entry(goal).or_insert(length);
                    *shortest = length.min(*shortest);
                }
            }
        }
        let restarts = PathGoal::Guardrail(Guardrail::MaxRestarts);
        first.remove(&restarts);
        assert_eq!(first, exhaustively(recipe), "{id}");
    }
}

#[test]
fn no_path_is_the_beginning_of_another() {
    for recipe in recipes() {
        let paths: Vec<Vec<_>> =
            recipe.paths().iter().map(|path| path.outcomes().collect()).collect();
        for (index, path) in paths.iter().enumerate() {
            let others = paths.iter().enumerate().filter(|(other, _)| *other != index);
            for (_, other) in others {
                assert!(!other.starts_with(path), "{path:?} and {other:?}");
            }
        }
    }
}

#[test]
fn a_limit_that_leads_to_a_step_is_on_the_way_to_it() {
    let paths: Vec<_> = Escalating::paths().iter().map(RunPath::to_string).collect();
    assert_eq!(
        paths,
        [
            "try (done) → exit task-committed",
            "try (stuck) → think (idea) → try (done) → exit task-committed",
            "try (unsure) → try (unsure) → ask (not-answered) → exit clarification-needed",
            "try (unsure) → try (unsure) → ask (answered) → apply (applied) → exit changes-committed",
            "try (unsure) → try (unsure) → ask (answered) → apply (wrong) → think (idea) \
             → exit clarification-needed",
        ]
    );
}

#[test]
fn a_path_goes_on_after_a_restart() {
    let path = assert_path(&Chained, "taken, done, none-left", "exit no-tasks-available");
    assert_eq!(
        path.to_string(),
        "take (taken) → work (done) → restart chained → take (none-left) → exit no-tasks-available"
    );
    assert_path(&Chained, "taken, escalated, stuck", "think");
    let chain = "taken, done, taken, done, taken, done";
    assert_path(&Chained, chain, "exit max-restarts");
    assert_path(&Chained, "taken, skipped, taken, skipped, taken", "exit max-total-steps");
}

#[test]
fn coverage_does_not_count_what_another_recipe_takes() {
    let mut coverage = Coverage::of(&Chained);
    let path = assert_path(&Chained, "taken, escalated, done", "exit task-committed");
    coverage.add(&path);
    assert_eq!(
        coverage.to_string(),
        "3 of 10 taken; never: none-left at take, done at work, skipped at work, \
         exit no-tasks-available, restart chained, the guardrail max_total_steps, \
         the guardrail max_restarts"
    );
}

#[test]
fn a_limit_is_taken_by_the_path_that_it_diverts() {
    let mut coverage = Coverage::of(&Escalating);
    let diverted = assert_path(&Escalating, "unsure, unsure", "ask");
    let limit = PathGoal::StepLimit("try");
    assert!(coverage.goals().contains(&limit));
    coverage.add(&assert_path(&Escalating, "unsure", "try"));
    assert!(coverage.missing().any(|goal| goal == limit), "it may be visited twice");
    coverage.add(&diverted);
    assert!(coverage.missing().all(|goal| goal != limit));
    coverage.add(&assert_path(
        &Escalating,
        "unsure, unsure, not-answered",
        "exit clarification-needed",
    ));
    assert!(coverage.missing().all(|goal| goal != PathGoal::StepLimit("ask")));
}

#[test]
fn a_random_path_ends_and_comes_back_with_its_seed() {
    for recipe in recipes() {
        let mut different = HashSet::new();
        for seed in 0..50 {
            let path = RunPath::random(recipe, seed);
            assert!(path.is_over(), "{path}");
            assert_eq!(path.to_string(), RunPath::random(recipe, seed).to_string());
            different.insert(path.to_string());
        }
        assert!(different.len() > 1, "{different:?}");
    }
}

#[test]
fn random_paths_take_what_the_author_did_not_write_too() {
    let paths = (0..50).map(|seed| RunPath::random(&Single, seed).to_string());
    let expected = ["only (done) → exit task-committed", "only (other) → exit user-provided-other"];
    assert_eq!(paths.collect::<HashSet<_>>(), expected.map(str::to_owned).into());
}

#[test]
fn fewer_and_smaller_numbers_make_a_simpler_path() {
    let chosen = |numbers: &[usize]| RunPath::chosen(&Chained, numbers.iter().copied()).to_string();
    assert_eq!(chosen(&[]), "take");
    assert_eq!(chosen(&[0]), "take (taken) → work");
    assert_eq!(chosen(&[3]), "take (taken) → work", "three outcomes, so 3 is 0 again");
    assert_eq!(chosen(&[0, 0, 0]), "take (taken) → work (done) → restart chained");
}

surefire::recipe! {
    /// A step that only the limits of a visit lead to.
    recipe Timed {
        initial: Work,
        step Work { prompt: "Work.", time: 30m => Ask, outcomes: [Done], Done => exit TaskCommitted }
        step Ask { prompt: "Ask.", outcomes: [Asked], Asked => exit ClarificationNeeded }
    }
}

#[test]
fn a_path_uses_up_no_time_and_need_not_take_what_only_that_leads_to() {
    let recipe: &dyn AnyRecipe = &Timed;
    let paths = recipe.paths();
    assert_eq!(paths.len(), 1);
    let mut coverage = Coverage::of(recipe);
    coverage.extend(paths);
    assert!(coverage.is_complete(), "{coverage}");
    assert_eq!(coverage.goals().len(), 2, "an outcome and its exit");
}
