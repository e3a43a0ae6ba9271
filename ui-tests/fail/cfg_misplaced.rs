surefire::recipe! {
    recipe Example {
        initial: Work,

        #[cfg]
        step Work {
            prompt: "Work.",
            outcomes: [Complete, Again],
            #[cfg_attr(test, doc = "Done.")]
            Complete => exit TaskCommitted,
            #[derive(Hash)]
            Again => exit NoChangesToCommit,
        }
    }
}

fn main() {}
