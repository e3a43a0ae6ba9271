//! Inputs in arbitrary orders.

use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, any, proptest};
use proptest::test_runner::RngSeed;
use surefire::recipes::BUNDLED;
use surefire::run::{
    Changes, CheckKind, CheckResult, CheckVerdict, Resume, ResumedBy, ToolRefusal, TreeState,
    TurnFacts,
};
use surefire::session::{ProcessRecord, RunStatus, SessionAction, SessionInput, TurnEnd};
use surefire::store::Store;
use surefire::{BrokenRule, Exit, ExitReason, Violation};

use super::world::{InFlight, World};

/// Random numbers that select an input: mostly one that is possible now, sometimes any.
#[derive(Debug, Clone, Copy)]
struct Dice([u8; 4]);

const SECOND: Duration = Duration::from_secs(1);

impl Dice {
    fn end(self, world: &World) -> TurnEnd {
        let failed = |reason, resume_at, undelivered| TurnEnd::Failed {
            exit: Exit::because(reason).describe("it failed"),
            resume_at,
            undelivered,
        };
        let replied = |text: &str| TurnEnd::Replied {
            text: text.to_owned(),
            already_streamed: self.0[2].is_multiple_of(3),
        };
        match self.0[1] % 16 {
            0..6 => replied(&first_outcome(world)),
            6 => replied(r#"{"outcome": "issues-found"}"#),
            7 => replied(r#"{"outcome": "no-tasks"}"#),
            8 => replied("no outcome at all"),
            9 => failed(ExitReason::RateLimited, Some(world.now + 50), true),
            10 => failed(ExitReason::AuthRequired, None, true),
            11 => failed(ExitReason::WorkerFailed, None, false),
            12 => failed(ExitReason::Interrupted, Some(world.now), false),
            _ => TurnEnd::Unknown { resume_at: world.now },
        }
    }

    /// What else is known about a turn: its cost, the refused tools, the work tree.
    fn facts(self) -> TurnFacts {
        let refused =
            ToolRefusal { tool: "Bash".to_owned(), input: None, allow: vec!["make *".to_owned()] };
        TurnFacts {
            took: SECOND,
            cost_usd: self.0[2].is_multiple_of(2).then_some(0.5),
            refused: if self.0[2].is_multiple_of(5) { vec![refused] } else { Vec::new() },
            tree: self.0[2].is_multiple_of(3).then(|| Box::new((self.tree(), Changes::default()))),
            version: None,
            violations: if self.0[2].is_multiple_of(11) {
                vec![self.violation()]
            } else {
                Vec::new()
            },
        }
    }

    fn violation(self) -> Violation {
        let rule =
            if self.0[1].is_multiple_of(2) { BrokenRule::Lockfile } else { BrokenRule::NotAllowed };
        Violation::new("Cargo.lock", rule)
    }

    fn tree(self) -> TreeState {
        TreeState { head: Some(format!("{:x}", self.0[2])), ..TreeState::default() }
    }

    /// How a check ends: mostly well.
    fn check_end(self, world: &World) -> Option<SessionInput> {
        let Some(InFlight::Check(request)) = &world.in_flight else { return None };
        let verdict = match self.0[1] % 16 {
            0 => CheckVerdict::Impossible,
            1 => CheckVerdict::Unknown,
            2 => CheckVerdict::TimedOut { limit: SECOND },
            3..8 => CheckVerdict::Failed { status: Some(1) },
            _ => CheckVerdict::Passed,
        };
        let kind = if request.check.evidence.is_empty() {
            request.check.purpose
        } else {
            CheckKind::Evidence
        };
        let (name, found) = ("commit".to_owned(), "as it is".to_owned());
        let result = CheckResult { kind, name, verdict, found, took: SECOND, rehearsed: false };
        Some(SessionInput::CheckEnded {
            check: request.check.check,
            results: vec![result],
            violations: Vec::new(),
            took: SECOND,
        })
    }

    fn input(self, world: &mut World) -> Option<SessionInput> {
        let exit = Exit::because(ExitReason::UserRequested);
        let took = SECOND * u32::from(self.0[2]);
        let in_flight = world.in_flight.as_ref().map(InFlight::attempt);
        Some(match self.0[0] % 32 {
            0..3 => {
                let id = ["implement-and-review", "implement-and-review-all", "rebase"]
                    [usize::from(self.0[1] % 3)];
                let recipe = BUNDLED.get(id).expect("the recipe is bundled");
                let (spec, begins) = (Box::new(world.spec()), Some(world.begins()));
                SessionInput::Start { recipe, spec, begins }
            }
            3 | 4 => {
                let ended = if matches!(world.session.status(), RunStatus::Paused(_)) {
                    None
                } else {
                    Some(Box::new(world.last_ended()?))
                };
                SessionInput::Resume { ended, resume: Resume::by(ResumedBy::User).allow_visits(1) }
            }
            5 => SessionInput::Stop { exit, took },
            6 => SessionInput::Kill { took },
            7..13 => {
                let text = format!("word {}.", world.now);
                let begins = self.0[1].is_multiple_of(2).then(|| world.begins());
                SessionInput::Prompt { prompt: world.id().into(), text, begins }
            }
            // Recipes can be switched off or on only in a session that exists.
            13 if world.session.profile().is_some() => {
                SessionInput::Switch { enabled: self.0[1].is_multiple_of(2), took }
            }
            14 => SessionInput::Elapsed { took: SECOND * 60 * u32::from(self.0[2]) },
            15 => SessionInput::Spawned {
                attempt: in_flight?,
                process: ProcessRecord { pid: 7, started: "then".into() },
            },
            16 | 17 => SessionInput::Passage { attempt: in_flight?, text: "Let me see.".into() },
            18 => {
                let obstacle = self.0[1].is_multiple_of(4).then(|| "its agent is gone".to_owned());
                SessionInput::ResumeDue { obstacle }
            }
            19 => SessionInput::Panicked {
                exit: Exit::because(ExitReason::InternalError).describe("a panic"),
            },
            // The end of another turn, which comes too late.
            20 => SessionInput::TurnEnded {
                attempt: world.id().into(),
                end: self.end(world),
                facts: self.facts(),
            },
            _ if matches!(world.in_flight, Some(InFlight::Check(_))) => self.check_end(world)?,
            21 if self.0[1].is_multiple_of(2) => {
                SessionInput::TreeSeen { attempt: in_flight?, tree: self.tree() }
            }
            21 => SessionInput::TurnSeen { attempt: in_flight?, facts: self.facts() },
            _ => SessionInput::TurnEnded {
                attempt: in_flight?,
                end: self.end(world),
                facts: self.facts(),
            },
        })
    }
}

/// The first outcome that the agent was offered.
fn first_outcome(world: &World) -> String {
    let prompt = world.in_flight.as_ref().map(InFlight::prompt).unwrap_or_default();
    let offered = prompt
        .lines()
        .rev()
        .find_map(|it| it.strip_prefix("Your possible outcomes for this step: "));
    let first = offered.unwrap_or_default().split(", ").next().unwrap_or_default();
    format!(r#"{{"outcome": "{first}"}}"#)
}

/// Takes one step, and checks the invariants after it.
fn step(world: &mut World, dice: Dice) {
    match dice.0[3] {
        0..4 => return world.change_recipe(),
        4..16 => return world.restart(),
        16..24 => return world.reload(),
        _ => {}
    }
    let Some(input) = dice.input(world) else { return };
    if (24..32).contains(&dice.0[3]) {
        return world.refuse(input);
    }
    // A driver that fails has stopped its turn.
    if matches!(input, SessionInput::Panicked { .. }) {
        world.in_flight = None;
    }
    if let SessionInput::CheckEnded { .. } = &input {
        world.in_flight = None;
    }
    if let SessionInput::TurnEnded { attempt, end, .. } = &input
        && world.session.in_flight() == Some(*attempt)
        && let Some(turn) = world.in_flight.take()
    {
        match end {
            TurnEnd::Replied { .. } => _ = world.answered.insert(turn.prompt().to_owned()),
            TurnEnd::Unknown { .. } | TurnEnd::Failed { undelivered: false, .. } => {
                world.unsure.insert(turn.prompt().to_owned());
            }
            TurnEnd::Failed { undelivered: true, .. } => {}
            other => panic!("no test ends a turn with {other:?}"),
        }
    }
    let stops =
        matches!(input, SessionInput::Stop { .. } | SessionInput::Switch { enabled: false, .. });
    let kills = matches!(input, SessionInput::Kill { .. });
    let Ok(decision) = world.handle(input) else { return };
    let asks = decision.actions.iter().any(|action| matches!(action, SessionAction::Ask(_)));
    if (stops && decision.ended.is_some()) || kills {
        assert!(!asks, "a stop starts no agent");
        assert_eq!(
            world.store.queued_prompts(world.session.id()),
            Ok(vec![]),
            "a stop withdraws the queued prompts"
        );
        assert_eq!(world.session.resume_at(), None, "a stopped run does not resume by itself");
    }
    if kills {
        assert!(world.session.is_idle() && world.session.status() == RunStatus::None);
        let open = world.store.open_attempts().unwrap();
        assert!(open.iter().all(|attempt| attempt.session != world.session.id()), "{open:?}");
    }
}

proptest! {
    // The same inputs every time, so that the test is not flaky.
    #![proptest_config(ProptestConfig {
        cases: 2000,
        rng_seed: RngSeed::Fixed(13),
        failure_persistence: None,
        ..Default::default()
    })]

    #[test]
    fn a_session_is_what_is_persisted_and_has_one_turn_in_flight(dice in vec(any::<[u8; 4]>(), 1..80)) {
        let mut world = World::new();
        for dice in dice {
            step(&mut world, Dice(dice));
        }
    }
}
