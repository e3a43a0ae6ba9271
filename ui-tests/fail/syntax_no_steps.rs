surefire::recipe! {
    recipe Example {}
}

fn main() {}
