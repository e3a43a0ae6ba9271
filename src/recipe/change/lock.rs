//! `recipes.lock`: the graphs of a catalog's recipes as a text, which is kept beside the source,
//! and what a change to a recipe means for runs that began before it.

use std::collections::BTreeMap;
use std::fmt;

use super::compare::Comparison;
use crate::recipe::catalog::Catalog;
use crate::recipe::erased::AnyRecipe;
use crate::recipe::graph::{GraphNext, RecipeGraph};
use crate::recipe::graph_change::GraphChange;

/// The first line of the file.
const HEADING: &str = "# The graphs of our recipes, as runs in progress know them. Generated: see \
                       `surefire::assert_recipes_lock!`.\n";

/// The graphs of the recipes of a catalog, as `recipes.lock` holds them.
///
/// ```
/// use surefire::recipes::BUNDLED;
/// use surefire::RecipesLock;
///
/// let lock = RecipesLock::of(BUNDLED);
/// assert!(lock.to_string().contains("recipe rebase, from rebase\n"));
/// assert_eq!(RecipesLock::parse(&lock.to_string()), Ok(lock.clone()));
/// assert_eq!(lock.changes(BUNDLED), []);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecipesLock {
    recipes: BTreeMap<String, RecipeGraph>,
}

/// How a recipe changed since the lock was written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LockedChange {
    /// Its id.
    pub recipe: String,
    /// What that means for runs that began before.
    pub grade: LockGrade,
    /// What changed. Empty if the whole recipe is new or gone.
    pub changes: Vec<GraphChange>,
}

/// What a change of a recipe means for runs that began before it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LockGrade {
    /// All of them continue.
    Compatible,
    /// Names changed. With the `was` that the changes suggest, all of them continue.
    AddWas,
    /// Runs at these steps stop.
    Breaks {
        /// The steps, by their earlier names.
        steps: Vec<String>,
    },
    /// The recipe is gone, so all of them stop.
    Removed,
}

/// Why a text is not a lock.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the lock cannot be read: {problem}")]
#[non_exhaustive]
pub struct RecipesLockError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub problem: &'static str,
}

impl RecipesLock {
    /// The current graphs.
    #[must_use]
    pub fn of(catalog: Catalog) -> Self {
        let graphs = catalog.iter().map(AnyRecipe::outline);
        let graphs = graphs.map(|outline| (outline.id.to_owned(), outline.graph()));
        Self { recipes: graphs.collect() }
    }

    /// Reads a lock.
    ///
    /// # Errors
    /// It is not what [`Display`](fmt::Display) writes, for example after a merge conflict.
    pub fn parse(text: &str) -> Result<Self, RecipesLockError> {
        let mut recipes = BTreeMap::new();
        let mut open: Option<(String, RecipeGraph, Option<String>)> = None;
        for (index, written) in text.lines().enumerate() {
            let failed = |problem| RecipesLockError { line: index + 1, problem };
            let line = written.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(rest) = line.strip_prefix("recipe ") {
                let (id, initial) = rest
                    .split_once(", from ")
                    .ok_or_else(|| failed("expected `recipe <id>, from <step>`"))?;
                recipes.extend(open.take().map(|(id, graph, _)| (id, graph)));
                let graph = RecipeGraph { initial: initial.to_owned(), steps: BTreeMap::new() };
                open = Some((id.to_owned(), graph, None));
                continue;
            }
            let (_, graph, at) =
                open.as_mut().ok_or_else(|| failed("expected `recipe <id>, from <step>`"))?;
            if let Some(step) = line.strip_prefix("step ") {
                graph.steps.insert(step.to_owned(), BTreeMap::new());
                *at = Some(step.to_owned());
            } else if let Some((outcome, next)) = line.split_once(" => ") {
                let step = at.as_ref().and_then(|at| graph.steps.get_mut(at));
                let step = step.ok_or_else(|| failed("expected `step <name>` before outcomes"))?;
                step.insert(outcome.to_owned(), GraphNext::from(next.to_owned()));
            } else {
                return Err(failed("expected `step <name>` or `<outcome> => <next>`"));
            }
        }
        recipes.extend(open.map(|(id, graph, _)| (id, graph)));
        Ok(Self { recipes })
    }

