surefire::recipe! {
    recipe Loaf {
        initial: Knead,
        proves: { Bake needs Knead.Done },
        step Knead { prompt: "Knead.", outcomes: [Done], Done => Bake }
        step Bake { prompt: "Bake.", outcomes: [Baked], Baked => exit TaskCommitted }
        proves: { Knead needs Bake.Baked },
    }
}

fn main() {}
