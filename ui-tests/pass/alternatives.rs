//! Outcomes that lead to the same place share a line, with what it carries and its evidence.
#![deny(warnings)]

surefire::recipe! {
    recipe Loaf {
        initial: Knead,
        guardrails: { max_step_visits: 3 },
        step Knead {
            prompt: "Knead.",
            outcomes: [Smooth, Sticky, Dry],
            Smooth | Sticky => Taste,
            Dry => exit ImplementationBlocked,
        }
        step Taste {
            prompt: "Taste.",
            outcomes: [Good, Salty, Burnt],
            Good => exit TaskCommitted if commit && clean,
            Salty(findings) | Burnt(findings) => Knead if changed,
        }
    }
}

fn main() -> Result<(), surefire::Exit> {
    let taste = Loaf::begin().smooth()?;
    let again = taste.burnt()?.sticky()?;
    assert_eq!(again.salty()?.dry().code(), "implementation-blocked");
    let [_, taste] = Loaf::OUTLINE.steps else { unreachable!() };
    for name in ["salty", "burnt"] {
        let outcome = taste.outcomes.iter().find(|outcome| outcome.name == name).unwrap();
        assert_eq!((outcome.evidence, outcome.findings), (&[surefire::Evidence::Changed][..], true));
    }
    Ok(())
}
