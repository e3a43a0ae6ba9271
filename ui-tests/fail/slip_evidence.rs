//! Evidence as other languages write conditions.

surefire::recipe! {
    recipe Loaf {
        initial: A,
        step A { prompt: "a", outcomes: [X], X => B when clean }
        step B { prompt: "b", outcomes: [X], X => C if (commit && clean) }
        step C { prompt: "c", outcomes: [X], X => D if not clean }
        step D { prompt: "d", outcomes: [X], X if clean => E }
        step E { prompt: "e", outcomes: [X], X => F if make check }
        step F { prompt: "f", outcomes: [X], X => exit(TaskCommitted) }
    }
}

fn main() {
    let _ = Loaf::begin().x();
}
