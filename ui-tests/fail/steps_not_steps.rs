surefire::steps! {
    fn review_loop() {}
}

fn main() {}
