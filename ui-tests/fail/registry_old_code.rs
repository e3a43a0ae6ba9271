use surefire::Registry;

#[derive(Debug, Clone, Copy, Registry)]
enum MyExits {
    #[reason(category = completed, message = "Something else")]
    Other,
}

fn main() {}
