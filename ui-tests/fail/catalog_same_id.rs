surefire::recipe! {
    recipe First {
        id: "example",
        initial: Work,
        step Work {
            prompt: "Work.",
            outcomes: [Complete],
            Complete => exit TaskCommitted,
        }
    }
}

surefire::recipe! {
    recipe Second {
        id: "example",
        initial: Work,
        step Work {
            prompt: "Work.",
            outcomes: [Complete],
            Complete => exit TaskCommitted,
        }
    }
}

static CATALOG: surefire::Catalog = surefire::catalog![
    First,
    Second,
];

fn main() {}
