surefire::recipe! {
    recipe Example {
        initial: Work,

        step Work {
            prompt: "Work.",
            outcomes: [Complete],
            Complete => Deploy,
        }

        step Ship {
            prompt: "Ship.",
            outcomes: [Complete],
            Complete => exit TaskCommitted,
        }

    }
}

fn main() -> Result<(), surefire::Exit> {
    let _ = Example::begin().complete()?.complete();
    Ok(())
}
