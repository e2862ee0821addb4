//! `SPEC.md` says what the code does, where both can be compared.
#![allow(clippy::unwrap_used, reason = "tests say what they expect by panicking")]

use std::fs;
use std::path::Path;

use prooflight_core::{Limits, Reason, Scheme};
use prooflight_vectors::carrier::Hash32;
use prooflight_vectors::checkpoint;

fn spec() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../test-vectors/SPEC.md");
    fs::read_to_string(path).unwrap()
}

/// The rows of the first table after a heading, without the table's head.
fn rows(heading: &str) -> Vec<String> {
    let spec = spec();
    let section = spec.split_once(heading).unwrap().1;
    let table = section.lines().skip_while(|line| !line.starts_with('|'));
    table.take_while(|line| line.starts_with('|')).skip(2).map(str::to_owned).collect()
}

#[test]
fn the_registry_of_reasons_is_that_of_the_code() {
    let rows = rows("\n## 7. Reasons\n");
    let code = Reason::ALL.iter().map(|reason| {
        format!("| `{}` | `{}` | {} |", reason.as_str(), reason.code().as_str(), reason.meaning())
    });
    let code = code.collect::<Vec<_>>();
    assert!(rows == code, "the table in SPEC.md should have these rows:\n{}", code.join("\n"));
}

#[test]
fn the_schemes_are_those_of_the_code() {
    let rows = rows("\n## 4. Schemes and kinds\n");
    assert_eq!(rows.len(), Scheme::ALL.len());
    for (row, scheme) in rows.iter().zip(Scheme::ALL) {
        assert!(row.starts_with(&format!("| {} | `{}` |", scheme.id(), scheme.as_str())), "{row}");
    }
}

#[test]
fn the_limits_are_those_of_the_code() {
    let numbers = |limits: &Limits, max_deletes: usize| {
        [limits.max_proof_bytes, limits.max_keys, max_deletes, limits.max_value_bytes]
    };
    let avl = prooflight_avl::Params::new(32, None);
    let ergo = prooflight_avl::ergo::PARAMS;
    let defaults = numbers(&avl.limits, avl.max_deletes);
    let of_ergo = numbers(&ergo.limits, ergo.max_deletes);
    for ((row, default), of_ergo) in rows("\n## 2. Limits\n").iter().zip(defaults).zip(of_ergo) {
        let cells = row.split('|').map(str::trim).collect::<Vec<_>>();
        assert_eq!(leading_number(cells[2]), Some(default), "{row}");
        let of_ergo_in_spec =
            if cells[3] == "the same" { Some(default) } else { leading_number(cells[3]) };
        assert_eq!(of_ergo_in_spec, Some(of_ergo), "{row}");
    }
}

#[test]
fn the_example_of_a_checkpoint_is_one_and_has_the_hash_that_is_said() {
    let spec = spec();
    let section = spec.split_once("\n### 9.6 ").unwrap().1;
    let (json, text) = section.split_once("```json\n").unwrap().1.split_once("```").unwrap();
    let checkpoint = checkpoint::from_json(json).unwrap();
    let hash = format!("`{}`", &Hash32(checkpoint.config.id()).to_string()[2..]);
    assert!(text.contains(&hash), "SPEC.md should say {hash}");
    assert_eq!(checkpoint::from_json(&checkpoint::to_json(&checkpoint)), Ok(checkpoint));
}

fn leading_number(cell: &str) -> Option<usize> {
    cell.split(' ').next()?.replace(',', "").parse().ok()
}
