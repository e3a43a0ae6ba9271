//! `transitions <contender> <n>` makes n transitions and prints the exits it counted and the blocks
//! it allocated meanwhile. The binary `table` runs it under callgrind.

use std::process::ExitCode;

use surefire_benches::allocations::Counting;
use surefire_benches::transitions::{CONTENDERS, contender};

#[global_allocator]
static ALLOCATOR: Counting = Counting::new();

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, n] = arguments.as_slice() else {
        return usage();
    };
    let (Some(contender), Ok(n)) = (contender(name), n.parse()) else {
        return usage();
    };

    let before = ALLOCATOR.blocks();
    let checksum = (contender.run)(n);
    let allocations = ALLOCATOR.blocks() - before;

    println!("checksum {checksum:?}");
    println!("allocations {allocations}");
    ExitCode::SUCCESS
}

fn usage() -> ExitCode {
    eprintln!("usage: transitions <contender> <n>\n\ncontenders:");
    for contender in CONTENDERS {
        eprintln!("  {}", contender.name);
    }
    ExitCode::FAILURE
}
