surefire::recipe! {
    recipe Loaf {
        initial: Knead,
        guardrails: { max_step_visits: 3 },
        step Knead {
            prompt: "Knead.",
            outcomes: [Done, Sticky],
            Done => Bake,
            Sticky => Knead,
            /// Nothing follows.
        }
        step Bake {
            prompt: "Bake.",
            outcomes: [Baked, Burnt],
            Baked => exit TaskCommitted,
            Burnt => Knead,
        }
        /// Nothing follows.
    }
}
fn main() {
    let _ = Loaf::begin();
}
