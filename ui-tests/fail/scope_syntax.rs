surefire::recipe! {
    recipe Lists {
        scope: ["src/**"],
        allow_lockfiles: yes,
        needs: [task],
        isolate: 1,
        initial: Work,
        step Work { prompt: "Work.", outcomes: [Complete], Complete => exit TaskCommitted }
    }
}

surefire::recipe! {
    recipe Patterns {
        scope: { "src/**", allow: "docs/**", deny: [github] },
        allow_lockfiles: "true",
        needs: { clean_tree: true },
        isolate,
        initial: Work,
        step Work { prompt: "Work.", outcomes: [Complete], Complete => exit TaskCommitted }
    }
}

surefire::recipe! {
    recipe Commas {
        scope: { allow: ["src/**" "docs/**"] deny: [".github/**"] },
        scopes: { deny: [".github/**"] },
        alow_lockfiles: true,
        isolated: true,
        needs: { clean_tree task },
        need: { clean_tree },
        initial: Work,
        step Work { prompt: "Work.", outcomes: [Complete], Complete => exit TaskCommitted }
    }
}

fn main() {
    drop((Lists::begin(), Patterns::begin(), Commas::begin()));
}
