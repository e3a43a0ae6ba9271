surefire::recipe! {
    recipe Nothing {
        scope: {},
        needs: {},
        initial: Work,
        step Work { prompt: "Work.", outcomes: [Complete], Complete => exit TaskCommitted }
    }
}

surefire::recipe! {
    recipe Lists {
        scope: { allow: [], deny: [] },
        initial: Work,
        step Work { prompt: "Work.", outcomes: [Complete], Complete => exit TaskCommitted }
    }
}

fn main() {
    drop((Nothing::begin(), Lists::begin()));
}
