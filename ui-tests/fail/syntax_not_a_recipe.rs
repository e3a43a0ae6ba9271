surefire::recipe! {
    struct Example;
}

fn main() {}
