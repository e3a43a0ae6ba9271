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
        let _ = writeln!(walks, "    walk::<Random{number}, random{number}::AnyStep>(choices);");
    }
    let _ = writeln!(source, "fn walk_all(choices: &[u8]) {{\n{walks}}}");
    fs::write(folder.join("random_recipes.rs"), source)
        .expect("the output folder can be written to");
}

/// A recipe that is valid by construction.
struct Recipe {
    number: u64,
    guardrails: String,
    steps: Vec<Vec<Next>>,
    /// What stands before its first step beside that.
    fields: String,
    /// For each step, numbers that decide what else it says.
    looks: Vec<usize>,
    /// For each step, how often it may be visited, and where a run goes then.
    limits: Vec<Option<(usize, Option<Next>)>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Step(usize),
    Exit,
    Restart,
}

impl Recipe {
    fn random(number: u64) -> Self {
        let mut random =
            Random(0x2545_F491_4F6C_DD1D ^ (number + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
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
        let step_limits = Self::step_limits(&steps, &mut random);
        let visits = 1 + random.below(4);
        let total = visits.max(4) + random.below(40);
        let limits = match random.below(3) {
            0 => format!("max_step_visits: {visits}"),
            1 => format!("max_total_steps: {total}"),
            _ => format!("max_step_visits: {visits}, max_total_steps: {total}"),
        };
        let restarts = if restarts { ", max_restarts: 2" } else { "" };
        let other = if random.below(3) == 0 { ", exit_on_other: false" } else { "" };
        let looks: Vec<_> = steps.iter().map(|_| random.below(64)).collect();
        let mut recipe = Self {
            number,
            guardrails: String::new(),
            fields: String::new(),
            steps,
            looks,
            limits: step_limits,
        };
        let rounds = if recipe.has_findings() { ", max_review_rounds: 2" } else { "" };
        recipe.guardrails = format!("{limits}{restarts}{other}{rounds}");
        recipe.fields = Self::file_fields(&mut random);
        recipe
    }

    /// What a recipe says about files, none of which changes where a run can go.
    fn file_fields(random: &mut Random) -> String {
        let fields = [
            "scope: { allow: [\"src/**\"] },",
            "scope: { allow: [\"/docs/\", \"*.md\"], deny: [\"**/.env*\"] },",
            "allow_lockfiles: true,",
            "needs: { clean_tree },",
            "needs: { task, clean_tree },",
            "isolate: true,",
            "isolate: false, scope: { deny: [\"[a-z]?\"] },",
            "",
            "",
        ];
        fields[random.below(fields.len())].to_owned()
    }

    /// Whether a step is a command: one with two outcomes can be.
    fn is_command(&self, step: usize) -> bool {
        self.steps[step].len() == 2 && self.looks[step].is_multiple_of(2)
    }

    /// What stands in a step beside its mappings. None of it changes where a run can go.
    fn fields(&self, step: usize) -> String {
        let look = self.looks[step];
        if self.is_command(step) {
            let command =
                if look.is_multiple_of(4) { "\"cargo test\"" } else { "[\"cargo\", \"test\"]" };
            return format!("            run: {command},\n            time: {}m,\n", look + 1);
        }
        let names: Vec<_> =
            (0..self.steps[step].len()).map(|outcome| format!("O{outcome}")).collect();
        let mut fields = format!(
            "            prompt: \"Go.\",\n            outcomes: [{}],\n",
            names.join(", ")
        );
        if look.is_multiple_of(3) {
            fields += "            tools: [edit, \"cargo *\"],\n";
        }
        if look.is_multiple_of(5) && self.steps[step].iter().any(|next| *next != Next::Exit) {
            fields += "            verify: [\"cargo test\"],\n";
        }
        fields
    }

    /// How an outcome of a step is written.
    fn outcome(&self, step: usize, outcome: usize) -> String {
        let names = ["Passed", "Failed"];
        if self.is_command(step) { names[outcome].to_owned() } else { format!("O{outcome}") }
    }

    /// Whether an outcome carries findings, which no form of a walk takes.
    fn findings(&self, step: usize, outcome: usize) -> &'static str {
        let carries = !self.is_command(step) && (self.looks[step] + outcome).is_multiple_of(4);
        if carries { "(findings)" } else { "" }
    }

    fn has_findings(&self) -> bool {
        let outcomes = |step: usize| 0..self.steps[step].len();
        (0..self.steps.len())
            .any(|step| outcomes(step).any(|outcome| !self.findings(step, outcome).is_empty()))
    }

    /// What the engine would have to find, which no form of a walk asks for.
    fn evidence(&self, step: usize, outcome: usize) -> &'static str {
        let evidence = [
            " if commit",
            " if no_commit && clean",
            " if exists \"x\" && \"make\"",
            "",
            "",
            "",
            "",
        ];
        if self.is_command(step) {
            ""
        } else {
            evidence[(self.looks[step] + outcome) % evidence.len()]
        }
    }

