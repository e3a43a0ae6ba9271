mod elsewhere {
    surefire::recipe! {
        pub recipe Again {
            initial: Work,
            step Work { prompt: "Work.", outcomes: [Complete], Complete => exit TaskCommitted }
        }
    }
    #[allow(unused_imports)]
    pub use Again as At;
}

surefire::recipe! {
    recipe Example {
        initial: Work,
        guardrails: { max_restarts: 3 },

        step Work {
            prompt: "Work.",
            outcomes: [Complete],
            Complete => restart elsewhere::At,
        }

    }
}

fn main() {}
