surefire::recipe! {
    recipe Example {
        initial: Work,

        step Work {
            prompt: "Work.",
            outcomes: [Complet],
            Complete => Commit,
            Help => Assist,
        }

        step Assist {
            prompt: "Assist.",
            outcomes: [Complete],
            Complete => Commit,
        }

        step Commit {
            prompt: "Commit.",
            outcomes: [Committed],
            Committed => exit TaskCommitted,
        }
    }
}

fn main() -> Result<(), surefire::Exit> {
    let _ = Example::begin().complete()?.committed();
    let _ = Example::begin().help()?.complete()?;
    Ok(())
}
