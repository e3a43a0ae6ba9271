//! Instructions per transition: one recipe, `implement-and-review`, written in each contender's
//! idiom.
//!
//! No contender has the catch-all outcome `other`. To add a contender, add its file and
//! one line to [`CONTENDERS`].

mod handwritten_enum;
mod handwritten_names;
mod handwritten_static;
mod handwritten_typestate;
mod ours;
mod rust_fsm;
mod smlang;
mod statig;
mod statum;
mod statum_static;
mod workload;

pub use workload::Checksum;

use Group::{ByName, RunTimeOutcome, StaticPath, TypedOn};

/// All contenders, in the order of the table.
#[rustfmt::skip] // One row is one line, so that the rows can be compared.
pub const CONTENDERS: &[Contender] = &[
    row("handwritten-enum",      RunTimeOutcome, None,                          None,       handwritten_enum::run),
    row("statig",                RunTimeOutcome, Some("handwritten-enum"),      None,       statig::run),
    row("smlang",                RunTimeOutcome, Some("handwritten-enum"),      None,       smlang::run),
    row("rust-fsm",              RunTimeOutcome, Some("handwritten-enum"),      None,       rust_fsm::run),
    row("surefire, on",          RunTimeOutcome, Some("handwritten-enum"),      Some(1.00), ours::typed_on),
    row("surefire, erased",      RunTimeOutcome, Some("handwritten-enum"),      Some(1.30), ours::by_index),
    row("handwritten-typestate", TypedOn,        None,                          None,       handwritten_typestate::run),
    row("statum",                TypedOn,        Some("handwritten-typestate"), None,       statum::run),
    row("surefire, typed on",    TypedOn,        Some("statum"),                Some(1.00), ours::typed_on),
    row("handwritten-static",    StaticPath,     None,                          None,       handwritten_static::run),
    row("statum-static",         StaticPath,     Some("handwritten-static"),    None,       statum_static::run),
    row("surefire, methods",     StaticPath,     Some("statum-static"),         Some(1.00), ours::static_path),
    row("handwritten-names",     ByName,         None,                          None,       handwritten_names::run),
    row("surefire, on by name",  ByName,         Some("handwritten-names"),     Some(1.10), ours::typed_by_name),
    row("surefire, erased by name", ByName,      Some("handwritten-names"),     Some(1.30), ours::by_name),
];

/// One row of the table.
pub struct Contender {
    /// What it is called on the command line and in the table.
    pub name: &'static str,
    /// The group that it may be compared within.
    pub group: Group,
    /// The row that its ratio refers to.
    pub baseline: Option<&'static str>,
    /// The largest accepted ratio; the table marks a row that exceeds it.
    pub allowed: Option<f64>,
    /// Performs this many transitions.
    pub run: fn(u64) -> Checksum,
}

/// How the outcome reaches the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// One enum for the whole machine, known at run time only.
    RunTimeOutcome,
    /// One enum per step, known at run time only, with typed steps.
    TypedOn,
    /// Method calls along a path that is known when the program is written.
    StaticPath,
    /// A name, known at run time only.
    ByName,
}

impl Group {
    /// What the table calls it.
    pub const fn name(self) -> &'static str {
        match self {
            RunTimeOutcome => "run-time outcome",
            TypedOn => "typed on",
            StaticPath => "static path",
            ByName => "by name",
        }
    }

    /// Whether its contenders take the one static path; all others take the same random one.
    pub const fn is_static(self) -> bool {
        match self {
            StaticPath => true,
            RunTimeOutcome | TypedOn | ByName => false,
        }
    }
}

/// Looks a contender up by its name.
pub fn contender(name: &str) -> Option<&'static Contender> {
    CONTENDERS.iter().find(|contender| contender.name == name)
}

const fn row(
    name: &'static str,
    group: Group,
    baseline: Option<&'static str>,
    allowed: Option<f64>,
    run: fn(u64) -> Checksum,
) -> Contender {
    Contender { name, group, baseline, allowed, run }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contenders_on_the_same_path_count_the_same_exits() {
        for is_static in [false, true] {
            let mut walkers =
                CONTENDERS.iter().filter(|contender| contender.group.is_static() == is_static);
            let first = walkers.next().expect("each walk has a contender");
            let expected = (first.run)(100_000);
            for contender in walkers {
                assert_eq!((contender.run)(100_000), expected, "{}", contender.name);
            }
        }
    }

    #[test]
    fn baselines_are_rows_of_the_table() {
        for name in CONTENDERS.iter().filter_map(|row| row.baseline) {
            assert!(contender(name).is_some(), "no contender `{name}`");
        }
    }
}