    /// Limits of steps that a run can visit twice. They lead to later steps, so they cannot lead to
    /// each other in a circle.
    fn step_limits(steps: &[Vec<Next>], random: &mut Random) -> Vec<Option<(usize, Option<Next>)>> {
        let edges = edges(steps);
        let returns = |step: usize| edges[step].iter().any(|next| leads(&edges, *next, step));
        let mut limit = |step: usize| {
            if random.below(2) == 0 || !returns(step) {
                return None;
            }
            let later = steps.len() - step - 1;
            let next = match random.below(4) {
                0 => None,
                1 => Some(Next::Exit),
                _ if later > 0 => Some(Next::Step(step + 1 + random.below(later))),
                _ => None,
            };
            Some((1 + random.below(4), next))
        };
        (0..steps.len()).map(&mut limit).collect()
    }

    /// How a step's limit is written.
    fn limit(&self, step: usize) -> String {
        match self.limits[step] {
            None => String::new(),
            Some((visits, next)) => {
                let next = match next {
                    Some(Next::Step(to)) => format!(" => S{to}"),
                    Some(Next::Exit) => " => exit ClarificationNeeded".to_owned(),
                    Some(Next::Restart) | None => String::new(),
                };
                format!("            max_visits: {visits}{next},\n")
            }
        }
    }

    /// The steps that a run can enter from each step: what its outcomes lead to, and what the
    /// limits of those lead to where a run can have come from there.
    fn followers(&self) -> Vec<Vec<usize>> {
        let mut edges = edges(&self.steps);
        loop {
            let mut added = None;
            for from in 0..edges.len() {
                for to in &edges[from] {
                    if let Some((_, Some(Next::Step(instead)))) = self.limits[*to]
                        && !edges[from].contains(&instead)
                        && leads(&edges, *to, from)
                    {
                        added = Some((from, instead));
                    }
                }
            }
            match added {
                Some((from, instead)) => edges[from].push(instead),
                None => break,
            }
        }
        for followers in &mut edges {
            followers.sort_unstable();
            followers.dedup();
        }
        edges
    }

    /// Gives an exit to every step from which none can be reached.
    fn let_all_end(steps: &mut [Vec<Next>]) {
        loop {
            let mut can_end: Vec<_> = steps
                .iter()
                .map(|nexts| nexts.iter().any(|next| !matches!(next, Next::Step(_))))
                .collect();
            for _ in 0..steps.len() {
                for (step, nexts) in steps.iter().enumerate() {
                    can_end[step] |=
                        nexts.iter().any(|next| matches!(next, Next::Step(to) if can_end[*to]));
                }
            }
            match can_end.iter().position(|can| !can) {
                Some(stuck) => steps[stuck].push(Next::Exit),
                None => return,
            }
        }
    }

    fn source(&self) -> String {
        let Self { number, guardrails, fields, .. } = self;
        let mut steps = String::new();
        let mut walks = String::new();
        let followers = self.followers();
        for (step, nexts) in self.steps.iter().enumerate() {
            let _ =
                write!(steps, "        step S{step} {{\n{}{}", self.fields(step), self.limit(step));
            for (outcome, next) in nexts.iter().enumerate() {
                let next = match next {
                    Next::Step(to) => format!("S{to}"),
                    Next::Exit => "exit TaskCommitted".to_owned(),
                    Next::Restart => format!("restart Random{number}"),
                };
                let (findings, evidence) =
                    (self.findings(step, outcome), self.evidence(step, outcome));
                let outcome = self.outcome(step, outcome);
                let _ = writeln!(steps, "            {outcome}{findings} => {next}{evidence},");
            }
            steps += "        }\n";
            let targets: Vec<_> = followers[step].iter().map(|to| format!("S{to}")).collect();
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
             {fields}\n        guardrails: {{ {guardrails} }},\n{steps}    }}\n}}\n\
             typed_walk! {{\n    Random{number}, self::random{number},\n{walks}}}\n"
        )
    }
}

/// The steps that the outcomes of each step lead to.
fn edges(steps: &[Vec<Next>]) -> Vec<Vec<usize>> {
    let edges = steps.iter().map(|nexts| {
        let steps = nexts.iter().filter_map(|next| match next {
            Next::Step(to) => Some(*to),
            Next::Exit | Next::Restart => None,
        });
        steps.collect()
    });
    edges.collect()
}

/// Whether a run can come from one step to another.
fn leads(edges: &[Vec<usize>], from: usize, to: usize) -> bool {
    let mut reached = vec![false; edges.len()];
    let mut pending = vec![from];
    while let Some(step) = pending.pop() {
        if step == to {
            return true;
        }
        if !std::mem::replace(&mut reached[step], true) {
            pending.extend(&edges[step]);
        }
    }
    false
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
