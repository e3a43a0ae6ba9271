//! `Other`: implied, written out, led to a step, or left out.
#![deny(warnings)]

surefire::recipe! {
    recipe WrittenOut {
        initial: Work,
        step Work {
            prompt: "Work.",
            outcomes: [Complete, Other],
            Complete => exit TaskCommitted,
            Other => exit ClarificationNeeded,
        }
    }
}

surefire::recipe! {
    recipe OnlyWayOut {
        initial: Work,
        step Work {
            prompt: "Work.",
            outcomes: [Other],
            Other => exit UserProvidedOther,
        }
    }
}

surefire::recipe! {
    recipe Led {
        initial: Work,
        guardrails: { exit_on_other: false },
        step Work {
            prompt: "Work.",
            outcomes: [Complete, Other],
            Complete => exit TaskCommitted,
            Other => Ask,
        }
        step Ask {
            prompt: "Ask.",
            outcomes: [Answered],
            Answered => exit ClarificationNeeded,
        }
    }
}

fn main() -> Result<(), surefire::Exit> {
    assert_eq!(WrittenOut::begin().other("why").code(), "clarification-needed");
    assert_eq!(OnlyWayOut::begin().other("why").description(), Some("why"));
    assert_eq!(Led::begin().other()?.answered().code(), "clarification-needed");
    assert_eq!(Led::OUTLINE.steps[1].outcomes.len(), 1);
    assert_eq!(WrittenOut::OUTLINE.steps[0].outcomes.len(), 2);
    Ok(())
}
