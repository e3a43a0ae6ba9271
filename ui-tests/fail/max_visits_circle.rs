surefire::recipe! {
    recipe Example {
        initial: First,
        step First { run: "make", max_visits: 2 => Second, Passed => Second, Failed => First }
        step Second { run: "make", max_visits: 2 => Third, Passed => Third, Failed => First }
        step Third { run: "make", max_visits: 2 => First, Passed => exit TaskCommitted, Failed => First }
    }
}

fn main() {}
