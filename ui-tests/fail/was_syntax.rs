surefire::recipe! {
    recipe Example {
        initial: Work,
        step Work {
            was: Build,
            prompt: "Work.",
            outcomes: [Complete],
            Complete => Test,
        }
        step Test {
            was: ["Check", Old => ],
            run: "cargo test",
            Passed => Fix,
            Failed => exit ImplementationBlocked,
        }
        step Fix {
            was: [Repair Mend],
            prompt: "Fix.",
            outcomes: [Complete],
            Complete => Polish,
        }
        step Polish {
            was: [Shine],
            prompt: "Polish.",
            outcomes: [Complete],
            Complete => exit TaskCommitted,
            was: [Clean],
        }
    }
}

fn main() {
    drop(Example::begin());
}
