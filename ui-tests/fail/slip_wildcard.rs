surefire::recipe! {
    recipe Loaf {
        initial: Knead,
        guardrails: { max_step_visits: 3 },
        step Knead {
            prompt: "Knead.",
            outcomes: [Done, Sticky],
            Done => Bake,
            Sticky => Knead,
        }
        step Bake {
            prompt: "Bake.",
            outcomes: [Baked, Burnt],
            Baked => exit TaskCommitted,
            _ => Knead,
        }
    }
}
fn main() {
    let _ = Loaf::begin();
}
