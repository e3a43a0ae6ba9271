surefire::recipe! {
    recipe Example {
        initial: Test,
        step Test { prompt: "Run the tests.", run: "cargo test", Passed => Work, Failed => Work }
        step Work {
            prompt: "Work.",
            run: "make",
            outcomes: [Complete],
            Complete => Neither,
        }
        step Neither { outcomes: [Complete], Complete => exit TaskCommitted }
    }
}

fn main() -> Result<(), surefire::Exit> {
    let _ = Example::begin().passed()?.complete()?.complete();
    Ok(())
}
