//! Compile time: one machine of any size, written out as the source of a crate for each contender.
//!
//! This module only generates text; the binary `compile_time` writes it to disk and measures the
//! compiler. To add a contender, add its file and one line to [`CONTENDERS`].

mod graph;
mod handwritten_lean;
mod handwritten_surface;
mod measure;
mod smlang;
mod statum;
mod surefire;

pub use measure::{Limits, Measured, measure};

/// The leanest typestate that does the same work.
pub const BASELINE: &str = "handwritten-lean";
/// The typestate with everything that a recipe provides: what an author would write instead.
pub const EQUIVALENT: &str = "handwritten-surface";

/// All contenders, in the order of the table.
#[rustfmt::skip] // One row is one line, so that the rows can be compared.
pub const CONTENDERS: &[Contender] = &[
    Contender { name: "empty",               dependencies: no_dependencies,                   source: empty },
    Contender { name: "handwritten-lean",    dependencies: no_dependencies,                   source: handwritten_lean::source },
    Contender { name: "handwritten-surface", dependencies: handwritten_surface::dependencies, source: handwritten_surface::source },
    Contender { name: "statum",              dependencies: statum::dependencies,              source: statum::source },
    Contender { name: "smlang-graph-only",   dependencies: smlang::dependencies,              source: smlang::graph_only },
    Contender { name: "smlang",              dependencies: smlang::dependencies,              source: smlang::with_limits },
    Contender { name: "surefire",            dependencies: surefire::dependencies,            source: surefire::source },
    Contender { name: "surefire-proves",     dependencies: surefire::dependencies,            source: surefire::with_claims },
];

/// One way to write the machine.
pub struct Contender {
    /// What it is called on the command line and in the table.
    pub name: &'static str,
    /// The lines under `[dependencies]`.
    pub dependencies: fn() -> String,
    /// The whole `lib.rs` of a machine with that many steps.
    pub source: fn(usize) -> String,
}

/// Looks a contender up by its name.
pub fn contender(name: &str) -> Option<&'static Contender> {
    CONTENDERS.iter().find(|contender| contender.name == name)
}

fn no_dependencies() -> String {
    String::new()
}

/// An empty crate: the time that cargo and rustc need in any case, included in every other row.
fn empty(_steps: usize) -> String {
    String::new()
}
