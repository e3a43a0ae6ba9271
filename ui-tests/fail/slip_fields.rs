//! Fields with another mark, another name, or in another place.

surefire::recipe! {
    recipe Loaf {
        start: Knead,
        label "Loaf",
        limits: { max_step_visits: 3 },
        prompt: "Bake bread.",
        step Knead {
            prompt => "Knead.",
            isolate: true,
            outcomes: [Done, Sticky],
            Done => Test,
            Sticky => Knead,
        }
        step Test {
            command: "make check",
            time: 10 m,
            max_visits: 2 then Knead,
            Passed => exit TaskCommitted,
            Failed => Knead,
        }
    }
}

fn main() {
    let _ = Loaf::begin().done();
}
