use surefire::Registry;

#[derive(Debug, Clone, Copy, Registry)]
enum MyExits {
    #[reason(category = complete, message = "Shipped")]
    Shipped,
    #[reason(category = error, message = "Sunk", exitcode = 40)]
    Sunk,
}

fn main() {}
