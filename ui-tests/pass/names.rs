//! Raw identifiers, keywords in the making, other alphabets, and names that mean something
//! elsewhere.
#![deny(warnings)]

surefire::recipe! {
    recipe Names {
        initial: r#match,
        step r#match {
            prompt: "Match.",
            outcomes: [r#move, Type, Überspringen],
            r#move => Option,
            Type => Überprüfen,
            Überspringen => exit NoTasksAvailable,
        }
        step Überprüfen {
            prompt: "Prüfen.",
            outcomes: [Ok],
            Ok => String,
        }
        step Option {
            prompt: "Option.",
            outcomes: [None, Some, Err],
            None => Result,
            Some => u32,
            Err => exit TaskCommitted,
        }
        step Result {
            prompt: "Result.",
            outcomes: [Drop, Clone, Into],
            Drop => String,
            Clone => exit TaskCommitted,
            Into => exit TaskCommitted,
        }
        step String {
            prompt: "String.",
            outcomes: [Begin, Default],
            Begin => Debug,
            Default => exit TaskCommitted,
        }
        step u32 {
            prompt: "u32.",
            outcomes: [Complete],
            Complete => Ledger,
        }
        step Debug {
            prompt: "Debug.",
            outcomes: [Complete],
            Complete => exit TaskCommitted,
        }
        step Ledger {
            prompt: "Ledger.",
            outcomes: [Visits, Gen, Iterator, Iter, Target],
            Visits => Recipe,
            Gen => Iterator,
            Iterator => Target,
            Iter => exit TaskCommitted,
            Target => exit TaskCommitted,
        }
        step Iterator {
            prompt: "Iterator.",
            outcomes: [Complete],
            Complete => exit TaskCommitted,
        }
        step Target {
            prompt: "Target.",
            outcomes: [Complete],
            Complete => exit TaskCommitted,
        }
        step Recipe {
            prompt: "Recipe.",
            outcomes: [Complete],
            Complete => exit TaskCommitted,
        }
    }
}

/// One recipe's step may have the name of another's outcome.
mod apart {
    surefire::recipe! {
        pub recipe Rebase {
            initial: Start,
            step Start { prompt: "Start.", outcomes: [Complete], Complete => Complete }
            step Complete { prompt: "Complete.", outcomes: [Done], Done => exit RebaseComplete }
        }
    }
}

fn main() -> Result<(), surefire::Exit> {
    let option = Names::begin().r#move()?;
    let result = option.none()?;
    assert_eq!(result.clone().code(), "task-committed");
    let names: Vec<_> = Names::OUTLINE.steps.iter().map(|step| step.name).collect();
    assert_eq!(names[..4], ["match", "überprüfen", "option", "result"]);
    assert_eq!(Names::OUTLINE.steps[0].outcomes[0].name, "move");
    assert_eq!(Names::begin().überspringen().code(), "no-tasks-available");
    assert_eq!("match".parse(), std::result::Result::Ok(names::Step::r#match));
    assert_eq!(apart::Rebase::begin().complete()?.done().code(), "rebase-complete");
    let ledger = Names::begin().r#move()?.some()?.complete()?;
    assert_eq!(ledger.r#gen()?.complete().code(), "task-committed");
    let _ = (Names::begin().r#type()?.ok()?.begin()?, names::MatchOutcome::Type);
    Ok(())
}
