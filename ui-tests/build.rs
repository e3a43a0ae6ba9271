//! Writes random recipes, the same ones every time, for `tests/random_recipes.rs` to walk through.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::{env, fs};

const RECIPES: u64 = 40;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it for build scripts"));
    let mut source = String::new();
    let mut walks = String::new();
    for number in 0..RECIPES {
        let recipe = Recipe::random(number);
        source += &recipe.source();
        // Writing to a string cannot fail.
        let _ = writeln!(walks, "    walk::<Random{number}, random{number}::Anywhere>(choices);");
    }
    let _ = writeln!(source, "fn walk_all(choices: &[u8]) {{\n{walks}}}");
    fs::write(folder.join("random_recipes.rs"), source).expect("the output folder can be written to");
}

/// A recipe that is valid by construction.
struct Recipe {
    number: u64,
    guardrails: String,
    steps: Vec<Vec<Next>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Step(usize),
    Exit,
    Restart,
}

impl Recipe {
    fn random(number: u64) -> Self {
        let mut random = Random(0x2545_F491_4F6C_DD1D ^ (number + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let count = 1 + random.below(10);
        let mut steps = vec![Vec::new(); count];
        // A tree from the first step makes every step reachable.
        for step in 1..count {
            let parent = random.below(step);
            steps[parent].push(Next::Step(step));
        }
        for outcomes in &mut steps {
            for _ in 0..random.below(4) {
                outcomes.push(if random.below(3) == 0 {
                    Next::Exit
                } else {
                    Next::Step(random.below(count))
                });
            }
            // The end of a branch, and some of the others, can end the run: then every step can.
            if outcomes.iter().all(|next| *next == Next::Exit) || random.below(2) == 0 {
                outcomes.push(Next::Exit);
            }
        }
        let restarts = random.below(4) == 0;
        if restarts {
            let step = random.below(count);
            steps[step].push(Next::Restart);
        }
        Self::let_all_end(&mut steps);
        let visits = 1 + random.below(4);
        let total = visits + random.below(40);
        let limits = match random.below(3) {
            0 => format!("max_step_visits: {visits}"),
            1 => format!("max_total_steps: {total}"),
            _ => format!("max_step_visits: {visits}, max_total_steps: {total}"),
        };
        let restarts = if restarts { ", max_restarts: 2" } else { "" };
        let other = if random.below(3) == 0 { ", exit_on_other: false" } else { "" };
        Self { number, guardrails: format!("{limits}{restarts}{other}"), steps }
    }

    /// Gives an exit to every step from which none can be reached.
    fn let_all_end(steps: &mut [Vec<Next>]) {
        loop {
            let mut can_end: Vec<_> =
                steps.iter().map(|nexts| nexts.iter().any(|next| !matches!(next, Next::Step(_)))).collect();
            for _ in 0..steps.len() {
                for (step, nexts) in steps.iter().enumerate() {
                    can_end[step] |= nexts.iter().any(|next| matches!(next, Next::Step(to) if can_end[*to]));
                }
            }
            match can_end.iter().position(|can| !can) {
                Some(stuck) => steps[stuck].push(Next::Exit),
                None => return,
            }
        }
    }

    fn source(&self) -> String {
        let (number, guardrails) = (self.number, &self.guardrails);
        let mut steps = String::new();
        let mut walks = String::new();
        for (step, nexts) in self.steps.iter().enumerate() {
            let names: Vec<_> = (0..nexts.len()).map(|outcome| format!("O{outcome}")).collect();
            let names = names.join(", ");
            let _ = write!(
                steps,
                "        step S{step} {{\n            prompt: \"Go.\",\n            outcomes: [{names}],\n"
            );
            for (outcome, next) in nexts.iter().enumerate() {
                let next = match next {
                    Next::Step(to) => format!("S{to}"),
                    Next::Exit => "exit TaskCommitted".to_owned(),
                    Next::Restart => format!("restart Random{number}"),
                };
                let _ = writeln!(steps, "            O{outcome} => {next},");
            }
            steps += "        }\n";
            let mut targets: Vec<_> = nexts
                .iter()
                .filter_map(|next| match next {
                    Next::Step(to) => Some(format!("S{to}")),
                    Next::Exit | Next::Restart => None,
                })
                .collect();
            targets.sort();
            targets.dedup();
            let restart = if nexts.contains(&Next::Restart) {
                format!(" restart Random{number}")
            } else {
                String::new()
            };
            let _ = writeln!(
                walks,
                "    S{step}: S{step}Outcome, S{step}Next => [{}]{restart};",
                targets.join(", ")
            );
        }
        format!(
            "surefire::recipe! {{\n    pub recipe Random{number} {{\n        initial: S0,\n        \
             guardrails: {{ {guardrails} }},\n{steps}    }}\n}}\n\
             typed_walk! {{\n    Random{number}, self::random{number},\n{walks}}}\n"
        )
    }
}

/// Xorshift: the same numbers on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).expect("it is below a usize")
    }
}
