surefire::recipe! {
    recipe Example {
        initial: _1,

        step _1 {
            prompt: "Work.",
            outcomes: [_2],
            _2 => _3,
        }

    }
}

fn main() {}
