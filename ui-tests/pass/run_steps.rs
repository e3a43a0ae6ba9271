//! `run`: a step that is a command passes or fails, in every form of the run, and no agent is
//! asked.
#![deny(warnings)]

use std::time::Duration;

use surefire::{CommandLine, Evidence, Position};

surefire::steps! {
    steps tests(passed) {
        /// Runs all tests.
        step Test { run: "cargo test --workspace", time: 10m, Failed => Fix, Passed => passed }
        step Fix { prompt: "Fix the tests.", outcomes: [Complete], Complete => Test }
    }
}

surefire::recipe! {
    recipe Example {
        model: "opus",
        tools: [edit],
        initial: Build,
        guardrails: { max_step_visits: 2 },
        step Build { run: ["cargo", "build", "--all"], Passed => Test, Failed => exit ImplementationBlocked }
        include tests(passed => exit TaskCommitted);
    }
}

surefire::recipe! {
    /// A cycle of commands is bounded like any other.
    recipe OnlyCommands {
        initial: Wait,
        guardrails: { max_total_steps: 5 },
        step Wait { run: "test -e done", time: 90s, Passed => exit TaskCommitted, Failed => Wait }
    }
}

fn main() -> Result<(), surefire::Exit> {
    let [build, test, fix] = Example::OUTLINE.steps else { panic!("there are three") };
    let names = |step: &surefire::StepOutline| step.outcomes.iter().map(|outcome| outcome.name).collect::<Vec<_>>();
    assert_eq!(names(build), ["passed", "failed"]);
    assert_eq!(names(test), ["passed", "failed"], "in this order, however they are mapped");
    assert_eq!(names(fix), ["complete", "other"]);
    assert_eq!((build.prompt, build.model, build.tools), ("", None, None));
    assert_eq!((fix.model, fix.tools.map(<[_]>::len), fix.command.is_none()), (Some("opus"), Some(1), true));

    let (build, test) = (build.command.expect("it is a command"), test.command.expect("it is a command"));
    assert_eq!(build.command, &CommandLine::Program(vec!["cargo".into(), "build".into(), "--all".into()].into()));
    assert_eq!(build.time, None);
    assert_eq!(test.command, &CommandLine::Shell("cargo test --workspace".into()));
    assert_eq!(test.time, Some(Duration::from_secs(600)));

    let fix = Example::begin().passed()?.failed()?;
    assert_eq!(fix.complete()?.passed().code(), "task-committed");
    match Example::begin().on(example::BuildOutcome::Failed) {
        example::BuildNext::End(end) => assert_eq!(end, example::End::ImplementationBlocked),
        example::BuildNext::Test(test) => panic!("{test:?}"),
    }

    let mut position = Position::<OnlyCommands>::begin();
    assert!(position.report("other").is_err(), "a command has no other outcome");
    for _ in 1..5 {
        assert!(matches!(position.report("failed"), Ok(surefire::Next::Step(_))));
    }
    assert!(matches!(position.report("failed"), Ok(surefire::Next::Exit(exit)) if exit.tripped().is_some()));
    assert!(Example::OUTLINE.steps.iter().flat_map(|step| step.outcomes).all(|outcome| outcome.evidence == [] as [Evidence; 0]));
    Ok(())
}
