surefire::recipe! {
    recipe Once {
        initial: Work,
        guardrails: { max_restarts: 3 },
        step Work {
            prompt: "Work.",
            outcomes: [Complete],
            Complete => restart Again,
        }
    }
}

surefire::recipe! {
    recipe Again {
        initial: Work,
        step Work {
            prompt: "Work.",
            outcomes: [Complete],
            Complete => exit TaskCommitted,
        }
    }
}

static CATALOG: surefire::Catalog = surefire::catalog![Once];

fn main() {}
