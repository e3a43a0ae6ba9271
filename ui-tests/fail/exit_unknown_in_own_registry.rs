use surefire::Registry;

#[derive(Debug, Clone, Copy, Registry)]
enum MyExits {
    #[reason(category = completed, message = "Shipped")]
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
            outcomes: [Committed],
            Committed => exit Shiped,
        }
    }
}

fn main() {}
