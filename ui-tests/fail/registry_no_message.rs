use surefire::Registry;

#[derive(Debug, Clone, Copy, Registry)]
enum MyExits {
    #[reason(category = completed)]
    Shipped,
    Sunk,
}

fn main() {}
