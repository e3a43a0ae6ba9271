//! Exit reasons of your own, and an exit status that follows from them:
//! `cargo run --example custom_exits`.

use std::process::ExitCode;

use surefire::{Exit, Position, Registry};

/// Why a release ends. A variant without a category or a message does not compile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Registry)]
pub enum ReleaseExits {
    /// It is out.
    #[reason(category = completed, message = "The release is out")]
    Released,
    /// A person has to decide.
    #[reason(
        category = completed,
        goal_met = false,
        message = "The changelog needs a decision",
        exit_code = 40,
        diagnosis = "Decide which changes belong in this release, then start again."
    )]
    NeedsDecision,
    /// It did not build.
    #[reason(
        category = error,
        message = "The release does not build",
        exit_code = 41,
        diagnosis = "Fix the build; the last reply has the compiler's errors.",
        remedy = again
    )]
    DoesNotBuild,
}

surefire::recipe! {
    /// Prepares a release and publishes it.
    pub recipe Release {
        initial: Changelog,
        exits: ReleaseExits,

        step Changelog {
            prompt: "Write the changelog for everything since the last tag.",
            outcomes: [Complete, Undecided],
            Complete => Build,
            Undecided => exit NeedsDecision,
        }

        step Build {
            prompt: "Build the release and publish it.",
            outcomes: [Complete, Failed],
            Complete => exit Released,
            Failed => exit DoesNotBuild,
        }
    }
}

/// Takes the outcomes from the command line, by name; in a real run, an agent reports them.
fn run(outcomes: impl Iterator<Item = String>) -> Result<Exit, surefire::UnknownName> {
    let mut position = Position::<Release>::begin();
    for outcome in outcomes {
        match position.report(&outcome)? {
            surefire::Next::Step(step) => println!("{outcome} → {}", step.name),
            surefire::Next::Exit(exit) => return Ok(exit),
            surefire::Next::Restart(restart) => return Ok(restart.exit()),
        }
    }
    Ok(Exit::because(ReleaseExits::NeedsDecision))
}

fn main() -> ExitCode {
    let given: Vec<_> = std::env::args().skip(1).collect();
    let outcomes =
        if given.is_empty() { vec!["complete".to_owned(), "failed".to_owned()] } else { given };
    let exit = match run(outcomes.into_iter()) {
        Ok(exit) => exit,
        Err(unknown) => {
            eprintln!("{unknown}");
            return ExitCode::from(64);
        }
    };
    // A match without a wildcard: a new reason in the enum is a compile error here until it is
    // handled.
    match exit.reason() {
        Some(ReleaseExits::Released) => println!("Time for a cake."),
        Some(ReleaseExits::NeedsDecision) => println!("Over to you."),
        Some(ReleaseExits::DoesNotBuild) => println!("No cake today."),
        None => println!("A standard reason."),
    }
    let definition = exit.definition();
    println!("{} [{}]: {}", definition.code, definition.category, exit.message());
    println!("{}", definition.hint);
    ExitCode::from(definition.exit_code)
}
