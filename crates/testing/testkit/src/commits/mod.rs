//! Measures the blocks of authenticated stores, for the examples `commits` of `lmpt` and `lvmt`.
//!
//! A [`MeasuredStore`] first writes all keys, then makes blocks of operations that each read a key and write it. Each case runs
//! in a process of its own, so that its memory and processor time are measured alone.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "programs with text output")]
#![allow(
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "figures are rounded anyway"
)]

mod args;
mod counting;
mod folder;
mod measure;
mod plain_store;
mod process;
mod workload;

pub use args::BenchArgs;
pub use counting::{CountingStore, StoreCounts};
pub use folder::StoreFolder;
pub use measure::{CaseFigures, MeasuredStore, ProofFigures};
pub use plain_store::PlainStore;
pub use prooflight_embedded::EmbeddedStore;
pub use workload::{KeyPut, key, key_hash};

use std::process::Command;

/// Runs the cases that the arguments name, or `default`: `run` measures one, in a process of its own. Prints a table.
pub fn main(default: &[&str], run: impl Fn(&str, &BenchArgs) -> CaseFigures) {
    let args = BenchArgs::read();
    if let Some(case) = &args.only {
        println!("{}", run(case, &args).encode());
        return;
    }
    let cases: Vec<_> = match &args.cases[..] {
        [] => default.iter().map(ToString::to_string).collect(),
        cases => cases.to_vec(),
    };
    println!("{args}");
    let mut rows = Vec::new();
    for case in cases {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(std::env::args_os().skip(1)).args(["--only", &case]);
        let output = child.stderr(std::process::Stdio::inherit()).output().unwrap();
        assert!(output.status.success(), "{case}: {}", output.status);
        let row = CaseFigures::decode(&String::from_utf8(output.stdout).unwrap());
        println!("{case}: {row:?}");
        rows.push((case, row));
    }
    print(&rows);
}

/// Prints a table with a column for each case.
fn print(rows: &[(String, CaseFigures)]) {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in rows.iter().flat_map(|(_, row)| row.figures()) {
        if !names.contains(&&**name) {
            names.push(name);
        }
    }
    let widths: Vec<_> = rows.iter().map(|(case, _)| case.len().max(10)).collect();
    let longest = names.iter().map(|name| name.len()).max().unwrap_or(0);
    let line = |name: &str, cells: Vec<String>| {
        let cells = cells.iter().zip(&widths).map(|(cell, width)| format!(" {cell:>width$} |"));
        println!("| {name:<longest$} |{}", cells.collect::<String>());
    };
    line("", rows.iter().map(|(case, _)| case.clone()).collect());
    let rules = widths.iter().map(|width| format!("-{}:|", "-".repeat(*width)));
    println!("|-{}-|{}", "-".repeat(longest), rules.collect::<String>());
    for name in names {
        let cell = |row: &CaseFigures| row.get(name).map_or_else(String::new, show);
        line(name, rows.iter().map(|(_, row)| cell(row)).collect());
    }
}

fn show(figure: f64) -> String {
    match figure {
        0.0 => "0".to_owned(),
        0.0..10.0 => format!("{figure:.2}"),
        10.0..100.0 => format!("{figure:.1}"),
        _ => format!("{figure:.0}"),
    }
}
