surefire::recipe! {
    recipe Loaf {
        initial: Knead,
        guardrails: { max_step_visits: 3 },
        step Knead {
            prompt: "Knead.",
            outcomes: [Done, Sticky],
            Done => goto Bake,
            Sticky => Knead,
        }
        step Bake {
            prompt: "Bake.",
            outcomes: [Baked, Burnt],
            Baked => return TaskCommitted,
            Burnt => Knead,
        }
    }
}
fn main() {
    let _ = Loaf::begin();
}
