surefire::recipe! {
    recipe Loaf {
        initial: Bake,
        include rest { then => Bake }
        step Bake { prompt: "Bake.", outcomes: [Baked], Baked => exit TaskCommitted }
    }
}

fn main() {
    let _ = Loaf::begin();
}
