//! Replays the inputs of fuzz targets: the seeds in `crates/testing/fuzz/corpus`, and inputs that once failed, in the
//! `tests/regressions` of a crate. Both have one folder per target.

use std::fs;
use std::path::Path;

use arbitrary::{Result, Unstructured};

/// A fuzz target; its input may end too early.
pub type FuzzTarget = fn(&mut Unstructured<'_>) -> Result<()>;

/// Runs targets, given with their names, for the crate in the folder `here`; a panic is a finding.
pub fn replay(here: &str, targets: &[(&str, FuzzTarget)]) {
    let here = Path::new(here);
    for (name, target) in targets {
        let seeds = inputs(&here.join("../testing/fuzz/corpus").join(name));
        assert!(seeds.len() >= 20, "{name} has {} seeds", seeds.len());
        for input in seeds.into_iter().chain(inputs(&here.join("tests/regressions").join(name))) {
            // An input that ends too early is skipped.
            let _ = target(&mut Unstructured::new(&input));
        }
    }
}

fn inputs(folder: &Path) -> Vec<Vec<u8>> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries.map(|entry| fs::read(entry.unwrap().path()).unwrap()).collect()
}
