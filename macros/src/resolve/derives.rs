//! Which traits the enums of steps and outcomes derive: the sound ones of those that were written.

use syn::Path;
use syn::ext::IdentExt;

/// What the enums implement, by derives of the compiler and in place of those of serde and strum.
const IMPLEMENTED: [&str; 14] = [
    "Debug",
    "Clone",
    "Copy",
    "PartialEq",
    "Eq",
    "Hash",
    "Display",
    "FromStr",
    "Serialize",
    "Deserialize",
    "EnumIter",
    "EnumString",
    "VariantArray",
    "VariantNames",
];
/// What can be derived without naming a crate.
const ORDERS: [&str; 2] = ["PartialOrd", "Ord"];

/// What is wrong with one of the traits.
pub(crate) enum DeriveFlaw<'a> {
    Twice {
        first: &'a Path,
    },
    Implemented,
    Default,
    /// The enums lie in a module of their own, which imports nothing.
    WithoutCrate,
    /// The path begins with `self` or `super`.
    Relative,
    OrdAlone,
}

/// The trait at this place of the list, or what is wrong with it.
pub(crate) fn judge(paths: &[Path], index: usize) -> Result<&Path, DeriveFlaw<'_>> {
    let path = &paths[index];
    let name = last_word(path);
    let is_relative = path.leading_colon.is_none()
        && path
            .segments
            .first()
            .is_some_and(|first| first.ident == "self" || first.ident == "super");
    if let Some(first) = paths[..index].iter().find(|first| *first == path) {
        Err(DeriveFlaw::Twice { first })
    } else if IMPLEMENTED.contains(&name.as_str()) {
        Err(DeriveFlaw::Implemented)
    } else if name == "Default" {
        Err(DeriveFlaw::Default)
    } else if path.get_ident().is_some() && !ORDERS.contains(&name.as_str()) {
        Err(DeriveFlaw::WithoutCrate)
    } else if is_relative {
        Err(DeriveFlaw::Relative)
    } else if name == "Ord" && !paths.iter().any(|other| last_word(other) == "PartialOrd") {
        Err(DeriveFlaw::OrdAlone)
    } else {
        Ok(path)
    }
}

/// The name of a trait without its path.
pub(crate) fn last_word(path: &Path) -> String {
    path.segments.last().map_or_else(String::new, |last| last.ident.unraw().to_string())
}
