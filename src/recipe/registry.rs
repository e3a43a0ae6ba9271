//! The trait that enums of exit reasons implement: lookups, lists, iteration.

use std::{fmt, ptr};

use super::reason_info::{Category, Family, ReasonInfo};

/// An enum of exit reasons; each variant has all columns of a [`ReasonInfo`].
///
/// [`ExitReason`](crate::ExitReason) is the standard one. Define your own with the derive of the
/// same name, and select it in a recipe with `exits: MyExits`. A variant needs a `category` and a
/// `message`; the other columns have defaults:
///
/// | column | default |
/// |---|---|
/// | `code` | the variant's name in kebab-case |
/// | `title` | the message |
/// | `goal_met` | `true` for `completed`, else `false` |
/// | `exit_code` | 0 where the goal is met; otherwise required, from 40 to 63 or 80 to 119 |
/// | `diagnosis` | the message |
/// | `remedy` | `again` where the goal is met, `answer` where the recipe completed without it, else `resume`; see [`RunRemedy`](crate::RunRemedy) |
/// | `family` | none; any [`Family`] by its name |
/// | `auto_resumable` | `false` |
///
/// ```
/// use surefire::{Category, Registry};
///
/// #[derive(Debug, Clone, Copy, PartialEq, Eq, Registry)]
/// enum ReleaseExits {
///     #[reason(category = completed, message = "The release is out")]
///     Released,
///     #[reason(category = error, message = "The registry refused the release", exit_code = 40)]
///     Refused,
/// }
///
/// assert_eq!(ReleaseExits::Released.definition().code, "released");
/// assert_eq!(ReleaseExits::from_code("refused"), Some(ReleaseExits::Refused));
/// assert_eq!(ReleaseExits::in_category(Category::Error).count(), 1);
/// ```
///
/// A crate that renames the dependency on surefire puts `#[registry(crate = other_name)]` on the
/// enum.
///
/// A variant without a category or a message does not compile:
///
/// ```compile_fail
/// #[derive(Debug, Clone, Copy, surefire::Registry)]
/// enum ReleaseExits {
///     #[reason(message = "The release is out")] // which category?
///     Released,
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an enum of exit reasons",
    label = "its variants have no category and no message",
    note = "derive it: `#[derive(Clone, Copy, surefire::Registry)] enum {Self} {{ … }}`"
)]
pub trait Registry: Copy + 'static {
    /// Every reason, in the order of declaration.
    const ALL: &'static [Self];

    /// The columns of every reason, in the same order.
    const DEFINITIONS: &'static [ReasonInfo];

    #[doc(hidden)]
    const TABLE: &'static &'static [ReasonInfo];

    /// The index of this reason in [`ALL`](Self::ALL).
    fn index(self) -> usize;

    /// The reason at this index of [`ALL`](Self::ALL).
    ///
    /// A `match` rather than a look-up in that list, since the compiler then drops it where the
    /// index is a constant: on the way from a transition to its reason.
    #[doc(hidden)]
    #[must_use]
    fn from_index(index: usize) -> Option<Self>;

    /// All columns of this reason.
    #[must_use]
    fn definition(self) -> &'static ReasonInfo {
        &Self::DEFINITIONS[self.index()]
    }

    /// The reason with this code.
    #[must_use]
    fn from_code(code: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|reason| reason.definition().code == code)
    }

    /// The reasons of one category.
    fn in_category(category: Category) -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(move |reason| reason.definition().category == category)
    }

    /// The reasons of one family.
    fn in_family(family: Family) -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(move |reason| reason.definition().family == Some(family))
    }

    /// The reasons after which a run may be resumed without a person.
    fn auto_resumable() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|reason| reason.definition().auto_resumable)
    }
}

/// An exit reason of any registry: the standard one, or an author's own.
///
/// ```
/// use surefire::{AnyReason, ExitReason};
///
/// let reason = AnyReason::from(ExitReason::Timeout);
/// assert_eq!(reason.definition().code, "timeout");
/// assert_eq!(reason.downcast(), Some(ExitReason::Timeout));
/// ```
#[derive(Clone, Copy)]
pub struct AnyReason {
    // A registry and an index into it rather than a definition, so that `downcast` needs no
    // search.
    table: &'static &'static [ReasonInfo],
    index: u32,
}

impl AnyReason {
    /// The reason at this index of a registry.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub const fn at<R: Registry>(index: usize) -> Self {
        // An enum has far fewer than 2³² variants.
        #[allow(clippy::cast_possible_truncation)]
        Self { table: R::TABLE, index: index as u32 }
    }

    /// All columns of this reason.
    #[must_use]
    #[inline]
    pub const fn definition(self) -> &'static ReasonInfo {
        &self.table[self.index as usize]
    }

    /// The variant of `R`, if the reason belongs to that registry.
    #[must_use]
    #[inline]
    pub fn downcast<R: Registry>(self) -> Option<R> {
        if ptr::eq(self.table, R::TABLE) { R::from_index(self.index as usize) } else { None }
    }
}

impl<R: Registry> From<R> for AnyReason {
    fn from(reason: R) -> Self {
        Self::at::<R>(reason.index())
    }
}

impl PartialEq for AnyReason {
    fn eq(&self, other: &Self) -> bool {
        ptr::eq(self.table, other.table) && self.index == other.index
    }
}

impl Eq for AnyReason {}

impl fmt::Debug for AnyReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AnyReason").field(&self.definition().code).finish()
    }
}
