//! What the crates' `tests/regressions.rs` share: every input of their fuzz targets is run again, the seeds of
//! `crates/fuzz/corpus` and, in `tests/regressions`, whatever once failed. Both have one folder a target.
#![allow(clippy::unwrap_used, reason = "tests say what they expect by panicking")]

use std::fs;
use std::path::Path;

use arbitrary::{Result, Unstructured};

type Target = fn(&mut Unstructured<'_>) -> Result<()>;

/// Runs targets, which come by their names; a panic of one is a finding.
pub(crate) fn replay(targets: &[(&str, Target)]) {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (name, target) in targets {
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
