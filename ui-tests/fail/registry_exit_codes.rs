use surefire::Registry;

#[derive(Debug, Clone, Copy, Registry)]
enum MyExits {
    #[reason(category = completed, message = "Shipped", exit_code = 40)]
    Shipped,
    #[reason(category = error, message = "Sunk")]
    Sunk,
    #[reason(category = error, message = "Lost", exit_code = 2)]
    Lost,
    #[reason(category = error, message = "Stuck", exit_code = 41)]
    Stuck,
    #[reason(category = error, message = "Stuck too", exit_code = 41)]
    StuckToo,
}

fn main() {}
