use surefire::Registry;

#[derive(Debug, Clone, Copy, Registry)]
enum MyExits {
    #[reason(category = completed, category = error, message = "Shipped")]
    Shipped,
}

fn main() {}
