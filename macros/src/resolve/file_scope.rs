//! Which files a scope names. The rule about scopes reports the flaws; the outline has the rest.

use syn::LitStr;

use crate::file_pattern;
use crate::syntax;

/// A parsed scope.
#[derive(Clone, Default)]
pub(crate) struct FileScope {
    pub(crate) allow: Patterns,
    pub(crate) deny: Patterns,
}

/// A parsed list.
#[derive(Clone, Default)]
pub(crate) struct Patterns {
    /// The patterns without a flaw.
    pub(crate) known: Vec<LitStr>,
    pub(crate) flaws: Vec<PatternFlaw>,
}

/// What is wrong with an entry, by its index in the list.
#[derive(Clone)]
pub(crate) struct PatternFlaw {
    pub(crate) index: usize,
    pub(crate) kind: PatternFlawKind,
}

#[derive(Clone)]
pub(crate) enum PatternFlawKind {
    /// It matches no file.
    Names(&'static str),
    /// It is already listed at that earlier index.
    Twice { first: usize },
    /// It is also in the list `allow`.
    Allowed(LitStr),
}

impl FileScope {
    pub(crate) fn new(written: &syntax::FileScope) -> Self {
        let allow = Patterns::new(written.allow.value(), &[]);
        let deny = Patterns::new(written.deny.value(), &allow.known);
        Self { allow, deny }
    }
}

impl Patterns {
    fn new(written: Option<&Vec<LitStr>>, allowed: &[LitStr]) -> Self {
        let written = written.map_or(&[][..], Vec::as_slice);
        let mut patterns = Self::default();
        for (index, pattern) in written.iter().enumerate() {
            let same = |other: &&LitStr| other.value() == pattern.value();
            let flaw = match written[..index].iter().position(|earlier| same(&earlier)) {
                Some(first) => Some(PatternFlawKind::Twice { first }),
                None => file_pattern::flaw(&pattern.value())
                    .map(PatternFlawKind::Names)
                    .or_else(|| allowed.iter().find(same).cloned().map(PatternFlawKind::Allowed)),
            };
            match flaw {
                None => patterns.known.push(pattern.clone()),
                Some(kind) => patterns.flaws.push(PatternFlaw { index, kind }),
            }
        }
        patterns
    }
}
