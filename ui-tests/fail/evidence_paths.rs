surefire::recipe! {
    recipe Example {
        initial: Work,
        step Work {
            prompt: "Work.",
            outcomes: [A, B, C, D, E, F],
            A => exit TaskCommitted if exists "",
            B => exit TaskCommitted if exists "/etc/passwd",
            C => exit TaskCommitted if exists "docs/../../secrets",
            D => exit TaskCommitted if exists,
            E => exit TaskCommitted if "  ",
            F => exit TaskCommitted if ["cargo test"],
        }
    }
}

fn main() {}