    /// How the recipes of a catalog differ from this lock, with a grade for each that changed.
    #[must_use]
    pub fn changes(&self, catalog: Catalog) -> Vec<LockedChange> {
        let mut graded = Vec::new();
        for (id, before) in &self.recipes {
            let Some(recipe) = catalog.get(id) else {
                let (grade, changes) = (LockGrade::Removed, Vec::new());
                graded.push(LockedChange { recipe: id.clone(), grade, changes });
                continue;
            };
            if recipe.outline().graph() == *before {
                continue;
            }
            let comparison = Comparison::new(before, recipe.outline());
            let (stops, remaining) = (comparison.stops(false), comparison.stops(true));
            let grade = if stops.is_empty() {
                LockGrade::Compatible
            } else if remaining.is_empty() {
                LockGrade::AddWas
            } else {
                LockGrade::Breaks { steps: remaining.into_iter().map(str::to_owned).collect() }
            };
            let changes = comparison.changes();
            graded.push(LockedChange { recipe: id.clone(), grade, changes });
        }
        let known =
            |recipe: &&'static dyn AnyRecipe| self.recipes.contains_key(recipe.outline().id);
        graded.extend(catalog.iter().filter(|recipe| !known(recipe)).map(|recipe| LockedChange {
            recipe: recipe.outline().id.to_owned(),
            grade: LockGrade::Compatible,
            changes: Vec::new(),
        }));
        graded
    }

    /// What `assert_recipes_lock!` does: compares the text of a lock, if there is one, with the
    /// catalog. `update` is the value of the environment variable.
    ///
    /// Returns the text to write, if the lock is to be written.
    #[doc(hidden)]
    pub fn verify(
        catalog: Catalog,
        written: Option<&str>,
        update: Option<&str>,
    ) -> Result<Option<String>, String> {
        const WRITE: &str = "write it with `UPDATE_RECIPES_LOCK=1 cargo test`";
        let current = || Self::of(catalog).to_string();
        let Some(written) = written else {
            return match update {
                Some(_) => Ok(Some(current())),
                None => Err(format!("there is no lock of the recipes yet; {WRITE}")),
            };
        };
        let changes = match (Self::parse(written), update) {
            (Ok(lock), _) => lock.changes(catalog),
            (Err(_), Some("breaking")) => return Ok(Some(current())),
            (Err(error), _) => {
                return Err(format!(
                    "{error}; restore it, or write a new one with `UPDATE_RECIPES_LOCK=breaking cargo test`"
                ));
            }
        };
        if changes.is_empty() {
            return Ok(None);
        }
        let is_compatible = changes.iter().all(|change| change.grade == LockGrade::Compatible);
        let lines: String = changes.iter().map(|change| format!("\n{change}")).collect();
        match update {
            Some(_) if is_compatible => Ok(Some(current())),
            Some("breaking") => Ok(Some(current())),
            None if is_compatible => Err(format!(
                "the lock of the recipes is not current:{lines}\nevery run continues; {WRITE}"
            )),
            Some(_) | None => Err(format!(
                "runs in progress cannot follow the recipes:{lines}\nfinish such runs first, and \
                 write the lock with `UPDATE_RECIPES_LOCK=breaking cargo test`"
            )),
        }
    }
}

impl fmt::Display for RecipesLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HEADING)?;
        for (id, RecipeGraph { initial, steps }) in &self.recipes {
            writeln!(f, "\nrecipe {id}, from {initial}")?;
            for (step, outcomes) in steps {
                writeln!(f, "  step {step}")?;
                for (outcome, next) in outcomes {
                    writeln!(f, "    {outcome} => {next}")?;
                }
            }
        }
        Ok(())
    }
}

impl fmt::Display for LockedChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { recipe, grade, changes } = self;
        write!(f, "recipe `{recipe}`: ")?;
        match grade {
            LockGrade::Compatible if changes.is_empty() => f.write_str("it is new")?,
            LockGrade::Compatible => f.write_str("runs in progress continue")?,
            LockGrade::AddWas => f.write_str("add `was`, or runs in progress stop")?,
            LockGrade::Breaks { steps } => {
                let names: Vec<_> = steps.iter().map(|step| format!("`{step}`")).collect();
                write!(f, "runs at these steps stop: {}", names.join(", "))?;
            }
            LockGrade::Removed => f.write_str("it is gone, and every run of it stops")?,
        }
        changes.iter().try_for_each(|change| write!(f, "\n  {change}"))
    }
}
