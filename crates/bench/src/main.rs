//! `prooflight-bench [--quick] [--write-cases DIR]`: our AVL+ and the peer's, in one run on the same input.

mod allocations;
mod dictionary;
mod ergo;
mod floor;
mod machine;
mod report;

use std::path::PathBuf;

use prooflight_bench::{Result, write};

use crate::report::Table;

/// How much a run measures.
#[derive(Clone, Copy)]
struct Plan {
    /// Keys of each dictionary.
    dictionaries: &'static [u64],
    /// Fresh batches on each of them.
    batches: usize,
    /// How often each side verifies each batch.
    repeats: usize,
}

const FULL: Plan = Plan { dictionaries: &[100_000, 1_000_000], batches: 15, repeats: 3 };
const QUICK: Plan = Plan { dictionaries: &[100_000], batches: 5, repeats: 2 };

fn main() -> Result<()> {
    match arguments()? {
        (_, Some(folder)) => write_cases(&folder),
        (plan, None) => compare(plan),
    }
}

fn arguments() -> Result<(Plan, Option<PathBuf>)> {
    let mut plan = FULL;
    let mut folder = None;
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--quick" => plan = QUICK,
            "--write-cases" => folder = Some(args.next().ok_or("--write-cases DIR")?.into()),
            _ => return Err("usage: prooflight-bench [--quick] [--write-cases DIR]".into()),
        }
    }
    Ok((plan, folder))
}

fn compare(plan: Plan) -> Result<()> {
    machine::describe();
    let mut table = Table::new();
    for &keys in plan.dictionaries {
        dictionary::compare(&mut table, keys, plan)?;
    }
    ergo::compare(&mut table, plan)?;
    table.print();
    println!("\n{}", report::LEGEND);
    println!("load average at the end: {}", machine::load());
    Ok(())
}

/// Writes batches as vector files, for the benchmark in WebAssembly.
fn write_cases(folder: &std::path::Path) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    let cases = dictionary::cases(QUICK.dictionaries[0], 3)?;
    std::fs::write(folder.join("batch_100k.json"), write(&cases)?)?;
    Ok(())
}
