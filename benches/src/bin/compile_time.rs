//! Prints the table of compile times, or with `--growth` how they grow with the size of the
//! machine.

use std::process::ExitCode;
use std::time::Duration;

use surefire_benches::compile_time::{
    BASELINE, CONTENDERS, Contender, EQUIVALENT, Limits, Measured, contender, measure,
};

const USAGE: &str = "usage: compile_time [--growth] [--steps <n>] [--repeat <n>] [<contender>…]";
const STEPS: usize = 500;
const GROWTH: [usize; 4] = [250, 500, 1000, 2000];
const GROWING: [&str; 3] = [BASELINE, "surefire", "surefire-proves"];

fn main() -> ExitCode {
    let request = match Request::parse(std::env::args().skip(1)) {
        Ok(request) => request,
        Err(problem) => {
            eprintln!("{problem}\n{USAGE}\n\ncontenders:");
            for contender in CONTENDERS {
                eprintln!("  {}", contender.name);
            }
            return ExitCode::FAILURE;
        }
    };
    let limits = Limits { repetitions: request.repetitions, timeout: Duration::from_secs(120) };
    match measure(&request.plan(), &limits) {
        Ok(rows) if request.is_growth => print_growth(&rows),
        Ok(rows) => print_comparison(&rows),
        Err(problem) => {
            eprintln!("the compile times could not be measured: {problem}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

struct Request {
    is_growth: bool,
    steps: usize,
    repetitions: usize,
    contenders: Vec<&'static Contender>,
}

impl Request {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut request =
            Self { is_growth: false, steps: STEPS, repetitions: 5, contenders: Vec::new() };
        while let Some(argument) = arguments.next() {
            let mut number = || {
                let number = arguments.next().and_then(|text| text.parse().ok());
                number
                    .filter(|number| *number > 0)
                    .ok_or_else(|| format!("`{argument}` needs a number"))
            };
            match argument.as_str() {
                "--growth" => request.is_growth = true,
                "--steps" => request.steps = number()?,
                "--repeat" => request.repetitions = number()?,
                name => {
                    let found = contender(name).ok_or_else(|| format!("no contender `{name}`"))?;
                    request.contenders.push(found);
                }
            }
        }
        Ok(request)
    }

    /// Each contender at each size. Without names on the command line these are all contenders, or
    /// with `--growth` only those whose growth is of interest.
    fn plan(&self) -> Vec<(&'static Contender, usize)> {
        let wanted = |candidate: &&Contender| match self.contenders.as_slice() {
            [] if self.is_growth => GROWING.contains(&candidate.name),
            [] => true,
            named => named.iter().any(|named| named.name == candidate.name),
        };
        let sizes = if self.is_growth { &GROWTH[..] } else { &[self.steps] };
        CONTENDERS
            .iter()
            .filter(wanted)
            .flat_map(|contender| sizes.iter().map(move |steps| (contender, *steps)))
            .collect()
    }
}

fn print_comparison(rows: &[Measured]) {
    let seconds_of = |name: &str| {
        let row = rows.iter().find(|row| row.contender.name == name);
        row.and_then(|row| row.seconds.as_ref().ok()).copied()
    };
    let (lean, equivalent) = (seconds_of(BASELINE), seconds_of(EQUIVALENT));
    println!(
        "| contender | steps | processor time, s | ratio to {BASELINE} | ratio to {EQUIVALENT} |"
    );
    println!("|---|--:|--:|--:|--:|");
    for Measured { contender, steps, seconds } in rows {
        let name = contender.name;
        match seconds {
            Ok(seconds) => {
                let ratio =
                    |to: Option<f64>| to.map_or("–".into(), |to| format!("{:.2}", seconds / to));
                println!(
                    "| {name} | {steps} | {seconds:.2} | {} | {} |",
                    ratio(lean),
                    ratio(equivalent)
                );
            }
            Err(why) => println!("| {name} | {steps} | {why} | – | – |"),
        }
    }
}

fn print_growth(rows: &[Measured]) {
    println!("| contender | steps | processor time, s | per step, ms |");
    println!("|---|--:|--:|--:|");
    for Measured { contender, steps, seconds } in rows {
        let name = contender.name;
        match seconds {
            Ok(seconds) => {
                let per_step = seconds * 1000.0 / *steps as f64;
                println!("| {name} | {steps} | {seconds:.2} | {per_step:.2} |");
            }
            Err(why) => println!("| {name} | {steps} | {why} | – |"),
        }
    }
}
