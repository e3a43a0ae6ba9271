surefire::recipe! {
    recipe Example {
        initial: Work,
        guardrails: { max_step_visits: 3 },
        step Work {
            prompt: "Work.",
            outcomes: [A, B, C, D, E, F, G],
            A => exit TaskCommitted if commit || changed,
            B => exit TaskCommitted if commit & clean,
            C => exit TaskCommitted if !commit,
            D => exit TaskCommitted if exists("TODO"),
            E => exit TaskCommitted if,
            F => if commit,
            G => exit TaskCommitted if commit and clean,
        }
    }
}

fn main() {}
