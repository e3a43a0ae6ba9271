surefire::recipe! {
    recipe Example {
        initial: Work,
        exits: Nowhere,

        step Work {
            prompt: "Work.",
            outcomes: [Complete, Again],
            Complete => exit Done,
            Again => exit NotDone,
        }

    }
}

fn main() {}
