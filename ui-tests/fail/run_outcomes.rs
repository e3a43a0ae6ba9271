surefire::recipe! {
    recipe Example {
        initial: Test,
        guardrails: { max_step_visits: 3 },
        step Test { run: "cargo test", Pased => Lint, Failed => Fix, Other => exit ReviewRejected }
        step Lint { run: "cargo clippy", Passed => Build, Failed => Fix, Skipped => Build }
        step Build { run: "cargo build", Passed => Deploy, Passed => Deploy }
        step Deploy { run: "make deploy" }
        step Fix { prompt: "Fix.", outcomes: [Complete], Complete => Test }
        step Celebrate { prompt: "Celebrate.", outcomes: [Complete], Complete => exit TaskCommitted }
    }
}

fn main() -> Result<(), surefire::Exit> {
    let lint = Example::begin().passed()?;
    drop(lint.passed()?.passed()?);
    Ok(())
}
