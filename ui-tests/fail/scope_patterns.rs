surefire::recipe! {
    recipe Example {
        scope: {
            allow: [
                "",
                "  ",
                "!src/**",
                "docs/\\*.md",
                "/",
                "../other/**",
                "./src",
                "src//main.rs",
            ],
            deny: [
                "**.rs",
                "src/***",
                "[a-z",
                "[z-a]",
                "[^a]",
                "*.{ts,tsx}",
                " secrets",
                "~/.ssh/**",
            ],
        },
        initial: Work,
        step Work { prompt: "Work.", outcomes: [Complete], Complete => exit TaskCommitted }
    }
}

fn main() {
    drop(Example::begin());
}
