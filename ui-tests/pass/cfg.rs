//! `#[cfg(…)]` leaves out steps, outcomes, lines and fields, and what is left is checked.
#![deny(warnings)]

surefire::steps! {
    steps publishing(then) {
        step Publish {
            prompt: "Publish.",
            outcomes: [Complete, #[cfg(windows)] Blocked],
            Complete => then,
            #[cfg(windows)]
            Blocked => exit ImplementationBlocked,
        }
    }
}

surefire::recipe! {
    /// Has a step more on Unix, and one less elsewhere.
    pub recipe Example {
        initial: Work,
        #[cfg(windows)]
        label: "Example for Windows",
        #[cfg(not(windows))]
        label: "Example for others",
        guardrails: {
            #[cfg(debug_assertions)]
            max_step_visits: 2,
            #[cfg(not(debug_assertions))]
            max_step_visits: 3,
        },
        #[cfg(windows)]
        no_such_field: "this is nothing on Unix",

        step Work {
            prompt: "Work.",
            tools: [edit, #[cfg(unix)] "make *"],
            outcomes: [
                Complete,
                /// The work is for another machine.
                #[cfg(windows)]
                Wrong,
                #[cfg(all(unix, not(windows)))]
                Again,
            ],
            #[cfg(unix)]
            Complete => Check,
            #[cfg(not(unix))]
            Complete => exit TaskCommitted,
            #[cfg(windows)]
            Wrong => exit ImplementationBlocked,
            #[cfg(all(unix, not(windows)))]
            Again => Work,
        }

        /// Only where there is a shell.
        #[cfg(unix)]
        step Check {
            run: "make check",
            Passed => Publish,
            Failed => Work,
        }
        #[cfg(unix)]
        include publishing(then => Tell);
        #[cfg(unix)]
        step Tell { prompt: "Tell.", outcomes: [Told], Told => exit TaskCommitted }
    }
}

surefire::recipe! {
    /// A recipe as a whole.
    #[cfg(windows)]
    recipe Nowhere { no such thing }
}

struct Nowhere;

fn main() -> Result<(), surefire::Tripped> {
    assert_eq!(Example::OUTLINE.label, "Example for others");
    let names: Vec<_> = Example::OUTLINE.steps.iter().map(|step| step.name).collect();
    assert_eq!(names, ["work", "check", "publish", "tell"]);
    assert_eq!(Example::OUTLINE.steps[0].tools.unwrap().len(), 2);
    assert_eq!(Example::OUTLINE.guardrails.max_step_visits, Some(if cfg!(debug_assertions) { 2 } else { 3 }));

    match Example::begin().on(example::WorkOutcome::Again) {
        example::WorkNext::Work(work) => {
            let tell = work.complete()?.passed()?.complete()?;
            assert_eq!(tell.told().code(), "task-committed");
        }
        example::WorkNext::Check(_) | example::WorkNext::End(_) => panic!(),
    }
    let _ = Nowhere;

    // Inside of a function, where a macro call is a statement.
    surefire::recipe! {
        recipe Inner {
            initial: Work,
            #[cfg(unix)]
            step Work { prompt: "Work.", outcomes: [Complete], Complete => exit TaskCommitted }
            #[cfg(not(unix))]
            step Work { prompt: "Work.", outcomes: [Done], Done => exit TaskCommitted }
        }
    }
    assert_eq!(Inner::begin().complete().code(), "task-committed");
    Ok(())
}
