surefire::steps! {
    steps tail(done, given_up) {
        step Tail {
            prompt: "Finish.",
            outcomes: [Complete, GivenUp],
            Complete => done,
            GivenUp => given_up,
        }
    }
}

surefire::recipe! {
    recipe Example {
        initial: Tail,
        include tail(done -> exit TaskCommitted, given_up => exit);
    }
}

fn main() {}
