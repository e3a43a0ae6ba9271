#[derive(Debug, Clone, Copy)]
enum MyExits {
    Shipped,
}

surefire::recipe! {
    recipe Example {
        initial: Work,
        exits: MyExits,

        step Work {
            prompt: "Work.",
            outcomes: [Complete],
            Complete => Commit,
        }

        step Commit {
            prompt: "Commit.",
            outcomes: [Committed, Nothing],
            Committed => exit Shipped,
            Nothing => exit Shipped,
        }
    }
}

fn main() {}
