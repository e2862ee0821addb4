//! `prooflight-bench [--quick] [--trees] [--amb KEYS] [--write-cases DIR]`: compares our proofs and
//! trees with those of peers, in one run on the same input. `--write-amb KEYS FILE` writes proofs of
//! ordered keys. `--figures` draws the figures of the
//! paper on S-Store on this machine; see [`figures`].
//!
//! Each side runs in its own process, so that neither is affected by the heap that the other
//! leaves; they alternate, batch by batch.

mod account;
mod allocations;
mod amb;
mod compare;
mod figures;
mod machine;
mod nervos;
mod process;
mod report;
mod runner;
mod tree;
mod workload;

use std::path::{Path, PathBuf};

use prooflight_bench::{Result, write};

use crate::report::ReportTable;

/// The size of a run.
#[derive(Clone, Copy)]
struct BenchPlan {
    /// Number of keys of each dictionary.
    dictionaries: &'static [usize],
    /// Number of keys of each tree, and whether the peers' trees are measured too.
    trees: &'static [(usize, bool)],
    /// Number of fresh batches per dictionary.
    batches: usize,
    /// Number of times each side verifies each batch.
    repeats: usize,
}

const FULL_PLAN: BenchPlan = BenchPlan {
    dictionaries: &[100_000, 1_000_000],
    trees: &[(1_000_000, true), (10_000_000, false)],
    batches: 15,
    repeats: 5,
};
const QUICK_PLAN: BenchPlan =
    BenchPlan { dictionaries: &[100_000], trees: &[(1_000_000, true)], batches: 5, repeats: 3 };

const ERGO_BLOCKS_JSON: &str = include_str!("../../../../test-vectors/avl/ergo_mainnet.json");
const ACCOUNT_PROOFS_JSON: &str = include_str!("../../../../test-vectors/mpt/eth_get_proof.json");

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        [] => benchmark(FULL_PLAN),
        ["--quick"] => benchmark(QUICK_PLAN),
        ["--write-cases", folder] => write_cases(&PathBuf::from(folder)),
        ["--contender", side, role] => runner::serve(side, role),
        ["--trees"] => benchmark_trees(FULL_PLAN),
        ["--amb", keys] => benchmark_amb(keys),
        ["--write-amb", keys, file] => write_amb(keys, Path::new(file)),
        ["--figures", ref options @ ..] => figures::benchmark(options),
        ["--figure", side, keys] => figures::serve(side, keys),
        ["--tree", side, keys, blocks, threads] => tree::serve(side, keys, blocks, threads),
        _ => {
            let options = "[--quick | --trees | --amb KEYS | --write-cases DIR | --figures ...]";
            Err(format!("usage: prooflight-bench {options}").into())
        }
    }
}

fn benchmark(plan: BenchPlan) -> Result<()> {
    machine::describe();
    let mut table = ReportTable::new();
    for &keys in plan.dictionaries {
        compare::dictionary(&mut table, keys, plan)?;
    }
    compare::blocks(&mut table, ERGO_BLOCKS_JSON, plan)?;
    compare::accounts(&mut table, ACCOUNT_PROOFS_JSON, plan)?;
    trees(&mut table, plan)?;
    amb::trees(&mut table, 1_000_000)?;
    table.print();
    println!("\n{}\nLoad average at the end: {}.", report::TABLE_LEGEND, machine::load());
    Ok(())
}

/// Benchmarks only the trees.
fn benchmark_trees(plan: BenchPlan) -> Result<()> {
    machine::describe();
    let mut table = ReportTable::new();
    trees(&mut table, plan)?;
    table.print();
    println!("\nLoad average at the end: {}.", machine::load());
    Ok(())
}

/// Benchmarks only the ordered keys.
fn benchmark_amb(keys: &str) -> Result<()> {
    machine::describe();
    let mut table = ReportTable::new();
    amb::trees(&mut table, keys.parse()?)?;
    table.print();
    println!("\nLoad average at the end: {}.", machine::load());
    Ok(())
}

fn trees(table: &mut ReportTable, plan: BenchPlan) -> Result<()> {
    for &(keys, peer) in plan.trees {
        tree::trees(table, keys, plan.batches, peer)?;
    }
    Ok(())
}

/// Writes batches as a vector file, for the WebAssembly benchmark.
fn write_cases(folder: &Path) -> Result<()> {
    let cases = compare::cases(100_000, 5)?;
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join("batches_100k.json"), write(&cases)?)?;
    Ok(())
}

/// Writes proofs of ordered keys, for the benchmark from JavaScript.
fn write_amb(keys: &str, file: &Path) -> Result<()> {
    let cases = amb::cases(keys.parse()?)?;
    std::fs::write(file, serde_json::to_vec(&cases)?)?;
    Ok(())
}
