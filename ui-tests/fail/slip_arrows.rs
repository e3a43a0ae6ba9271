//! Arrows of other languages, and marks between outcomes.

surefire::recipe! {
    recipe Loaf {
        initial: A,
        step A { prompt: "a", outcomes: [X], X >= B }
        step B { prompt: "b", outcomes: [X], X ~> C }
        step C { prompt: "c", outcomes: [X], X = D }
        step D { prompt: "d", outcomes: [X], X ==> E }
        step E { prompt: "e", outcomes: [X, Y], (X | Y) => F }
        step F { prompt: "f", outcomes: [X, Y], X or Y => G }
        step G { prompt: "g", outcomes: [X, Y], X, Y => H }
        step H { prompt: "h", outcomes: [X, Y], | X | Y => I }
        step I { prompt: "i", outcomes: [X], on X => J }
        step J { prompt: "j", outcomes: [X], transitions: { X => K } }
        step K { prompt: "k", outcomes: [X], X => { L } }
        step L { prompt: "l", outcomes: [X], X => "M" }
        step M { prompt: "m", outcomes: [X], else => exit TaskCommitted }
    }
}

fn main() {
    let _ = Loaf::begin().x();
}
