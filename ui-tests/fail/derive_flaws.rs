use std::cmp::PartialOrd as Sorted;

surefire::recipe! {
    recipe Example {
        initial: Work,
        derive: [Hash, Ord, Ord, Default, Sorted, self::Sorted, serde::Serialize],

        step Work {
            prompt: "Work.",
            outcomes: [Complete],
            Complete => exit TaskCommitted,
        }
    }
}

surefire::recipe! {
    #[derive(PartialOrd)]
    recipe Attribute {
        initial: Work,
        step Work { prompt: "Work.", outcomes: [Complete], Complete => exit TaskCommitted }
    }
}

surefire::recipe! {
    recipe Unlisted {
        initial: Work,
        derive: PartialOrd,
        step Work { prompt: "Work.", outcomes: [Complete], Complete => exit TaskCommitted }
    }
}

fn main() {
    let _ = (example::Step::Work, example::WorkOutcome::Complete, Attribute::begin(), Unlisted::begin());
}
