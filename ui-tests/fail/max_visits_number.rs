surefire::recipe! {
    recipe Example {
        initial: First,
        step First { run: "make", max_visits: 0, Passed => Second, Failed => First }
        step Second { run: "make", max_visits: -1, Passed => Third, Failed => First }
        step Third { run: "make", max_visits: 3h, Passed => Fourth, Failed => First }
        step Fourth { run: "make", max_visits: 5_000_000_000, Passed => Fifth, Failed => First }
        step Fifth { run: "make", max_visits: "3", Passed => Sixth, Failed => First }
        step Sixth { run: "make", max_visits: true, Passed => Seventh, Failed => First }
        step Seventh { run: "make", max_visits: , Passed => exit TaskCommitted, Failed => First }
    }
}

fn main() {}
