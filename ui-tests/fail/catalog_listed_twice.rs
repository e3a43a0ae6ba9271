surefire::recipe! {
    recipe Example {
        initial: Work,
        step Work { prompt: "Work.", outcomes: [Complete], Complete => exit TaskCommitted }
    }
}

static CATALOG: surefire::Catalog = surefire::catalog![Example, Example];

fn main() {}
