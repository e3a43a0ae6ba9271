surefire::recipe! {
    recipe Loaf {
        initial: Knead,
        guardrails: { max_step_visits: 3 },
        pub step Knead {
            prompt: "Knead.",
            outcomes: [Done, Sticky],
            Done => Bake,
            Sticky => Knead,
        }
        pub(crate) step Bake {
            prompt: "Bake.",
            outcomes: [Baked, Burnt],
            Baked => exit TaskCommitted,
            Burnt => Knead,
        }
    }
}
fn main() {
    let _ = Loaf::begin();
}
