use surefire::Registry;

#[derive(Debug, Clone, Copy, Registry)]
enum MyExits {
    #[reason(category = completed, message = "Shipped {version}")]
    Shipped,
}

fn main() {}
