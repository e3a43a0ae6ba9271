//! Walks a recipe in its typed, erased and `dyn` forms at once, and by its outline, and compares
//! them at every step.

mod by_outline;

use by_outline::{ByOutline, Followed};
use surefire::{AnyPosition, Exit, ExitReason, Next, Outline, Position, Recipe, Snapshot};

/// How a walk ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum End {
    Exit(Exit),
    Restart(u32),
}

impl End {
    fn exit(&self) -> Exit {
        match self {
            Self::Exit(exit) => exit.clone(),
            Self::Restart(_) => Exit::because(ExitReason::RestartNewSession),
        }
    }
}

/// The typed form of a run, driven by the index of an outcome. [`typed_walk!`] implements it.
pub(crate) trait TypedWalk<R: Recipe>: Sized {
    fn begin() -> Self;
    fn take(self, outcome: usize) -> Result<Self, End>;
    /// The same by way of the enum of all steps, as a driver reports. How it ends is an exit even
    /// for a restart.
    fn report(self, outcome: &str) -> Result<Self, Exit>;
    fn position(&self) -> Position<R>;
    fn resume(snapshot: &Snapshot) -> Self;
}

/// Walks by these choices, cyclically, until the run ends, and returns how many steps it took.
pub(crate) fn walk<R: Recipe, T: TypedWalk<R>>(choices: &[u8]) -> u32 {
    let outline: &'static Outline = R::OUTLINE;
    let mut typed = T::begin();
    let mut erased = Position::<R>::begin();
    let mut any: Box<dyn AnyPosition> = R::ANY.begin(0);
    let mut by_outline = ByOutline::begin(outline);
    for choice in choices.iter().cycle() {
        assert_agree(&typed, &erased, &*any);
        assert!(
            erased.steps() <= outline.max_steps,
            "{}: more than {} steps",
            outline.id,
            outline.max_steps
        );

        let outcomes = erased.outline().outcomes;
        let index = usize::from(*choice) % outcomes.len();
        assert!(erased.clone().take(outcomes.len()).is_none(), "it has no such outcome");
        let next = erased.take(index).expect("the step has this outcome");
        assert_eq!(Followed::from(&next), by_outline.take(index));
        let by_index = end(next);
        let by_name = end(any.report(outcomes[index].name).expect("the step has this outcome"));
        assert_eq!(by_index, by_name);
        let driven = T::resume(&typed.position().snapshot()).report(outcomes[index].name);
        match typed.take(index) {
            Ok(next) => {
                assert_eq!(by_index, None);
                assert_eq!(driven.map(|next| next.position()), Ok(next.position()));
                typed = next;
            }
            Err(end) => {
                assert_eq!(driven.map(|next| next.position()), Err(end.exit()));
                assert_eq!(by_index, Some(end));
                break;
            }
        }
        // Resuming from a stored snapshot changes nothing.
        typed = T::resume(&stored(&typed.position().snapshot()));
        erased =
            Position::resume(&stored(&erased.snapshot())).expect("the snapshot was just taken");
        any = R::ANY.resume(&stored(&any.snapshot())).expect("the snapshot was just taken");
    }
    erased.steps()
}

fn assert_agree<R: Recipe, T: TypedWalk<R>>(
    typed: &T,
    erased: &Position<R>,
    any: &dyn AnyPosition,
) {
    assert_eq!(typed.position(), *erased);
    assert_eq!(any.snapshot(), erased.snapshot());
    assert_eq!((any.steps(), any.restarts()), (erased.steps(), erased.restarts()));
    let visits: u32 = R::OUTLINE.steps.iter().map(|step| any.visits(step.name)).sum();
    assert_eq!(visits, any.steps());
}

fn end(next: Next) -> Option<End> {
    match next {
        Next::Step(_) => None,
        Next::Exit(exit) => Some(End::Exit(exit)),
        Next::Restart(restart) => Some(End::Restart(restart.restarts)),
    }
}

fn stored(snapshot: &Snapshot) -> Snapshot {
    let json = serde_json::to_string(snapshot).expect("a snapshot serializes");
    serde_json::from_str(&json).expect("the snapshot was just serialized")
}

/// Implements [`TypedWalk`] for a recipe's `AnyStep`: each step with its enums and the steps that
/// may follow.
#[macro_export]
macro_rules! typed_walk {
    ($recipe:ty, $($module:ident)::+, $(
        $step:ident: $outcome:ident, $next:ident => [$($to:ident),*] $(restart $restart:ident)?;
    )+) => {
        const _: () = {
            use $($module)::+ as generated;

            impl $crate::typed_walk::TypedWalk<$recipe> for generated::AnyStep {
                fn begin() -> Self {
                    <$recipe as $crate::typed_walk::Begin>::first_step()
                }

                fn take(self, outcome: usize) -> Result<Self, $crate::typed_walk::End> {
                    match self {
                        $(Self::$step(at) => {
                            let outcomes = <generated::$outcome as surefire::WireEnum>::ALL;
                            match at.on(outcomes[outcome]) {
                                $(generated::$next::$to(at) => Ok(Self::$to(at)),)*
                                $(generated::$next::End(generated::End::$restart(restart)) => {
                                    Err($crate::typed_walk::End::Restart(restart.restarts()))
                                })?
                                generated::$next::End(end) => {
                                    Err($crate::typed_walk::End::Exit(end.exit()))
                                }
                            }
                        })+
                    }
                }

                fn report(self, outcome: &str) -> Result<Self, surefire::Exit> {
                    match self.report(outcome).expect("the step has this outcome") {
                        std::ops::ControlFlow::Continue(next) => Ok(next),
                        std::ops::ControlFlow::Break(end) => Err(end.exit()),
                    }
                }

                fn position(&self) -> surefire::Position<$recipe> {
                    Self::position(self)
                }

                fn resume(snapshot: &surefire::Snapshot) -> Self {
                    <$recipe>::resume(snapshot).expect("the snapshot was just taken")
                }
            }
        };
    };
}

/// The typed form of a run that has just begun, by way of the erased one.
pub(crate) trait Begin: Recipe {
    fn first_step() -> Self::AnyStep {
        Position::<Self>::begin().typed()
    }
}

impl<R: Recipe> Begin for R {}
