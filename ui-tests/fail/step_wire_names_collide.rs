surefire::recipe! {
    recipe Example {
        initial: Work,

        step Work {
            prompt: "Work.",
            outcomes: [Complete, Again],
            Complete => CodeReview,
            Again => Code_Review,
        }

        step CodeReview {
            prompt: "Review.",
            outcomes: [Complete],
            Complete => exit TaskCommitted,
        }

        step Code_Review {
            prompt: "Review.",
            outcomes: [Complete],
            Complete => exit TaskCommitted,
        }

    }
}

fn main() {}
