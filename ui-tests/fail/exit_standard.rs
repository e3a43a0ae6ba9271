use surefire::Registry;

#[derive(Debug, Clone, Copy, Registry)]
enum MyExits {
    #[reason(category = completed, message = "Shipped")]
    Shipped,
    #[reason(category = error, message = "Sunk", exit_code = 64)]
    Sunk,
}

surefire::recipe! {
    recipe Example {
        initial: Work,
        exits: MyExits,

        step Work {
            prompt: "Work.",
            outcomes: [Complete, Again, Lost, Found],
            Complete => exit Shipped,
            Again => exit ExitReason::TaskComitted,
            Lost => exit surefire::ExitReason::TaskCommitted,
            Found => exit ExitReason::,
        }
    }
}

fn main() {}
