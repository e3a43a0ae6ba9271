use surefire::Registry;

#[derive(Debug, Clone, Copy, Registry)]
enum MyExits {
    #[reason(category = completed, message = "Shipped", remedy = agian)]
    Shipped,
    #[reason(category = error, message = "Sunk", exit_code = 40, remedy = raise)]
    Sunk,
    #[reason(category = guardrail, message = "Too slow", exit_code = 41, remedy = raise(tme))]
    TooSlow,
    #[reason(category = guardrail, message = "Too dear", exit_code = 42, remedy = resume(budget))]
    TooDear,
    #[reason(category = error, message = "Lost", exit_code = 43, remedy = "doctor")]
    Lost,
    #[reason(category = error, message = "Stranded", exit_code = 44, hint = "Wait for the tide.")]
    Stranded,
}

fn main() {}
