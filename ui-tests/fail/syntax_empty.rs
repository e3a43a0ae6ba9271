surefire::recipe! {}

fn main() {}
