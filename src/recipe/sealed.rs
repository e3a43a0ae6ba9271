//! The hidden supertrait of traits that only this crate and generated code implement.

/// Makes it possible to add a method to a trait without breaking anyone: no code outside implements
/// [`WireEnum`](crate::WireEnum), [`AnyRecipe`](crate::AnyRecipe) or
/// [`AnyPosition`](crate::AnyPosition).
///
/// [`Recipe`](crate::Recipe) and [`Registry`](crate::Registry) need no such supertrait: they have
/// hidden items that only the macros write.
pub trait Sealed {}
