//! The trait of generated enums of steps or outcomes, and parsing them from a name.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserializer, Error, Visitor};

use super::sealed::Sealed;

/// A closed set of names: the steps of a recipe, or the outcomes of a step.
///
/// Only the enums that [`recipe!`](crate::recipe!) generates implement it; names are the kebab-case
/// of the variants.
///
/// ```
/// use surefire::WireEnum;
/// use surefire::recipes::implement_and_review::{ImplementOutcome, Step};
///
/// assert_eq!(Step::NAMES, ["implement", "code-review", "fix", "commit"]);
/// assert_eq!(Step::ALL[1], Step::CodeReview);
/// assert_eq!(Step::CodeReview.name(), "code-review");
/// assert_eq!("no-tasks".parse(), Ok(ImplementOutcome::NoTasks));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an enum of steps or outcomes",
    note = "use the enums that `surefire::recipe!` generates"
)]
pub trait WireEnum: Sealed + Copy + Eq + fmt::Debug + Send + Sync + 'static {
    /// What it is a set of: `outcome` or `step`.
    const KIND: &'static str = "outcome";

    /// Every variant, in the order of declaration.
    const ALL: &'static [Self];

    /// The name of every variant, in the same order.
    const NAMES: &'static [&'static str];

    /// The index of this variant.
    fn index(self) -> usize;

    /// Its name on the wire.
    #[must_use]
    fn name(self) -> &'static str {
        Self::NAMES[self.index()]
    }

    /// The variant with this name.
    ///
    /// # Errors
    /// There is no such variant; the error lists the names.
    fn from_name(name: &str) -> Result<Self, UnknownName> {
        match Self::index_of(name) {
            Some(index) => Ok(Self::ALL[index]),
            None => Err(UnknownName::among(Self::NAMES, Self::KIND, name)),
        }
    }

    /// The index of the variant with this name.
    ///
    /// The names are constants of the enum, so the compiler unrolls the search.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    fn index_of(name: &str) -> Option<usize> {
        Self::NAMES.iter().position(|known| *known == name)
    }
}

/// A name that the enum does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown {} `{}`, expected one of: {}", .0.kind, .0.name, .0.expected.join(", "))]
pub struct UnknownName(Box<Unknown>);

/// Behind a pointer, since every transition by name moves the size of its `Err`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Unknown {
    kind: &'static str,
    name: String,
    expected: Vec<&'static str>,
}

impl UnknownName {
    #[cold]
    pub(crate) fn new(kind: &'static str, name: &str, expected: Vec<&'static str>) -> Self {
        Self(Box::new(Unknown { kind, name: name.to_owned(), expected }))
    }

    /// For a name that is not one of these.
    pub(crate) fn among(names: &[&'static str], kind: &'static str, name: &str) -> Self {
        Self::new(kind, name, names.to_vec())
    }

    /// What was expected: `step`, `outcome` or the like.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.0.kind
    }

    /// What was found instead.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The valid names.
    #[must_use]
    pub fn expected(&self) -> &[&'static str] {
        &self.0.expected
    }
}

/// Reads a name, as the serde half of [`WireEnum`].
///
/// # Errors
/// The format's own error, or an [`UnknownName`].
pub fn deserialize<'de, N: WireEnum, D: Deserializer<'de>>(deserializer: D) -> Result<N, D::Error> {
    struct ByName<N>(PhantomData<N>);

    impl<N: WireEnum> Visitor<'_> for ByName<N> {
        type Value = N;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "one of the {}s {}", N::KIND, N::NAMES.join(", "))
        }

        fn visit_str<E: Error>(self, name: &str) -> Result<N, E> {
            N::from_name(name).map_err(E::custom)
        }
    }

    deserializer.deserialize_str(ByName(PhantomData))
}
