surefire::steps! {
    pub(crate) steps rest(then, other) {
        step Rest { prompt: "Rest.", outcomes: [Done, Bad], Done => then, Bad => other }
    }
}
surefire::recipe! {
    recipe Loaf {
        initial: Knead,
        step Knead { prompt: "Knead.", outcomes: [Done], Done => Rest }
        include rest(Bake, exit TaskCommitted);
        step Bake { prompt: "Bake.", outcomes: [Baked], Baked => exit TaskCommitted }
    }
}
fn main() {
    let _ = Loaf::begin();
}
