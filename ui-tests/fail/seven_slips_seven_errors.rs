surefire::recipe! {
    recipe Loaf {
        initial = Knead,
        max_step_visits: 3,
        state Knead {
            prompt: "Knead.",
            outcomes: (Done, Sticky),
            Done => goto Bake,
            Sticky => Knead,
        }
        step Bake {
            prompt: "Bake.",
            outcomes: [Baked, Burnt],
            Baked: return TaskCommitted,
            Burnt => Knead,
        }
    }
}
fn main() {
    let _ = Loaf::begin();
}
