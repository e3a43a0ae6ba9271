//! A mark, a modifier or nothing where the word `step` is.

surefire::recipe! {
    recipe Loaf {
        initial: Knead,
        step: Knead { prompt: "Knead.", outcomes: [Done], Done => Rest }
        async step Rest { prompt: "Rest.", outcomes: [Risen], Risen => Bake }
        step Bake: { prompt: "Bake.", outcomes: [Baked], Baked => Cool }
        Cool { prompt: "Cool.", outcomes: [Cold], Cold => Slice }
        step Slice() { prompt: "Slice.", outcomes: [Sliced], Sliced => TheEnd }
        step "the end" { prompt: "Eat.", outcomes: [Eaten], Eaten => exit TaskCommitted }
    }
}

fn main() {
    let _ = Loaf::begin().done();
}
