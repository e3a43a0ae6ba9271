//! Lines as they are while they are being typed: what follows them is still read.

surefire::recipe! {
    recipe Loaf {
        label:
        initial: Knead,
        guardrails: { max_ max_step_visits: 3 },
        step Knead {
            prompt:
            outcomes: [Done, Sticky],
            Done =>
            Sticky => Knead,
        }
        step Bake {
            prompt: "Bake.",
            outcomes: [Baked, Burnt],
            Baked => exit
            Burnt => Knead,
        }
    }
}

fn main() {
    let _ = Loaf::begin().done();
}
