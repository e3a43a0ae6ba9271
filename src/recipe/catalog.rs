//! The catalog: the recipes that a server or a command line offers.

use super::advise::{Advise, advice};
use super::erased::AnyRecipe;
use super::remedy::Remedy;

/// The recipes that a server or a command line offers, made with [`catalog!`](crate::catalog!).
///
/// ```
/// use surefire::recipes::{ImplementAndReview, RebaseOnMain};
/// use surefire::{Catalog, catalog};
///
/// static CATALOG: Catalog = catalog![ImplementAndReview, RebaseOnMain];
///
/// assert_eq!(CATALOG.get("rebase").unwrap().outline().label, "Rebase");
/// let error = CATALOG.find("rebas").map(|_| ()).unwrap_err();
/// assert_eq!(error.to_string(), "recipe not found: `rebas`; did you mean `rebase`?");
/// ```
#[derive(Clone, Copy)]
pub struct Catalog {
    recipes: &'static [&'static dyn AnyRecipe],
}

impl Catalog {
    #[doc(hidden)]
    #[must_use]
    pub const fn new(recipes: &'static [&'static dyn AnyRecipe]) -> Self {
        Self { recipes }
    }

    /// The recipes, in the order they were listed.
    pub fn iter(&self) -> impl Iterator<Item = &'static dyn AnyRecipe> + use<> {
        self.recipes.iter().copied()
    }

    /// The recipes, sorted by label, as they are displayed.
    #[must_use]
    pub fn by_label(&self) -> Vec<&'static dyn AnyRecipe> {
        let mut recipes = self.recipes.to_vec();
        recipes.sort_by_key(|recipe| recipe.outline().label);
        recipes
    }

    /// The recipe with this id, if the catalog has it.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&'static dyn AnyRecipe> {
        self.iter().find(|recipe| recipe.outline().id == id)
    }

    /// The recipe with this id.
    ///
    /// # Errors
    /// There is no such recipe; the error names the closest id if one is close enough.
    pub fn find(&self, id: &str) -> Result<&'static dyn AnyRecipe, UnknownRecipe> {
        let ids = self.iter().map(|recipe| recipe.outline().id);
        self.get(id).ok_or_else(|| UnknownRecipe { id: id.to_owned(), closest: closest(id, ids) })
    }
}

/// The name with the smallest edit distance, if at most a third of `written` differs.
pub(crate) fn closest<'n>(written: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let length = written.chars().count();
    let max_distance = (length / 3).max(1);
    // The difference in length is a lower bound of the distance, and is cheap even for a very
    // long text.
    let names = names.filter(|known| known.chars().count().abs_diff(length) <= max_distance);
    let distances = names.map(|known| (strsim::osa_distance(known, written), known));
    let near = distances.filter(|(distance, _)| *distance <= max_distance);
    near.min_by_key(|(distance, _)| *distance).map(|(_, known)| known)
}

impl std::fmt::Debug for Catalog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter().map(|recipe| recipe.outline().id)).finish()
    }
}

/// A recipe id that the catalog does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("recipe not found: `{id}`{}", advice(self))]
#[non_exhaustive]
pub struct UnknownRecipe {
    /// The id that was requested.
    pub id: String,
    /// The id that was probably meant.
    pub closest: Option<&'static str>,
}

impl Advise for UnknownRecipe {
    fn remedy(&self) -> Option<Remedy> {
        self.closest.map(|id| Remedy::DidYouMean { name: id.to_owned() })
    }
}
