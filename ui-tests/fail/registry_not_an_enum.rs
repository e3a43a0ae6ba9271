#[derive(Debug, Clone, Copy, surefire::Registry)]
struct MyExits;

fn main() {}
