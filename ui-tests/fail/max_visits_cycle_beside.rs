// Once `Review` is full, `Fix` leads back to `Fix`: that cycle has no limit.
surefire::recipe! {
    recipe Example {
        initial: Review,
        step Review {
            prompt: "Review it.",
            max_visits: 3 => Fix,
            outcomes: [Fine, Issues],
            Fine => exit TaskCommitted,
            Issues => Fix,
        }
        step Fix { prompt: "Fix it.", outcomes: [Fixed], Fixed => Review }
    }
}

fn main() {}
