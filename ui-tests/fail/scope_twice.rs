surefire::recipe! {
    recipe Example {
        scope: { allow: ["src/**"], allow: ["docs/**"] },
        scope: { deny: [".github/**"] },
        allow_lockfiles: true,
        allow_lockfiles: false,
        needs: { clean_tree },
        needs: { clean_tree },
        isolate: true,
        isolate: true,
        initial: Work,
        step Work { prompt: "Work.", outcomes: [Complete], Complete => exit TaskCommitted }
    }
}

fn main() {
    drop(Example::begin());
}
