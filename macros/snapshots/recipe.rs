::surefire::__private::for_editors! {
    release[model tools scope allow_lockfiles needs isolate initial guardrails exits
    proves] [max_step_visits max_restarts max_verify_time_per_milestone
    max_review_rounds] [Write Check Write Write Build Check Write] { WriteOutcome[prompt
    tools verify max_visits outcomes] [Complete NothingNew Complete Complete] [Build
    Check] } { BuildOutcome[run time] [Passed Failed Passed] [Check Write Check] } {
    CheckOutcome[prompt model time retries budget_usd outcomes] [NoIssues IssuesFound
    Other NoIssues] [Write Write] } [::surefire::ExitReason::NoChangesToCommit]
    [MyExits::Unclear] [MyExits::Unclear] [MyExits::Unclear]
}
#[doc(hidden)]
mod __release {
    #[cfg_attr(not(doc), doc = " Writes a release note and publishes it.")]
    /**

Recipe `release`: 3 steps, at most 7 in a run (guardrails: each step at most 3 times; at most 2 restarts in a chain of runs; what verifies one visit takes at most 30m; at most 4 rounds of a review without fewer findings).

Its runs may change `NOTES.md`, `docs/**` and no other files, and never `**/.env*`. They may change lockfiles. They begin only if no tracked file has uncommitted changes. They begin a new session only with a task: the text that they are started with, or one that `bd` offers. They work in a git worktree of their own.

# Steps

| step | outcome | next |
|---|---|---|
| [`Write`](release::Write), at most twice | `complete` | [`Build`](release::Build) if `changed && exists "NOTES.md"` |
|  | `nothing-new` | exit `NoChangesToCommit` if `no_commit && "git diff --quiet"` |
| | *instead, once visited twice* | [`Check`](release::Check) |
| [`Build`](release::Build) | `passed` | [`Check`](release::Check) |
|  | `failed` | [`Write`](release::Write) |
| | *after 10m* | [`Check`](release::Check) |
| [`Check`](release::Check) | `no-issues`: Every claim is true. | restart `Announce` if `clean` |
|  | `issues-found` with findings | [`Write`](release::Write) |
|  | `other` | exit `Unclear` |
| | *after 30m* | exit `Unclear` |
| | *after $1.50* | [`Write`](release::Write) |

The engine checks what is after `if` before it follows the outcome; the typed run does not.

An outcome with findings carries what a review found; the typed run takes none.

If none of these fits, the agent reports `other`, and the run ends with `UserProvidedOther`.

# Diagram

<div>
<svg viewBox="0 0 974 181" width="974" style="max-width:100%;height:auto" font-family="monospace" font-size="13" fill="none" stroke="currentColor" role="img" aria-label="the steps of release and how they follow each other">
<defs><marker id="arrow-release" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8Z" fill="currentColor" stroke="none"/></marker></defs>
<rect x="164" y="8" width="140" height="28" rx="6" stroke-width="2"/>
<text x="234" y="26" text-anchor="middle" fill="currentColor" stroke="none">write</text>
<text x="468" y="26" text-anchor="start" fill="currentColor" stroke="none">nothing-new if no_commit and "git diff … → ■ NoChangesToCommit</text>
<rect x="164" y="62" width="140" height="28" rx="0" stroke-width="1"/>
<path d="M170 62V90M298 62V90"/>
<text x="234" y="80" text-anchor="middle" fill="currentColor" stroke="none">build</text>
<rect x="164" y="116" width="140" height="28" rx="6" stroke-width="1"/>
<text x="234" y="134" text-anchor="middle" fill="currentColor" stroke="none">check</text>
<text x="468" y="134" text-anchor="start" fill="currentColor" stroke="none">no-issues if clean → ↻ Announce</text>
<text x="468" y="151" text-anchor="start" fill="currentColor" stroke="none">other → ■ Unclear</text>
<text x="468" y="168" text-anchor="start" fill="currentColor" stroke="none">after 30m → ■ Unclear</text>
<path d="M234 36V62" marker-end="url(#arrow-release)"/>
<text x="240" y="53" text-anchor="start" fill="currentColor" stroke="none">complete</text>
<path d="M234 90V116" marker-end="url(#arrow-release)"/>
<text x="240" y="107" text-anchor="start" fill="currentColor" stroke="none">passed</text>
<path d="M164 81C142 81 142 17 164 17" marker-end="url(#arrow-release)"/>
<text x="144" y="53" text-anchor="end" fill="currentColor" stroke="none">failed</text>
<path d="M164 135C120 135 120 17 164 17" marker-end="url(#arrow-release)"/>
<text x="122" y="80" text-anchor="end" fill="currentColor" stroke="none">issues-found</text>
<path d="M164 135C98 135 98 17 164 17" stroke-dasharray="5 4" marker-end="url(#arrow-release)"/>
<text x="100" y="80" text-anchor="end" fill="currentColor" stroke="none">after $1.50</text>
<path d="M304 27C348 27 348 125 304 125" stroke-dasharray="5 4" marker-end="url(#arrow-release)"/>
<text x="346" y="80" text-anchor="start" fill="currentColor" stroke="none">visited twice</text>
<path d="M304 81C326 81 326 125 304 125" stroke-dasharray="5 4" marker-end="url(#arrow-release)"/>
<text x="324" y="107" text-anchor="start" fill="currentColor" stroke="none">after 10m</text>
</svg>
</div>

# Proven of every path

- restart `Announce` needs [`Check`](release::Check) to report `no-issues` (as the engine finds it: `clean`) since [`Write`](release::Write).
- exit `Unclear` needs [`Write`](release::Write) to report `complete` (as the engine finds it: `changed && exists "NOTES.md"`) or [`Build`](release::Build) to report `passed` (as the engine's command finds it).
- [`Check`](release::Check) needs [`Write`](release::Write) to report `complete` (as the engine finds it: `changed && exists "NOTES.md"`).


Its steps, outcomes and the typed run are in [`release`]; [`begin`](Self::begin) starts one.
*/
    #[derive(
        ::core::fmt::Debug,
        ::core::clone::Clone,
        ::core::marker::Copy,
        ::core::default::Default
    )]
    pub struct Release;
    ///The parts of the recipe `Release`: its [`Step`](release::Step)s, an enum of outcomes for each, and the typed run [`At`](release::At).
    pub mod release {
        /// The steps of the recipe, by name.
        #[derive(
            ::core::fmt::Debug,
            ::core::clone::Clone,
            ::core::marker::Copy,
            ::core::cmp::PartialEq,
            ::core::hash::Hash,
        )]
        pub enum Step {
            /// Drafts the note.
            Write,
            ///`build`
            Build,
            ///`check`
            Check,
        }
        #[automatically_derived]
        impl ::surefire::WireEnum for Step {
            const KIND: &'static ::core::primitive::str = "step";
            const ALL: &'static [Self] = &[Self::Write, Self::Build, Self::Check];
            const NAMES: &'static [&'static ::core::primitive::str] = &[
                "write",
                "build",
                "check",
            ];
            #[inline]
            fn index(self) -> ::core::primitive::usize {
                self as ::core::primitive::usize
            }
        }
        ::surefire::__private::names!(Step);
        /// A run that is at the step `S`.
        ///
        /// It has one method for each outcome of that step, and each method consumes the run:
        /// an outcome that the step does not have cannot be reported, and none can be reported
        /// twice.
        #[must_use = "a run continues only when an outcome is reported"]
        pub struct At<S> {
            ledger: ::surefire::__private::Ledger<[::core::primitive::u32; 3usize]>,
            step: ::core::marker::PhantomData<fn() -> S>,
        }
        impl<S: ::surefire::__private::Place> At<S> {
            /// The same run in its erased form: for its counts, a snapshot, or to report
            /// outcomes by name.
            #[must_use]
            #[inline]
            pub fn position(&self) -> ::surefire::Position<Release> {
                position(self)
            }
        }
        #[automatically_derived]
        impl<S: ::surefire::__private::Place> ::core::fmt::Debug for At<S> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Debug::fmt(&position(self), f)
            }
        }
        /// Without those that are proven never to trip.
        const GUARDRAILS: ::surefire::Guardrails = ::surefire::Guardrails::generated(
            ::core::option::Option::Some(3u32),
            ::core::option::Option::None,
            ::core::option::Option::Some(2u32),
            ::core::option::Option::Some(
                ::surefire::__private::Duration::from_secs(1800u64),
            ),
            ::core::option::Option::Some(4u32),
            true,
        );
        /// Begins a run in a chain with this many restarts so far.
        #[doc(hidden)]
        #[inline]
        pub(super) const fn begin(restarts: ::core::primitive::u32) -> At<Write> {
            At {
                ledger: ::surefire::__private::Ledger::begin(0usize, restarts),
                step: ::core::marker::PhantomData,
            }
        }
        #[inline]
        fn enter<S: ::surefire::__private::Place>(
            mut ledger: ::surefire::__private::Ledger<[::core::primitive::u32; 3usize]>,
        ) -> ::core::result::Result<At<S>, ::surefire::Tripped> {
            let name = &<Step as ::surefire::WireEnum>::NAMES[S::INDEX];
            match ledger.enter(S::INDEX, name, &GUARDRAILS) {
                ::core::result::Result::Ok(()) => {
                    ::core::result::Result::Ok(At {
                        ledger,
                        step: ::core::marker::PhantomData,
                    })
                }
                ::core::result::Result::Err(tripped) => {
                    ::core::result::Result::Err(tripped)
                }
            }
        }
        #[inline]
        fn position<S: ::surefire::__private::Place>(
            at: &At<S>,
        ) -> ::surefire::Position<Release> {
            ::surefire::__private::position(S::INDEX, at.ledger)
        }
        /// A run at whichever step it is at.
        #[derive(::core::fmt::Debug)]
        #[must_use = "a run continues only when an outcome is reported"]
        pub enum AnyStep {
            ///The run is at `write`.
            Write(At<Write>),
            ///The run is at `build`.
            Build(At<Build>),
            ///The run is at `check`.
            Check(At<Check>),
        }
        impl AnyStep {
            /// The same run in its erased form.
            #[must_use]
            pub fn position(&self) -> ::surefire::Position<Release> {
                match self {
                    Self::Write(at) => position(at),
                    Self::Build(at) => position(at),
                    Self::Check(at) => position(at),
                }
            }
            /// Reports an outcome by its name: the run continues with the next step, or breaks
            /// off with how it ended.
            ///
            /// # Errors
            /// The current step has no such outcome. The run is consumed all the same: to be
            /// able to ask again, keep its [`position`](Self::position), whose `typed()` leads
            /// back.
            pub fn report(
                self,
                outcome: &::core::primitive::str,
            ) -> ::core::result::Result<
                ::core::ops::ControlFlow<End, Self>,
                ::surefire::UnknownName,
            > {
                match self {
                    Self::Write(at) => {
                        match <WriteOutcome as ::surefire::WireEnum>::from_name(
                            outcome,
                        ) {
                            ::core::result::Result::Ok(outcome) => {
                                ::core::result::Result::Ok(
                                    ::core::convert::From::from(on_0(at, outcome)),
                                )
                            }
                            ::core::result::Result::Err(unknown) => {
                                ::core::result::Result::Err(unknown)
                            }
                        }
                    }
                    Self::Build(at) => {
                        match <BuildOutcome as ::surefire::WireEnum>::from_name(
                            outcome,
                        ) {
                            ::core::result::Result::Ok(outcome) => {
                                ::core::result::Result::Ok(
                                    ::core::convert::From::from(on_1(at, outcome)),
                                )
                            }
                            ::core::result::Result::Err(unknown) => {
                                ::core::result::Result::Err(unknown)
                            }
                        }
                    }
                    Self::Check(at) => {
                        match <CheckOutcome as ::surefire::WireEnum>::from_name(
                            outcome,
                        ) {
                            ::core::result::Result::Ok(outcome) => {
                                ::core::result::Result::Ok(
                                    ::core::convert::From::from(on_2(at, outcome)),
                                )
                            }
                            ::core::result::Result::Err(unknown) => {
                                ::core::result::Result::Err(unknown)
                            }
                        }
                    }
                }
            }
        }
        #[automatically_derived]
        impl<S: ::surefire::__private::Place> ::core::convert::From<At<S>> for AnyStep {
            #[inline]
            fn from(at: At<S>) -> Self {
                any_step(S::INDEX, at.ledger)
            }
        }
        /// The index comes from a position of this recipe, so the last step is what remains.
        #[doc(hidden)]
        #[inline]
        pub(super) fn any_step(
            step: ::core::primitive::usize,
            ledger: ::surefire::__private::Ledger<[::core::primitive::u32; 3usize]>,
        ) -> AnyStep {
            match step {
                0usize => {
                    AnyStep::Write(At {
                        ledger,
                        step: ::core::marker::PhantomData,
                    })
                }
                1usize => {
                    AnyStep::Build(At {
                        ledger,
                        step: ::core::marker::PhantomData,
                    })
                }
                _ => {
                    AnyStep::Check(At {
                        ledger,
                        step: ::core::marker::PhantomData,
                    })
                }
            }
        }
        /// How a run can end: by the exits of its outcomes, by a restart, and by each guardrail
        /// that is not proven never to trip.
        #[derive(::core::fmt::Debug, ::core::cmp::PartialEq, ::core::cmp::Eq)]
        #[must_use = "it says how the run ended"]
        pub enum End {
            ///The run has ended by `exit ExitReason::NoChangesToCommit`.
            NoChangesToCommit,
            ///The run has ended by `exit UserProvidedOther`.
            UserProvidedOther,
            ///The run has ended by `exit Unclear`.
            Unclear,
            ///The run has ended; `Announce` continues in a fresh session.
            Announce(::surefire::Restart<Announce>),
            ///The run was to visit a step more often than it may.
            MaxStepVisits(::surefire::Tripped),
            ///The chain of runs was to restart more often than it may.
            MaxRestarts(::surefire::Tripped),
        }
        impl End {
            /// Why the run ended, as any code can read it: message, category, exit status.
            pub fn exit(&self) -> ::surefire::Exit {
                match *self {
                    Self::NoChangesToCommit => {
                        ::surefire::__private::exit::<Step>(0usize)
                    }
                    Self::UserProvidedOther => {
                        ::surefire::__private::exit::<Step>(1usize)
                    }
                    Self::Unclear => ::surefire::__private::exit::<Step>(2usize),
                    Self::Announce(_) => ::surefire::__private::restarted(),
                    Self::MaxStepVisits(tripped) => ::core::convert::From::from(tripped),
                    Self::MaxRestarts(tripped) => ::core::convert::From::from(tripped),
                }
            }
        }
        #[inline]
        fn tripped(tripped: ::surefire::Tripped) -> End {
            match tripped.guardrail {
                ::surefire::Guardrail::MaxStepVisits => End::MaxStepVisits(tripped),
                ::surefire::Guardrail::MaxTotalSteps => {
                    ::surefire::__private::cannot_trip(&tripped)
                }
                ::surefire::Guardrail::MaxRestarts => End::MaxRestarts(tripped),
            }
        }
        #[doc(hidden)]
        pub type Release = <Step as ::surefire::__private::Scope>::Recipe;
        #[doc(hidden)]
        pub type Announce = <Step as ::surefire::__private::RestartTarget<
            0usize,
        >>::Target;
        /// Drafts the note.
        /**
Tools: `edit`, `git log *`, those of `BUILD`.*/
        /**
Verified by `test -s NOTES.md` and `make lint` before another step or a restart follows.*/
        pub enum Write {}
        #[automatically_derived]
        impl ::surefire::__private::Place for Write {
            const INDEX: ::core::primitive::usize = 0usize;
        }
        ///What the agent can report about the step `write`.
        #[derive(
            ::core::fmt::Debug,
            ::core::clone::Clone,
            ::core::marker::Copy,
            ::core::cmp::PartialEq,
            ::core::hash::Hash,
        )]
        pub enum WriteOutcome {
            ///`complete`
            Complete,
            ///`nothing-new`
            NothingNew,
            ///`other`
            Other,
        }
        #[automatically_derived]
        impl ::surefire::WireEnum for WriteOutcome {
            const ALL: &'static [Self] = &[
                Self::Complete,
                Self::NothingNew,
                Self::Other,
            ];
            const NAMES: &'static [&'static ::core::primitive::str] = &[
                "complete",
                "nothing-new",
                "other",
            ];
            #[inline]
            fn index(self) -> ::core::primitive::usize {
                self as ::core::primitive::usize
            }
        }
        ::surefire::__private::names!(WriteOutcome);
        ///What may follow the step `write`.
        #[derive(::core::fmt::Debug)]
        #[must_use = "it says whether the run continues"]
        pub enum WriteNext {
            ///The run continues with the step `build`.
            Build(At<Build>),
            /// The run has ended.
            End(End),
        }
        #[automatically_derived]
        impl ::core::convert::From<WriteNext>
        for ::core::ops::ControlFlow<End, AnyStep> {
            #[inline]
            fn from(next: WriteNext) -> Self {
                match next {
                    WriteNext::Build(at) => Self::Continue(AnyStep::Build(at)),
                    WriteNext::End(end) => Self::Break(end),
                }
            }
        }
        #[inline]
        fn enter_0(
            mut ledger: ::surefire::__private::Ledger<[::core::primitive::u32; 3usize]>,
        ) -> ::core::result::Result<At<Write>, ::surefire::Tripped> {
            const LIMITS: ::surefire::Guardrails = ::surefire::__private::within_step(
                GUARDRAILS,
                2u32,
            );
            let name = &<Step as ::surefire::WireEnum>::NAMES[0usize];
            match ledger.enter(0usize, name, &LIMITS) {
                ::core::result::Result::Ok(()) => {
                    ::core::result::Result::Ok(At {
                        ledger,
                        step: ::core::marker::PhantomData,
                    })
                }
                ::core::result::Result::Err(tripped) => {
                    ::core::result::Result::Err(tripped)
                }
            }
        }
        ///Where a run continues that is to enter the step `write`: it may be visited twice.
        #[derive(::core::fmt::Debug)]
        #[must_use = "a run continues only when an outcome is reported"]
        pub enum WriteEntry {
            ///The run has entered `write`.
            Write(At<Write>),
            ///The run has entered `check` instead.
            Check(At<Check>),
        }
        #[inline]
        fn enter_0_or(
            ledger: ::surefire::__private::Ledger<[::core::primitive::u32; 3usize]>,
        ) -> ::core::result::Result<WriteEntry, ::surefire::Tripped> {
            if ledger.is_full(0usize, 2u32) {
                match enter(ledger) {
                    ::core::result::Result::Ok(at) => {
                        ::core::result::Result::Ok(WriteEntry::Check(at))
                    }
                    ::core::result::Result::Err(tripped) => {
                        ::core::result::Result::Err(tripped)
                    }
                }
            } else {
                match enter_0(ledger) {
                    ::core::result::Result::Ok(at) => {
                        ::core::result::Result::Ok(WriteEntry::Write(at))
                    }
                    ::core::result::Result::Err(tripped) => {
                        ::core::result::Result::Err(tripped)
                    }
                }
            }
        }
        #[inline]
        fn on_0(at: At<Write>, outcome: WriteOutcome) -> WriteNext {
            match outcome {
                WriteOutcome::Complete => {
                    match enter(at.ledger) {
                        ::core::result::Result::Ok(next) => WriteNext::Build(next),
                        ::core::result::Result::Err(limit) => {
                            WriteNext::End(tripped(limit))
                        }
                    }
                }
                WriteOutcome::NothingNew => WriteNext::End(End::NoChangesToCommit),
                WriteOutcome::Other => WriteNext::End(End::UserProvidedOther),
            }
        }
        impl At<Write> {
            ///Reports `complete`: the run continues with the step `build`.
            /**
The engine looks for `changed && exists "NOTES.md"` before that; this method does not.*/
            ///
            /// # Errors
            /// A guardrail does not allow entering that step; the error says which one.
            #[inline]
            pub fn complete(
                self,
            ) -> ::core::result::Result<At<Build>, ::surefire::Tripped> {
                enter(self.ledger)
            }
            ///Reports `nothing-new`: the run ends with `NoChangesToCommit`.
            /**
The engine looks for `no_commit && "git diff --quiet"` before that; this method does not.*/
            #[inline]
            pub fn nothing_new(self) -> ::surefire::Exit {
                ::surefire::__private::exit::<Step>(0usize)
            }
            ///Reports `other`: the run ends with `UserProvidedOther`.
            ///
            /// The description is what the agent says about it.
            pub fn other(
                self,
                description: impl ::core::convert::Into<::surefire::__private::String>,
            ) -> ::surefire::Exit {
                ::surefire::Exit::describe(
                    ::surefire::__private::exit::<Step>(1usize),
                    description,
                )
            }
            /// Takes an outcome that is known at run time only, and stays typed.
            #[inline]
            pub fn on(self, outcome: WriteOutcome) -> WriteNext {
                on_0(self, outcome)
            }
        }
        ///`build`
        /**
The engine runs `make -j | tee log`, for 10m at most; no agent is asked.*/
        pub enum Build {}
        #[automatically_derived]
        impl ::surefire::__private::Place for Build {
            const INDEX: ::core::primitive::usize = 1usize;
        }
        ///What the command of the step `build` can come to.
        #[derive(
            ::core::fmt::Debug,
            ::core::clone::Clone,
            ::core::marker::Copy,
            ::core::cmp::PartialEq,
            ::core::hash::Hash,
        )]
        pub enum BuildOutcome {
            ///`passed`
            Passed,
            ///`failed`
            Failed,
        }
        #[automatically_derived]
        impl ::surefire::WireEnum for BuildOutcome {
            const ALL: &'static [Self] = &[Self::Passed, Self::Failed];
            const NAMES: &'static [&'static ::core::primitive::str] = &[
                "passed",
                "failed",
            ];
            #[inline]
            fn index(self) -> ::core::primitive::usize {
                self as ::core::primitive::usize
            }
        }
        ::surefire::__private::names!(BuildOutcome);
        ///What may follow the step `build`.
        #[derive(::core::fmt::Debug)]
        #[must_use = "it says whether the run continues"]
        pub enum BuildNext {
            ///The run continues with the step `check`.
            Check(At<Check>),
            ///The run continues with the step `write`.
            Write(At<Write>),
            /// The run has ended.
            End(End),
        }
        #[automatically_derived]
        impl ::core::convert::From<BuildNext>
        for ::core::ops::ControlFlow<End, AnyStep> {
            #[inline]
            fn from(next: BuildNext) -> Self {
                match next {
                    BuildNext::Check(at) => Self::Continue(AnyStep::Check(at)),
                    BuildNext::Write(at) => Self::Continue(AnyStep::Write(at)),
                    BuildNext::End(end) => Self::Break(end),
                }
            }
        }
        #[inline]
        fn on_1(at: At<Build>, outcome: BuildOutcome) -> BuildNext {
            match outcome {
                BuildOutcome::Passed => {
                    match enter(at.ledger) {
                        ::core::result::Result::Ok(next) => BuildNext::Check(next),
                        ::core::result::Result::Err(limit) => {
                            BuildNext::End(tripped(limit))
                        }
                    }
                }
                BuildOutcome::Failed => {
                    match enter_0_or(at.ledger) {
                        ::core::result::Result::Ok(WriteEntry::Write(next)) => {
                            BuildNext::Write(next)
                        }
                        ::core::result::Result::Ok(WriteEntry::Check(next)) => {
                            BuildNext::Check(next)
                        }
                        ::core::result::Result::Err(limit) => {
                            BuildNext::End(tripped(limit))
                        }
                    }
                }
            }
        }
        impl At<Build> {
            ///Reports `passed`: the run continues with the step `check`.
            ///
            /// # Errors
            /// A guardrail does not allow entering that step; the error says which one.
            #[inline]
            pub fn passed(
                self,
            ) -> ::core::result::Result<At<Check>, ::surefire::Tripped> {
                enter(self.ledger)
            }
            ///Reports `failed`: the run continues with the step `write`, or with `check` once it was visited twice.
            ///
            /// # Errors
            /// A guardrail does not allow entering that step; the error says which one.
            #[inline]
            pub fn failed(
                self,
            ) -> ::core::result::Result<WriteEntry, ::surefire::Tripped> {
                enter_0_or(self.ledger)
            }
            ///Leaves the step after 10m: the run continues with the step `check`.
            ///
            /// The engine keeps track of this limit; with the typed run, its driver does.
            ///
            /// # Errors
            /// A guardrail does not allow entering that step; the error says which one.
            #[inline]
            pub fn out_of_time(
                self,
            ) -> ::core::result::Result<At<Check>, ::surefire::Tripped> {
                enter(self.ledger)
            }
            /// Takes an outcome that is known at run time only, and stays typed.
            #[inline]
            pub fn on(self, outcome: BuildOutcome) -> BuildNext {
                on_1(self, outcome)
            }
        }
        ///`check`
        /**
Tools: `read`.*/
        /**
One visit takes at most 30m; it asks the agent again at most twice; it costs at most $1.50, as the agent reports it.*/
        pub enum Check {}
        #[automatically_derived]
        impl ::surefire::__private::Place for Check {
            const INDEX: ::core::primitive::usize = 2usize;
        }
        ///What the agent can report about the step `check`.
        #[derive(
            ::core::fmt::Debug,
            ::core::clone::Clone,
            ::core::marker::Copy,
            ::core::cmp::PartialEq,
            ::core::hash::Hash,
        )]
        pub enum CheckOutcome {
            /// Every claim is true.
            NoIssues,
            ///`issues-found`
            IssuesFound,
            ///`other`
            Other,
        }
        #[automatically_derived]
        impl ::surefire::WireEnum for CheckOutcome {
            const ALL: &'static [Self] = &[
                Self::NoIssues,
                Self::IssuesFound,
                Self::Other,
            ];
            const NAMES: &'static [&'static ::core::primitive::str] = &[
                "no-issues",
                "issues-found",
                "other",
            ];
            #[inline]
            fn index(self) -> ::core::primitive::usize {
                self as ::core::primitive::usize
            }
        }
        ::surefire::__private::names!(CheckOutcome);
        ///What may follow the step `check`.
        #[derive(::core::fmt::Debug)]
        #[must_use = "it says whether the run continues"]
        pub enum CheckNext {
            ///The run continues with the step `write`.
            Write(At<Write>),
            ///The run continues with the step `check`.
            Check(At<Check>),
            /// The run has ended.
            End(End),
        }
        #[automatically_derived]
        impl ::core::convert::From<CheckNext>
        for ::core::ops::ControlFlow<End, AnyStep> {
            #[inline]
            fn from(next: CheckNext) -> Self {
                match next {
                    CheckNext::Write(at) => Self::Continue(AnyStep::Write(at)),
                    CheckNext::Check(at) => Self::Continue(AnyStep::Check(at)),
                    CheckNext::End(end) => Self::Break(end),
                }
            }
        }
        #[inline]
        fn on_2(at: At<Check>, outcome: CheckOutcome) -> CheckNext {
            match outcome {
                CheckOutcome::NoIssues => {
                    match ::surefire::__private::restart(
                        &at.ledger,
                        &"check",
                        &GUARDRAILS,
                    ) {
                        ::core::result::Result::Ok(next) => {
                            CheckNext::End(End::Announce(next))
                        }
                        ::core::result::Result::Err(limit) => {
                            CheckNext::End(tripped(limit))
                        }
                    }
                }
                CheckOutcome::IssuesFound => {
                    match enter_0_or(at.ledger) {
                        ::core::result::Result::Ok(WriteEntry::Write(next)) => {
                            CheckNext::Write(next)
                        }
                        ::core::result::Result::Ok(WriteEntry::Check(next)) => {
                            CheckNext::Check(next)
                        }
                        ::core::result::Result::Err(limit) => {
                            CheckNext::End(tripped(limit))
                        }
                    }
                }
                CheckOutcome::Other => CheckNext::End(End::Unclear),
            }
        }
        impl At<Check> {
            ///Reports `no-issues`: the run ends, and `Announce` continues in a fresh session.
            /**
The engine looks for `clean` before that; this method does not.*/
            ///
            /// # Errors
            /// A guardrail does not allow another restart.
            #[inline]
            pub fn no_issues(
                self,
            ) -> ::core::result::Result<
                ::surefire::Restart<Announce>,
                ::surefire::Tripped,
            > {
                ::surefire::__private::restart(&self.ledger, &"check", &GUARDRAILS)
            }
            ///Reports `issues-found`: the run continues with the step `write`, or with `check` once it was visited twice.
            /**
The agent's findings come with it; this method takes none.*/
            ///
            /// # Errors
            /// A guardrail does not allow entering that step; the error says which one.
            #[inline]
            pub fn issues_found(
                self,
            ) -> ::core::result::Result<WriteEntry, ::surefire::Tripped> {
                enter_0_or(self.ledger)
            }
            ///Reports `other`: the run ends with `Unclear`.
            ///
            /// The description is what the agent says about it.
            pub fn other(
                self,
                description: impl ::core::convert::Into<::surefire::__private::String>,
            ) -> ::surefire::Exit {
                ::surefire::Exit::describe(
                    ::surefire::__private::exit::<Step>(2usize),
                    description,
                )
            }
            ///Leaves the step after 30m: the run ends with `Unclear`.
            ///
            /// The engine keeps track of this limit; with the typed run, its driver does.
            #[inline]
            pub fn out_of_time(self) -> ::surefire::Exit {
                ::surefire::__private::exit::<Step>(3usize)
            }
            ///Leaves the step after $1.50: the run continues with the step `write`, or with `check` once it was visited twice.
            ///
            /// The engine keeps track of this limit; with the typed run, its driver does.
            ///
            /// # Errors
            /// A guardrail does not allow entering that step; the error says which one.
            #[inline]
            pub fn out_of_budget(
                self,
            ) -> ::core::result::Result<WriteEntry, ::surefire::Tripped> {
                enter_0_or(self.ledger)
            }
            /// Takes an outcome that is known at run time only, and stays typed.
            #[inline]
            pub fn on(self, outcome: CheckOutcome) -> CheckNext {
                on_2(self, outcome)
            }
        }
    }
    #[automatically_derived]
    impl ::surefire::Recipe for Release {
        type Step = release::Step;
        type Start = release::At<release::Write>;
        type AnyStep = release::AnyStep;
        type Visits = [::core::primitive::u32; 3usize];
        const ID: &'static ::core::primitive::str = "release";
        const ANY: &'static dyn ::surefire::AnyRecipe = &Release;
        const OUTLINE: &'static ::surefire::Outline = {
            const OUTCOMES: &[::surefire::OutcomeOutline] = &[
                ::surefire::OutcomeOutline::generated(
                    "complete",
                    "",
                    ::surefire::__private::NO_NAMES,
                    &[
                        ::surefire::Evidence::Changed,
                        ::surefire::Evidence::Exists(
                            ::surefire::__private::Cow::Borrowed("NOTES.md"),
                        ),
                    ],
                    false,
                    ::surefire::NextOutline::Step(1usize),
                ),
                ::surefire::OutcomeOutline::generated(
                    "nothing-new",
                    "",
                    ::surefire::__private::NO_NAMES,
                    &[
                        ::surefire::Evidence::NoCommit,
                        ::surefire::Evidence::Command(
                            ::surefire::CommandLine::Shell(
                                ::surefire::__private::Cow::Borrowed("git diff --quiet"),
                            ),
                        ),
                    ],
                    false,
                    ::surefire::NextOutline::Exit(
                        <release::Step as ::surefire::__private::Scope>::EXITS[0usize],
                    ),
                ),
                ::surefire::OutcomeOutline::generated(
                    "other",
                    "",
                    ::surefire::__private::NO_NAMES,
                    ::surefire::__private::NO_EVIDENCE,
                    false,
                    ::surefire::NextOutline::Exit(
                        <release::Step as ::surefire::__private::Scope>::EXITS[1usize],
                    ),
                ),
                ::surefire::OutcomeOutline::generated(
                    "passed",
                    "",
                    ::surefire::__private::NO_NAMES,
                    ::surefire::__private::NO_EVIDENCE,
                    false,
                    ::surefire::NextOutline::Step(2usize),
                ),
                ::surefire::OutcomeOutline::generated(
                    "failed",
                    "",
                    ::surefire::__private::NO_NAMES,
                    ::surefire::__private::NO_EVIDENCE,
                    false,
                    ::surefire::NextOutline::Step(0usize),
                ),
                ::surefire::OutcomeOutline::generated(
                    "no-issues",
                    "Every claim is true.",
                    ::surefire::__private::NO_NAMES,
                    &[::surefire::Evidence::Clean],
                    false,
                    ::surefire::__private::next_restart::<release::Step, 0usize>(),
                ),
                ::surefire::OutcomeOutline::generated(
                    "issues-found",
                    "",
                    ::surefire::__private::NO_NAMES,
                    ::surefire::__private::NO_EVIDENCE,
                    true,
                    ::surefire::NextOutline::Step(0usize),
                ),
                ::surefire::OutcomeOutline::generated(
                    "other",
                    "",
                    ::surefire::__private::NO_NAMES,
                    ::surefire::__private::NO_EVIDENCE,
                    false,
                    ::surefire::NextOutline::Exit(
                        <release::Step as ::surefire::__private::Scope>::EXITS[2usize],
                    ),
                ),
            ];
            const STEPS: &[::surefire::StepOutline] = &[
                ::surefire::StepOutline::generated(
                        "write",
                        ::surefire::__private::NO_NAMES,
                        "Drafts the note.",
                        ::core::option::Option::Some("opus"),
                        <release::Step as ::surefire::__private::Scope>::PROMPTS[0usize],
                        ::surefire::__private::outcomes(OUTCOMES, 0usize, 3usize),
                    )
                    .with_gates(
                        <release::Step as ::surefire::__private::Scope>::TOOLS[0usize],
                        ::core::option::Option::None,
                        &[
                            ::surefire::CommandLine::Shell(
                                ::surefire::__private::Cow::Borrowed("test -s NOTES.md"),
                            ),
                            ::surefire::CommandLine::Program(
                                ::surefire::__private::Cow::Borrowed(
                                    &[
                                        ::surefire::__private::Cow::Borrowed("make"),
                                        ::surefire::__private::Cow::Borrowed("lint"),
                                    ],
                                ),
                            ),
                        ],
                        ::surefire::StepLimits::generated(
                            (
                                ::core::option::Option::Some(2u32),
                                ::core::option::Option::Some(
                                    ::surefire::AfterLimit::Step(2usize),
                                ),
                            ),
                            (::core::option::Option::None, ::core::option::Option::None),
                            (::core::option::Option::None, ::core::option::Option::None),
                            (::core::option::Option::None, ::core::option::Option::None),
                        ),
                    ),
                ::surefire::StepOutline::generated(
                        "build",
                        ::surefire::__private::NO_NAMES,
                        "",
                        ::core::option::Option::None,
                        <release::Step as ::surefire::__private::Scope>::PROMPTS[1usize],
                        ::surefire::__private::outcomes(OUTCOMES, 3usize, 2usize),
                    )
                    .with_gates(
                        <release::Step as ::surefire::__private::Scope>::TOOLS[1usize],
                        ::core::option::Option::Some(
                            ::surefire::CommandStep::generated(
                                &::surefire::CommandLine::Shell(
                                    ::surefire::__private::Cow::Borrowed("make -j | tee log"),
                                ),
                                ::core::option::Option::Some(
                                    ::surefire::__private::Duration::from_secs(600u64),
                                ),
                            ),
                        ),
                        ::surefire::__private::NO_COMMANDS,
                        ::surefire::StepLimits::generated(
                            (::core::option::Option::None, ::core::option::Option::None),
                            (
                                ::core::option::Option::None,
                                ::core::option::Option::Some(
                                    ::surefire::AfterLimit::Step(2usize),
                                ),
                            ),
                            (::core::option::Option::None, ::core::option::Option::None),
                            (::core::option::Option::None, ::core::option::Option::None),
                        ),
                    ),
                ::surefire::StepOutline::generated(
                        "check",
                        ::surefire::__private::NO_NAMES,
                        "",
                        ::core::option::Option::Some("haiku"),
                        <release::Step as ::surefire::__private::Scope>::PROMPTS[2usize],
                        ::surefire::__private::outcomes(OUTCOMES, 5usize, 3usize),
                    )
                    .with_gates(
                        <release::Step as ::surefire::__private::Scope>::TOOLS[2usize],
                        ::core::option::Option::None,
                        ::surefire::__private::NO_COMMANDS,
                        ::surefire::StepLimits::generated(
                            (::core::option::Option::None, ::core::option::Option::None),
                            (
                                ::core::option::Option::Some(
                                    ::surefire::__private::Duration::from_secs(1800u64),
                                ),
                                ::core::option::Option::Some(
                                    ::surefire::AfterLimit::Exit(
                                        <release::Step as ::surefire::__private::Scope>::EXITS[3usize],
                                    ),
                                ),
                            ),
                            (
                                ::core::option::Option::Some(2u32),
                                ::core::option::Option::None,
                            ),
                            (
                                ::core::option::Option::Some(1.5f64),
                                ::core::option::Option::Some(
                                    ::surefire::AfterLimit::Step(0usize),
                                ),
                            ),
                        ),
                    ),
            ];
            const CLAIMS: &[::surefire::Claim] = &[
                ::surefire::Claim::generated(
                    ::surefire::__private::claimed_restart::<release::Step, 0usize>(),
                    &[
                        ::surefire::ClaimedOutcome {
                            step: 2usize,
                            outcome: 0usize,
                        },
                    ],
                    ::core::option::Option::Some(0usize),
                ),
                ::surefire::Claim::generated(
                    ::surefire::ClaimGoal::Exit(
                        <release::Step as ::surefire::__private::Scope>::EXITS[2usize],
                    ),
                    &[
                        ::surefire::ClaimedOutcome {
                            step: 0usize,
                            outcome: 0usize,
                        },
                        ::surefire::ClaimedOutcome {
                            step: 1usize,
                            outcome: 0usize,
                        },
                    ],
                    ::core::option::Option::None,
                ),
                ::surefire::Claim::generated(
                    ::surefire::ClaimGoal::Step(2usize),
                    &[
                        ::surefire::ClaimedOutcome {
                            step: 0usize,
                            outcome: 0usize,
                        },
                    ],
                    ::core::option::Option::None,
                ),
            ];
            static SCOPE: ::surefire::FileScope = ::surefire::FileScope::generated(
                &[
                    ::surefire::__private::Cow::Borrowed("NOTES.md"),
                    ::surefire::__private::Cow::Borrowed("docs/**"),
                ],
                &[::surefire::__private::Cow::Borrowed("**/.env*")],
            );
            &::surefire::Outline::generated(
                    <Self as ::surefire::Recipe>::ID,
                    "Release",
                    "Writes a release note and publishes it",
                    ::core::option::Option::Some("opus"),
                    0usize,
                    STEPS,
                    ::surefire::Guardrails::generated(
                        ::core::option::Option::Some(3u32),
                        ::core::option::Option::None,
                        ::core::option::Option::Some(2u32),
                        ::core::option::Option::Some(
                            ::surefire::__private::Duration::from_secs(1800u64),
                        ),
                        ::core::option::Option::Some(4u32),
                        true,
                    ),
                )
                .with_files(&SCOPE, true, ::surefire::Needs::generated(true, true), true)
                .with_proof(
                    7u32,
                    true,
                    &[
                        ::surefire::PathPart {
                            step: "write",
                            visits: 2u32,
                        },
                        ::surefire::PathPart {
                            step: "build",
                            visits: 2u32,
                        },
                        ::surefire::PathPart {
                            step: "check",
                            visits: 3u32,
                        },
                    ],
                    &[],
                    CLAIMS,
                )
                .with_fingerprints(5885999406032653686u64, 2342779498403521399u64)
        };
        #[inline]
        fn begin_after(restarts: ::core::primitive::u32) -> Self::Start {
            release::begin(restarts)
        }
        fn any_step(position: ::surefire::Position<Self>) -> Self::AnyStep {
            let (step, ledger) = ::surefire::__private::parts(&position);
            release::any_step(step, ledger)
        }
        const EXITS: &'static [::surefire::AnyReason] = <release::Step as ::surefire::__private::Scope>::EXITS;
        #[inline]
        fn leads_to(
            step: ::core::primitive::usize,
            outcome: ::core::primitive::usize,
        ) -> ::surefire::__private::LeadsTo {
            match step {
                0usize => {
                    match outcome {
                        0usize => ::surefire::__private::LeadsTo::Step(1usize),
                        1usize => ::surefire::__private::LeadsTo::Exit(0usize),
                        2usize => ::surefire::__private::LeadsTo::Exit(1usize),
                        _ => ::surefire::__private::LeadsTo::Nowhere,
                    }
                }
                1usize => {
                    match outcome {
                        0usize => ::surefire::__private::LeadsTo::Step(2usize),
                        1usize => ::surefire::__private::LeadsTo::LimitedStep(0usize),
                        _ => ::surefire::__private::LeadsTo::Nowhere,
                    }
                }
                2usize => {
                    match outcome {
                        0usize => {
                            ::surefire::__private::leads_to_restart::<
                                release::Step,
                                0usize,
                            >()
                        }
                        1usize => ::surefire::__private::LeadsTo::LimitedStep(0usize),
                        2usize => ::surefire::__private::LeadsTo::Exit(2usize),
                        _ => ::surefire::__private::LeadsTo::Nowhere,
                    }
                }
                _ => ::surefire::__private::LeadsTo::Nowhere,
            }
        }
        #[inline]
        fn outcome_index(
            step: ::core::primitive::usize,
            name: &::core::primitive::str,
        ) -> ::core::option::Option<::core::primitive::usize> {
            match step {
                0usize => <release::WriteOutcome as ::surefire::WireEnum>::index_of(name),
                1usize => <release::BuildOutcome as ::surefire::WireEnum>::index_of(name),
                2usize => <release::CheckOutcome as ::surefire::WireEnum>::index_of(name),
                _ => ::core::option::Option::None,
            }
        }
    }
    impl Release {
        /// The recipe as static data: for listings and pictures.
        pub const OUTLINE: &'static ::surefire::Outline = <Self as ::surefire::Recipe>::OUTLINE;
        /// No run takes more steps than this;
        /// [`MAX_STEPS_IS_EXACT`](Self::MAX_STEPS_IS_EXACT) says whether one can take as
        /// many.
        pub const MAX_STEPS: ::core::primitive::u32 = Self::OUTLINE.max_steps;
        /// Whether a run can take [`MAX_STEPS`](Self::MAX_STEPS). Otherwise the graph has
        /// too many walks to look at, and it is only a bound.
        pub const MAX_STEPS_IS_EXACT: ::core::primitive::bool = Self::OUTLINE
            .max_steps_is_exact;
        /// How often a run of [`MAX_STEPS`](Self::MAX_STEPS) visits each step; if that is
        /// only a bound, how often each was counted.
        pub const HEAVIEST_PATH: &'static [::surefire::PathPart] = Self::OUTLINE
            .heaviest_path;
        /// The guardrails that are proven never to trip.
        pub const NEVER_TRIPS: &'static [::surefire::Guardrail] = Self::OUTLINE
            .never_trips;
        ///Begins a run, at its first step `write`.
        #[must_use]
        #[inline]
        pub const fn begin() -> release::At<release::Write> {
            release::begin(0)
        }
        /// The shortest paths that together take every outcome, exit, restart and limit;
        /// for tests.
        pub fn paths() -> ::surefire::__private::Vec<::surefire::paths::RunPath> {
            <Self as ::surefire::Recipe>::ANY.paths()
        }
        /// Resumes a run from a snapshot, within the limits of the recipe.
        ///
        /// # Errors
        /// The snapshot is of another recipe, of another version of this one, or no run can
        /// have taken it.
        pub fn resume(
            snapshot: &::surefire::Snapshot,
        ) -> ::core::result::Result<release::AnyStep, ::surefire::SnapshotError> {
            match ::surefire::Position::<Self>::resume(snapshot) {
                ::core::result::Result::Ok(position) => {
                    ::core::result::Result::Ok(
                        <Self as ::surefire::Recipe>::any_step(position),
                    )
                }
                ::core::result::Result::Err(error) => ::core::result::Result::Err(error),
            }
        }
    }
}
#[cfg_attr(doc, doc = " Writes a release note and publishes it.")]
pub use __release::Release;
pub use __release::release;
#[automatically_derived]
impl ::surefire::__private::Scope for __release::release::Step {
    type Recipe = __release::Release;
    type Exits = MyExits;
    type Visits = [::core::primitive::u32; 3usize];
    const PROMPTS: &'static [&'static ::core::primitive::str] = &[
        "Write a release note.",
        "",
        CHECK,
    ];
    const TOOLS: &'static [::core::option::Option<&'static [::surefire::Tool]>] = &[
        {
            const __SUREFIRE_PARTS: &[&[::surefire::Tool]] = &[
                &[
                    ::surefire::Tool::Edit,
                    ::surefire::Tool::Command(
                        ::surefire::__private::Cow::Borrowed("git log *"),
                    ),
                ],
                BUILD,
            ];
            const __SUREFIRE_COUNT: ::core::primitive::usize = ::surefire::__private::count_tools(
                __SUREFIRE_PARTS,
            );
            const __SUREFIRE_TOOLS: &[::surefire::Tool] = &::surefire::__private::join_tools::<
                __SUREFIRE_COUNT,
            >(__SUREFIRE_PARTS);
            ::core::option::Option::Some(__SUREFIRE_TOOLS)
        },
        ::core::option::Option::None,
        ::core::option::Option::Some(&[::surefire::Tool::Read]),
    ];
    const EXITS: &'static [::surefire::AnyReason] = &[
        ::surefire::__private::standard_reason(
            ::surefire::ExitReason::NoChangesToCommit,
        ),
        ::surefire::__private::STANDARD_OTHER,
        ::surefire::__private::reason::<
            Self,
        >(
            <<Self as ::surefire::__private::Scope>::Exits>::Unclear
                as ::core::primitive::usize,
        ),
        ::surefire::__private::reason::<
            Self,
        >(
            <<Self as ::surefire::__private::Scope>::Exits>::Unclear
                as ::core::primitive::usize,
        ),
    ];
}
#[automatically_derived]
impl ::surefire::__private::RestartTarget<0usize> for __release::release::Step {
    type Target = Announce;
}
const _: () = ::core::assert!(
    ! ::surefire::__private::blank(< __release::release::Step as
    ::surefire::__private::Scope > ::PROMPTS[2usize]),
    "the prompt of step `Check` is empty: say what the agent is to do"
);
const _: () = if let ::core::option::Option::Some(__surefire_flaw) = ::surefire::__private::step_tools_flaw(
    <__release::release::Step as ::surefire::__private::Scope>::TOOLS[0usize],
) {
    ::core::panic!("{}", __surefire_flaw)
};
