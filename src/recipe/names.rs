//! What a generated enum of steps or outcomes can do, and reading one from a name.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserializer, Error, Visitor};

/// A closed set of names: the steps of a recipe, or the outcomes of a step.
///
/// Implemented by the enums that [`recipe!`](crate::recipe!) generates; names are the kebab-case of the variants.
///
/// ```
/// use surefire::Names;
/// use surefire::recipes::implement_and_review::implement_and_review::{ImplementOutcome, Step};
///
/// assert_eq!(Step::NAMES, ["implement", "code-review", "fix", "commit"]);
/// assert_eq!(Step::CodeReview.name(), "code-review");
/// assert_eq!("no-tasks".parse(), Ok(ImplementOutcome::NoTasks));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an enum of steps or outcomes",
    note = "use the enums that `surefire::recipe!` generates"
)]
pub trait Names: Copy + Eq + fmt::Debug + Send + Sync + 'static {
    /// What it is a set of: `step` or `outcome`.
    const KIND: &'static str;
    /// Every variant, in the order of declaration.
    const ALL: &'static [Self];
    /// Their names, in the same order.
    const NAMES: &'static [&'static str];

    /// Where this variant stands in [`ALL`](Self::ALL).
    fn index(self) -> usize;

    /// Its name on the wire.
    #[must_use]
    fn name(self) -> &'static str {
        Self::NAMES[self.index()]
    }

    /// The variant with this name.
    ///
    /// # Errors
    /// Names the closest and the possible ones.
    fn from_name(name: &str) -> Result<Self, UnknownName> {
        match Self::NAMES.iter().position(|known| *known == name) {
            Some(index) => Ok(Self::ALL[index]),
            None => Err(UnknownName {
                kind: Self::KIND,
                name: name.to_owned(),
                expected: Self::NAMES.to_vec(),
            }),
        }
    }
}

/// A name that is not one of the possible ones.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown {kind} `{name}`, expected one of: {}", expected.join(", "))]
pub struct UnknownName {
    /// What was looked for: `step`, `outcome`.
    pub kind: &'static str,
    /// What was found instead.
    pub name: String,
    /// The names there are.
    pub expected: Vec<&'static str>,
}

/// Reads a name, as the serde half of [`Names`].
///
/// # Errors
/// What the format says, or that the name is not one of the set.
pub fn deserialize<'de, N: Names, D: Deserializer<'de>>(deserializer: D) -> Result<N, D::Error> {
    struct ByName<N>(PhantomData<N>);

    impl<N: Names> Visitor<'_> for ByName<N> {
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
