//! The table of mistakes is in `fail/`, and what does compile in `pass/`.
//!
//! This library holds recipes of every shape under the strictest lints, which nothing can silence:
//! generated code must pass them in the author's crate, with nothing imported and with every
//! visibility.

#![forbid(
    dead_code,
    missing_docs,
    unreachable_pub,
    missing_debug_implementations,
    single_use_lifetimes,
    unused_qualifications
)]
#![forbid(clippy::all, clippy::pedantic)]

/// Tools that a recipe takes from a constant.
pub const PUBLIC_TOOLS: &[surefire::Tool] = &[surefire::Tool::command("git log *")];

surefire::recipe! {
    /// A recipe that everybody may use.
    pub recipe Public {
        label: "Public",
        model: "opus",
        tools: [read, ..PUBLIC_TOOLS],
        scope: { allow: ["src/**"], deny: ["**/`.env`*"] },
        allow_lockfiles: true,
        needs: { clean_tree, task },
        isolate: true,
        initial: Build,
        guardrails: {
            max_step_visits: 3,
            max_total_steps: 20,
            max_restarts: 2,
            max_verify_time_per_milestone: 1h,
            max_review_rounds: 2,
        },

        step Build { run: "make | tee log", time: 10m, Passed => Work, Failed => exit ImplementationBlocked }

        /// Works.
        step Work {
            prompt: "Work.",
            model: "haiku",
            tools: [edit, "cargo *", ..PUBLIC_TOOLS],
            verify: ["make", ["make", "`check`"]],
            outcomes: [
                /// It is done.
                Complete,
                Again,
                Blocked,
                StartOver,
            ],
            Complete => exit TaskCommitted if commit && "grep -q 'a|b' log",
            Again(findings) => Work if changed,
            Blocked => exit ImplementationBlocked,
            StartOver => restart Public if exists "log",
        }
    }
}

surefire::steps! {
    /// Proofreading until there are no typos, for other crates too.
    pub steps proofreading(clean) {
        step Proofread {
            prompt: include_str!("prompts/proofread.md"),
            tools: [read, ..PRIVATE_TOOLS],
            outcomes: [None, Typos, Hopeless],
            None => clean,
            Typos => Correct,
            Hopeless => exit ExitReason::ReviewRejected,
        }
        step Correct { prompt: "Correct them.", outcomes: [Complete], Complete => Proofread }
    }
}

const PRIVATE_TOOLS: &[surefire::Tool] = &[surefire::Tool::command("aspell *")];

mod inside {
    surefire::recipe! {
        pub(crate) recipe Everywhere {
            initial: Work,
            step Work { prompt: "Work.", outcomes: [Complete], Complete => exit TaskCommitted }
        }
    }

    pub(super) mod deeper {
        surefire::recipe! {
            pub(super) recipe Above {
                initial: Work,
                step Work { prompt: "Work.", outcomes: [Complete], Complete => exit TaskCommitted }
            }
        }

        surefire::recipe! {
            pub(in crate::inside) recipe Within {
                initial: Work,
                step Work { prompt: "Work.", outcomes: [Complete], Complete => exit TaskCommitted }
            }
        }

        surefire::recipe! {
            pub(self) recipe Here {
                initial: Work,
                step Work { prompt: "Work.", outcomes: [Complete], Complete => exit TaskCommitted }
            }
        }

        pub(crate) fn here() -> surefire::Exit {
            Here::begin().complete()
        }
    }

    pub(crate) fn above() -> surefire::Exit {
        drop(deeper::Within::begin().complete());
        let work: deeper::above::At<deeper::above::Work> = deeper::Above::begin();
        work.complete()
    }
}

surefire::recipe! {
    recipe Private {
        initial: Work,
        step Work { prompt: "Work.", outcomes: [Complete], Complete => exit TaskCommitted }
    }
}

surefire::recipe! {
    /// Names that lints have opinions about.
    recipe Opinions {
        initial: ReviewPlan,
        guardrails: { exit_on_other: false },
        step ReviewPlan { prompt: "Plan.", outcomes: [IsDone, IsLate], IsDone => ReviewCode, IsLate => ReviewTests }
        step ReviewCode { prompt: "Code.", outcomes: [OK, Iter], OK => exit TaskCommitted, Iter => exit TaskCommitted }
        step ReviewTests {
            prompt: "Tests.",
            outcomes: [IntoOne, Not, Neg, Drop, Default, New, to_be, AsRef, FromStr],
            IntoOne | Not | Neg | Drop | Default | New | to_be | AsRef | FromStr => exit TaskCommitted,
        }
    }
}

/// Uses what is not public, so that it counts as used.
pub fn everything_private() -> [surefire::Exit; 4] {
    drop(Opinions::begin().is_done());
    let work: inside::everywhere::At<inside::everywhere::Work> = inside::Everywhere::begin();
    drop(work);
    [
        inside::above(),
        inside::deeper::here(),
        Private::begin().complete(),
        Private::begin().other("no reason"),
    ]
}
