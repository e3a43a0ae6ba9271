//! Errors that know what to do about them.

use std::error::Error;

use super::remedy::Remedy;

/// An error that may know what to do about it.
///
/// Its text is the problem, followed by `; ` and the remedy if there is one. A program that shows
/// the two separately calls [`problem`](Self::problem) and [`remedy`](Self::remedy); splitting at
/// a semicolon is wrong, because the problem may contain one.
///
/// ```
/// use surefire::recipes::BUNDLED;
/// use surefire::{Advise, Remedy};
///
/// let unknown = BUNDLED.find("rebsae").err().expect("there is no such recipe");
/// assert_eq!(unknown.to_string(), "recipe not found: `rebsae`; did you mean `rebase`?");
/// assert_eq!(unknown.problem(), "recipe not found: `rebsae`");
/// assert_eq!(unknown.remedy(), Some(Remedy::DidYouMean { name: "rebase".to_owned() }));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say what to do about it",
    note = "implement `surefire::Advise` for it; `remedy` may be `None`"
)]
pub trait Advise: Error {
    /// What to do about it, if anything helps.
    fn remedy(&self) -> Option<Remedy>;

    /// What is wrong, without what to do about it.
    fn problem(&self) -> String {
        let text = self.to_string();
        // The advice is always the suffix, so no search is needed.
        text.strip_suffix(&advice(self)).map(str::to_owned).unwrap_or(text)
    }
}

/// What the text of an error ends with: `; ` and what to do, or nothing.
///
/// Every error with a remedy formats its text with this, so that the wording is in one place.
pub(crate) fn advice(error: &(impl Advise + ?Sized)) -> String {
    error.remedy().map(|remedy| format!("; {remedy}")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("the agent says: {words}{}", advice(self))]
    struct Sample {
        words: &'static str,
        remedy: Option<Remedy>,
    }

    impl Advise for Sample {
        fn remedy(&self) -> Option<Remedy> {
            self.remedy.clone()
        }
    }

    #[test]
    fn a_semicolon_in_the_problem_is_not_taken_for_advice() {
        let words = "no money left; please pay; try again";
        let advised = Sample { words, remedy: Some(Remedy::Again) };
        assert_eq!(
            advised.to_string(),
            "the agent says: no money left; please pay; try again; try again"
        );
        let bare = Sample { words, remedy: None };
        for sample in [advised, bare] {
            assert_eq!(sample.problem(), "the agent says: no money left; please pay; try again");
        }
    }
}
