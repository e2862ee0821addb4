//! Inputs of the fuzz targets, run again: the seeds of `crates/fuzz/corpus`, and in `regressions/`
//! whatever once failed. Both have one folder a target.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests say what they expect by panicking"
)]

mod harness;

use std::fs;
use std::path::Path;

use arbitrary::Unstructured;
use harness::targets::TARGETS;

#[test]
fn inputs_of_the_fuzz_targets() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (name, target) in TARGETS {
        let seeds = inputs(&here.join("../fuzz/corpus").join(name));
        assert!(seeds.len() >= 20, "{name} has {} seeds", seeds.len());
        for input in seeds.into_iter().chain(inputs(&here.join("tests/regressions").join(name))) {
            // An input that ends too early is none.
            let _ = target(&mut Unstructured::new(&input));
        }
    }
}

fn inputs(folder: &Path) -> Vec<Vec<u8>> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries.map(|entry| fs::read(entry.unwrap().path()).unwrap()).collect()
}
