#[derive(Debug, surefire::Registry)]
enum MyExits<T> {
    #[reason(category = completed, message = "Shipped")]
    Shipped,
}

fn main() {}
