surefire::recipe! { recipe Loaf; }

fn main() {}
