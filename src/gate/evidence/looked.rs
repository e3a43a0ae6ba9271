//! The result of checking one piece of evidence.

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Looked {
    /// Whether the evidence exists.
    pub met: bool,
    /// The evidence, or what was found instead: a sentence without its full stop, for the agent and
    /// for people.
    pub found: String,
}

impl Looked {
    pub(super) const fn met(found: String) -> Self {
        Self { met: true, found }
    }

    pub(super) const fn missing(found: String) -> Self {
        Self { met: false, found }
    }
}
