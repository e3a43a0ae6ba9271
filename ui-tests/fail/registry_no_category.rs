use surefire::Registry;

#[derive(Debug, Clone, Copy, Registry)]
enum MyExits {
    #[reason(message = "Shipped")]
    Shipped,
}

fn main() {}
