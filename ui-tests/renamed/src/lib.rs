//! Everything that generates code works for a crate that knows surefire under another name.

use kitchen::Registry;

/// Exit reasons of our own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Registry)]
#[registry(crate = kitchen)]
pub enum Exits {
    /// Everybody ate.
    #[reason(category = completed, message = "Dinner was served")]
    Served,
    /// Nobody ate.
    #[reason(category = error, message = "Dinner burnt", exit_code = 40)]
    Burnt,
}

kitchen::steps! {
    /// Tasting, and seasoning until it is right.
    steps tasting(right) {
        step Taste {
            prompt: "Taste it.",
            outcomes: [Good, Bland],
            Good => right,
            Bland => Season,
        }

        step Season {
            prompt: "Season it.",
            outcomes: [Complete],
            Complete => Taste,
        }
    }
}

kitchen::recipe! {
    /// Cooks dinner, again and again.
    pub recipe Dinner {
        initial: Cook,
        exits: Exits,
        guardrails: { max_step_visits: 3, max_restarts: 7 },

        step Cook {
            prompt: "Cook.",
            outcomes: [Complete, Smoke],
            Complete => Taste,
            Smoke => exit Burnt,
        }

        include tasting(right => Serve);

        step Serve {
            prompt: "Serve.",
            outcomes: [Complete, StillHungry],
            Complete => exit Served,
            StillHungry => restart Dinner,
        }
    }
}

/// What is on the menu.
pub static MENU: kitchen::Catalog = kitchen::catalog![Dinner];

#[cfg(test)]
mod tests {
    use super::*;

    kitchen::recipe! {
        /// Includes steps of a crate that knows surefire under its own name.
        recipe Menu {
            initial: Proofread,
            guardrails: { max_step_visits: 2 },
            include ui_tests::proofreading(clean => exit ChangesCommitted);
        }
    }

    #[test]
    fn steps_of_another_crate_are_included() -> Result<(), kitchen::Exit> {
        let proofread = Menu::begin().typos()?.complete()?;
        assert_eq!(proofread.none().code(), "changes-committed");
        Ok(())
    }

    #[test]
    fn dinner_is_served() -> Result<(), kitchen::Exit> {
        let serve = Dinner::begin().complete()?.bland()?.complete()?.good()?;
        assert_eq!(serve.complete().reason(), Some(Exits::Served));
        let again = Dinner::begin().complete()?.good()?.still_hungry()?.begin();
        assert_eq!(again.smoke().reason(), Some(Exits::Burnt));
        assert!(MENU.get("dinner").is_some());
        Ok(())
    }
}
