surefire::recipe! {
    recipe Example {
        initial: First,
        step First { run: "", Passed => Second, Failed => exit ImplementationBlocked }
        step Second { run: [], Passed => Third, Failed => exit ImplementationBlocked }
        step Third { run: ["cargo test"], Passed => Fourth, Failed => exit ImplementationBlocked }
        step Fourth { run: ["cargo", ""], Passed => Fifth, Failed => exit ImplementationBlocked }
        step Fifth { run: cargo, Passed => Sixth, Failed => exit ImplementationBlocked }
        step Sixth { rum: "make", Passed => exit TaskCommitted, Failed => exit ImplementationBlocked }
    }
}

fn main() {}
