surefire::steps! { pub(crate) steps rest(then); }

fn main() {}
