//! The machine that the numbers were measured on.

use std::fs::read_to_string;
use std::thread::available_parallelism;

/// Prints the processor, the system and the versions.
pub(crate) fn describe() {
    let cores = available_parallelism().map_or(0, usize::from);
    println!("{}, {cores} cores, load average {}", processor(), load());
    println!("{}, release with lto and one codegen unit", env!("RUSTC_VERSION"));
    let ours = env!("CARGO_PKG_VERSION");
    println!("prooflight-avl {ours} (strict, Ergo blocks compat) and ergo_avltree_rust 0.1.1");
    println!("prooflight-mpt {ours} and alloy-trie 0.9.9");
    println!("prooflight-smt {ours}, jmt 0.12.0 and sparse-merkle-tree 0.6.1, all in memory\n");
}

/// Returns the load average of the last minute; other programs distort the numbers.
pub(crate) fn load() -> String {
    let text = read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().filter(|load| !load.is_empty()).unwrap_or("unknown").to_owned()
}

/// Returns the name of the processor.
pub(crate) fn processor() -> String {
    let text = read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text.lines().find_map(|line| line.strip_prefix("model name"));
    model
        .map_or(std::env::consts::ARCH, |model| model.trim_start_matches([' ', '\t', ':']))
        .to_owned()
}
