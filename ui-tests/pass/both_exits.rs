//! Reasons of the author's own and standard ones in one recipe, and more of one's own than there
//! are exit codes in one range.
#![deny(warnings)]

use surefire::{ExitReason as Standard, Registry};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Registry)]
pub enum Exits {
    #[reason(category = completed, message = "Shipped")]
    Shipped,
    /// A standard reason has this name too.
    #[reason(category = completed, code = "committed-and-signed", message = "Committed and signed")]
    TaskCommitted,
    #[reason(category = error, message = "The last code of the first range", exit_code = 63)]
    Sunk,
    #[reason(category = error, message = "The first code of the second range", exit_code = 80)]
    Lost,
    #[reason(category = error, message = "The last code of all", exit_code = 119)]
    Burnt,
}

surefire::steps! {
    /// Their reason is a standard one, whatever `exits` the recipe has.
    steps commit(signed) {
        step Commit {
            prompt: "Commit.",
            outcomes: [Signed, Unsigned],
            Signed => signed,
            Unsigned => exit ExitReason::TaskCommitted,
        }
    }
}

surefire::recipe! {
    recipe Ship {
        initial: Work,
        exits: Exits,
        step Work {
            prompt: "Work.",
            outcomes: [Complete, Shipped, Empty],
            Complete => Commit,
            Shipped => exit Shipped,
            Empty => exit ExitReason::NoChangesToCommit,
        }
        include commit(signed => exit TaskCommitted);
    }
}

surefire::recipe! {
    /// Without `exits`, the longer form means the same.
    recipe Plain {
        initial: Work,
        step Work { prompt: "Work.", outcomes: [Complete], Complete => exit ExitReason::TaskCommitted }
    }
}

surefire::recipe! {
    recipe Short {
        id: "plain",
        initial: Work,
        step Work { prompt: "Work.", outcomes: [Complete], Complete => exit TaskCommitted }
    }
}

fn main() {
    let empty = Ship::begin().empty();
    assert_eq!((empty.reason::<Exits>(), empty.reason()), (None, Some(Standard::NoChangesToCommit)));
    assert_eq!(Ship::begin().shipped().reason(), Some(Exits::Shipped));
    let commit = || Ship::begin().complete().expect("no guardrail");
    assert_eq!(commit().signed().reason(), Some(Exits::TaskCommitted));
    assert_eq!(commit().unsigned().reason(), Some(Standard::TaskCommitted));
    assert_eq!(Plain::begin().complete().reason(), Some(Standard::TaskCommitted));
    assert_eq!(Plain::OUTLINE.fingerprint, Short::OUTLINE.fingerprint);
    let codes = Exits::ALL.iter().map(|reason| reason.definition().exit_code);
    assert_eq!(codes.collect::<Vec<_>>(), [0, 0, 63, 80, 119]);
}
