//! Items that generated code uses. Nothing here is public API: it can change without notice.

pub use std::borrow::Cow;
pub use std::string::String;
pub use std::time::Duration;
pub use std::vec::Vec;

pub use surefire_macros::{catalog, recipe, splice, steps};

pub use crate::__for_editors as for_editors;
pub use crate::recipe::editor;
pub use crate::recipe::{
    LeadsTo, Ledger, Place, RestartTarget, Scope, Sealed, Visits, blank, count_tools, deserialize,
    join_tools, offers_restarts, outcomes, same, standard, step_tools_flaw, tools_flaw,
    within_step,
};
pub use {serde, strum};

use crate::recipe::{
    AnyReason, ClaimGoal, CommandLine, Evidence, Exit, ExitReason, Guardrails, NextOutline,
    Position, Recipe, Restart, Tripped,
};

/// The reason of an implied `Other`.
pub const STANDARD_OTHER: AnyReason = standard_reason(ExitReason::UserProvidedOther);

/// No former names.
pub const NO_NAMES: &[&str] = &[];

/// No commands.
pub const NO_COMMANDS: &[CommandLine] = &[];

/// No evidence.
pub const NO_EVIDENCE: &[Evidence] = &[];

/// A standard reason, in a recipe that may have its author's own.
#[must_use]
pub const fn standard_reason(reason: ExitReason) -> AnyReason {
    AnyReason::at::<ExitReason>(reason as usize)
}

/// The reason at this index of the registry that a recipe's exits belong to.
#[must_use]
pub const fn reason<S: Scope>(index: usize) -> AnyReason {
    AnyReason::at::<S::Exits>(index)
}

/// The exit at this index of the recipe's exits.
#[inline]
pub fn exit<S: Scope>(index: usize) -> Exit {
    Exit::at(S::EXITS[index])
}

/// A restart, unless the guardrail forbids it.
///
/// # Errors
/// The guardrail that was hit.
#[inline]
pub fn restart<R, V: Visits>(
    ledger: &Ledger<V>,
    step: &'static &'static str,
    limits: &Guardrails,
) -> Result<Restart<R>, Tripped> {
    ledger.restart(step, limits).map(Restart::new)
}

/// How a run ends that restarts.
pub fn restarted() -> Exit {
    Exit::because(ExitReason::RestartNewSession)
}

/// What a guardrail is that the typed run does not count, since it is proven never to trip.
///
/// # Panics
/// Always: nothing counted by limits that are not set can reach one.
#[cold]
pub fn cannot_trip(tripped: &Tripped) -> ! {
    unreachable!("proven never to trip: {tripped}")
}

/// The outline's entry for a restart.
#[must_use]
pub const fn next_restart<S: RestartTarget<INDEX>, const INDEX: usize>() -> NextOutline {
    NextOutline::Restart { id: <S::Target as Recipe>::ID, recipe: <S::Target as Recipe>::ANY }
}

/// Where an outcome leads that restarts a recipe.
#[must_use]
pub const fn leads_to_restart<S: RestartTarget<INDEX>, const INDEX: usize>() -> LeadsTo {
    LeadsTo::Restart(<S::Target as Recipe>::ANY)
}

/// The goal of a claim about a restart.
#[must_use]
pub const fn claimed_restart<S: RestartTarget<INDEX>, const INDEX: usize>() -> ClaimGoal {
    ClaimGoal::Restart(<S::Target as Recipe>::ID)
}

/// The position of a typed run.
#[must_use]
#[inline]
pub const fn position<R: Recipe>(step: usize, ledger: Ledger<R::Visits>) -> Position<R> {
    Position::new(step, ledger)
}

/// The step index and the ledger that a typed run is built from.
#[must_use]
pub const fn parts<R: Recipe>(position: &Position<R>) -> (usize, Ledger<R::Visits>) {
    (position.step_index(), *position.ledger())
}

/// The traits that an enum of names implements besides [`WireEnum`](crate::WireEnum): the standard
/// ones, strum's and serde's.
#[doc(hidden)]
#[macro_export]
macro_rules! __names {
    ($name:ident) => {
        #[automatically_derived]
        impl $crate::__private::Sealed for $name {}
        // The derive would add a method that checks each field, but the variants have no fields.
        #[automatically_derived]
        impl ::core::cmp::Eq for $name {}
        #[automatically_derived]
        impl $crate::__private::strum::VariantArray for $name {
            const VARIANTS: &'static [Self] = <Self as $crate::WireEnum>::ALL;
        }
        #[automatically_derived]
        impl $crate::__private::strum::VariantNames for $name {
            const VARIANTS: &'static [&'static ::core::primitive::str] =
                <Self as $crate::WireEnum>::NAMES;
        }
        #[automatically_derived]
        impl ::core::fmt::Display for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.pad($crate::WireEnum::name(*self))
            }
        }
        #[automatically_derived]
        impl ::core::str::FromStr for $name {
            type Err = $crate::UnknownName;
            fn from_str(
                name: &::core::primitive::str,
            ) -> ::core::result::Result<Self, $crate::UnknownName> {
                $crate::WireEnum::from_name(name)
            }
        }
        #[automatically_derived]
        impl $crate::__private::strum::IntoEnumIterator for $name {
            type Iterator = ::core::iter::Copied<::core::slice::Iter<'static, Self>>;
            fn iter() -> ::core::iter::Copied<::core::slice::Iter<'static, Self>> {
                ::core::iter::Iterator::copied(<Self as $crate::WireEnum>::ALL.iter())
            }
        }
        #[automatically_derived]
        impl $crate::__private::serde::Serialize for $name {
            fn serialize<S: $crate::__private::serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                serializer.serialize_str($crate::WireEnum::name(*self))
            }
        }
        #[automatically_derived]
        impl<'de> $crate::__private::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::__private::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> ::core::result::Result<Self, D::Error> {
                $crate::__private::deserialize(deserializer)
            }
        }
    };
}
pub use crate::__names as names;
