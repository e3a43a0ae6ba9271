mod recipes {
    #[derive(Debug, Clone, Copy, surefire::Registry)]
    enum Exits {
        #[reason(category = completed, message = "Done")]
        Done,
    }

    surefire::recipe! {
        pub recipe Example {
            initial: Work,
            exits: Exits,
            step Work { prompt: "Work.", outcomes: [Complete], Complete => exit Done }
        }
    }
}

fn main() {
    let _ = recipes::Example::begin();
}
