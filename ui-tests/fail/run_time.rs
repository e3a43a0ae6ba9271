surefire::recipe! {
    recipe Example {
        initial: First,
        step First { run: "make", time: 0s, Passed => Second, Failed => exit ImplementationBlocked }
        step Second { run: "make", time: 10, Passed => Third, Failed => exit ImplementationBlocked }
        step Third { run: "make", time: 10min, Passed => Fourth, Failed => exit ImplementationBlocked }
        step Fourth { run: "make", time: 1h30m, Passed => Fifth, Failed => exit ImplementationBlocked }
        step Fifth { run: "make", time: 99999999999999999999h, Passed => Sixth, Failed => exit ImplementationBlocked }
        step Sixth { run: "make", time: 1.5h, Passed => Seventh, Failed => exit ImplementationBlocked }
        step Seventh { run: "make", time: "10m", Passed => Eighth, Failed => exit ImplementationBlocked }
        step Eighth { run: "make", time: 10 m, Passed => exit TaskCommitted, Failed => exit ImplementationBlocked }
    }
}

fn main() {}
