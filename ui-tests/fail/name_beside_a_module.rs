//! The recipe's module has the name of another one.

mod loaf {}

surefire::recipe! {
    recipe Loaf {
        initial: Bake,
        step Bake { prompt: "Bake.", outcomes: [Baked], Baked => exit TaskCommitted }
    }
}

fn main() {
    let _ = Loaf::begin().baked();
}
