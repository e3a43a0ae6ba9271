use surefire::Registry;

#[derive(Debug, Clone, Copy, Registry)]
#[registry(standard)]
enum MyExits {
    #[reason(category = error, message = "Sunk", goal_met = true)]
    Sunk,
    #[reason(category = completed, message = "Shipped", title = "")]
    Shipped,
}

fn main() {}
