surefire::recipe! {
    recipe Example {
        scope: {
            allow: ["src/**", "docs/**", r"src/**"],
            deny: [".github/**", "docs/**", ".github/**"],
        },
        initial: Work,
        step Work { prompt: "Work.", outcomes: [Complete], Complete => exit TaskCommitted }
    }
}

fn main() {
    drop(Example::begin());
}
