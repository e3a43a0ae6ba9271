//! In a function, in a `const fn`, in a block, with the author's own items around, and without a
//! prelude.
#![deny(warnings)]

use surefire::Registry;

const fn in_a_const_fn() -> u32 {
    surefire::recipe! {
        recipe Local {
            initial: Work,
            step Work { prompt: "Work.", outcomes: [Complete], Complete => exit TaskCommitted }
        }
    }
    let _ = Local::begin();
    Local::MAX_STEPS
}

fn in_a_function() -> surefire::Exit {
    const PROMPT: &str = "Work with what this function knows.";

    #[derive(Debug, Clone, Copy, Registry)]
    enum Exits {
        #[reason(category = completed, message = "Done")]
        Done,
    }

    surefire::recipe! {
        recipe Target {
            initial: Work,
            step Work { prompt: PROMPT, outcomes: [Complete], Complete => exit TaskCommitted }
        }
    }

    surefire::recipe! {
        recipe Local {
            initial: Work,
            exits: Exits,
            guardrails: { max_restarts: 1 },
            step Work {
                prompt: PROMPT,
                outcomes: [Complete, Again],
                Complete => exit Done,
                Again => restart Target,
            }
        }
    }
    assert_eq!(Local::OUTLINE.first_step().prompt, PROMPT);
    let _ = Local::begin().again().map(|restart| restart.begin().complete());
    Local::begin().complete()
}

#[no_implicit_prelude]
mod without_a_prelude {
    ::surefire::recipe! {
        pub recipe Bare {
            initial: Work,
            guardrails: { max_step_visits: 2 },
            step Work {
                prompt: "Work.",
                outcomes: [Complete, Again],
                Complete => exit TaskCommitted,
                Again => Work,
            }
        }
    }
}

mod two_in_one {
    surefire::recipe! {
        pub recipe First {
            initial: Work,
            step Work { prompt: "Work.", outcomes: [Complete], Complete => exit TaskCommitted }
        }
    }

    surefire::recipe! {
        pub recipe Second {
            initial: Work,
            step Work { prompt: "Work.", outcomes: [Complete], Complete => exit TaskCommitted }
        }
    }
}

fn main() {
    assert_eq!(in_a_const_fn(), 1);
    assert_eq!(in_a_function().code(), "done");
    assert_eq!(without_a_prelude::Bare::begin().complete().code(), "task-committed");
    assert_eq!(two_in_one::First::OUTLINE.id, "first");
    assert_eq!(two_in_one::Second::OUTLINE.id, "second");
}
