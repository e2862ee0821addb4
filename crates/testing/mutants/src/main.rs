//! `plant TREE SCRATCH CRATE…`: builds the runner in SCRATCH, a copy of TREE's crates, with faults in these verifiers.
//!
//! Prints its progress, and finally writes the faults and the lines of code to
//! `SCRATCH/mutants.json`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

use prooflight_mutants::{Mutant, PlantedFaults};
use serde::Serialize;

/// The faults and lines of a build.
#[derive(Serialize)]
struct FaultListing<'a> {
    mutants: Vec<Mutant>,
    lines: BTreeMap<&'a str, &'a BTreeSet<usize>>,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [tree, scratch, crates @ ..] = &arguments[..] else {
        eprintln!("usage: plant TREE SCRATCH CRATE…");
        return ExitCode::FAILURE;
    };
    match work(Path::new(tree), Path::new(scratch), crates) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn work(tree: &Path, scratch: &Path, crates: &[String]) -> Result<(), String> {
    let mut planting = PlantedFaults::find(tree, crates)?;
    planting.build(scratch, &mut |progress| println!("{progress}"))?;
    let listing = FaultListing { mutants: planting.mutants(), lines: planting.lines().collect() };
    let json = serde_json::to_string(&listing).map_err(|error| error.to_string())?;
    fs::write(scratch.join("mutants.json"), json).map_err(|error| error.to_string())
}
