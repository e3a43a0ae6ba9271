//! `exits`: reasons of the author's own, beside the standard ones for guardrails and `Other`.
#![deny(warnings)]

use surefire::{Category, ExitReason, Family, Registry, RunLimit, RunRemedy};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Registry)]
pub enum Exits {
    #[reason(category = completed, message = "Shipped")]
    Shipped,
    #[reason(
        category = guardrail,
        code = "too_late",
        message = "It is too late to ship",
        title = "Too late",
        family = review,
        exit_code = 41,
        diagnosis = "Ship tomorrow.",
        remedy = raise(time),
        auto_resumable = true,
        goal_met = false
    )]
    TooLate,
}

surefire::recipe! {
    recipe Ship {
        initial: Work,
        exits: Exits,
        step Work {
            prompt: "Work.",
            outcomes: [Complete, Late],
            Complete => exit Shipped,
            Late => exit TooLate,
        }
    }
}

fn main() {
    let exit = Ship::begin().complete();
    assert_eq!((exit.reason(), exit.reason::<ExitReason>()), (Some(Exits::Shipped), None));
    let other = Ship::begin().other("why");
    assert_eq!((other.reason::<Exits>(), other.reason()), (None, Some(ExitReason::UserProvidedOther)));

    let late = Ship::begin().late();
    let columns = late.definition();
    assert_eq!(columns.code, "too_late");
    assert_eq!(columns.category, Category::Guardrail);
    assert_eq!(columns.family, Some(Family::Review));
    assert_eq!((columns.exit_code, columns.auto_resumable, columns.goal_met), (41, true, false));
    assert_eq!((columns.remedy, columns.hint), (RunRemedy::Raise(RunLimit::Time), "Ship tomorrow."));
    assert_eq!(Exits::Shipped.definition().remedy, RunRemedy::Again);
    assert_eq!(Exits::Shipped.definition().exit_code, 0);
    assert_eq!(Exits::auto_resumable().collect::<Vec<_>>(), [Exits::TooLate]);
}
