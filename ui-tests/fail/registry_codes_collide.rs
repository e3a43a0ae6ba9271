use surefire::Registry;

#[derive(Debug, Clone, Copy, Registry)]
enum MyExits {
    #[reason(category = completed, message = "Shipped", code = "done")]
    Shipped,
    #[reason(category = completed, message = "Done")]
    Done,
    #[reason(category = completed, message = "Committed")]
    TaskCommitted,
}

fn main() {}
