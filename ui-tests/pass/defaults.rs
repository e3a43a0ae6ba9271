//! What a recipe need not say: id, label, description, guardrails where nothing goes round.
#![deny(warnings)]

use surefire::Guardrail;

surefire::recipe! {
    recipe TidyUpHTTPCode {
        initial: Look,
        step Look {
            prompt: "Look.",
            outcomes: [Complete],
            Complete => Tidy,
        }
        step Tidy {
            prompt: concat!("Tidy", " up."),
            outcomes: [Complete],
            Complete => exit ChangesCommitted,
        }
    }
}

surefire::recipe! {
    /// Tidies up,
    /// thoroughly.
    ///
    /// And this is not part of the description.
    recipe Described {
        model: "opus",
        initial: Look,
        guardrails: { max_step_visits: 2, max_total_steps: 9, max_restarts: 1 },
        step Look {
            prompt: "Look.",
            model: "haiku",
            outcomes: [Complete],
            Complete => Tidy,
        }
        step Tidy {
            prompt: "Tidy up.",
            outcomes: [Complete],
            Complete => exit ChangesCommitted,
        }
    }
}

surefire::recipe! {
    /**
     * Tidies up in a block comment,
     * over two lines.
     *
     * And more.
     */
    recipe Block {
        initial: Tidy,
        step Tidy { prompt: "Tidy up.", outcomes: [Complete], Complete => exit ChangesCommitted }
    }
}

fn main() {
    assert_eq!(Block::OUTLINE.description, "Tidies up in a block comment, over two lines");
    let outline = TidyUpHTTPCode::OUTLINE;
    assert_eq!((outline.id, outline.label), ("tidy-up-http-code", "Tidy Up Http Code"));
    assert_eq!(outline.description, "Tidy Up Http Code");
    assert_eq!(outline.steps[1].prompt, "Tidy up.");
    assert_eq!((TidyUpHTTPCode::MAX_STEPS, TidyUpHTTPCode::NEVER_TRIPS.len()), (2, 0));

    assert_eq!(Described::OUTLINE.description, "Tidies up, thoroughly");
    assert_eq!(Described::OUTLINE.steps[0].model, Some("haiku"));
    assert_eq!(Described::OUTLINE.steps[1].model, Some("opus"));
    let never = [Guardrail::MaxStepVisits, Guardrail::MaxTotalSteps, Guardrail::MaxRestarts];
    assert_eq!(Described::NEVER_TRIPS, never);
}
