//! Compares the specification with the code, where that is possible.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use prooflight_core::chain::LvmtConfig;
use prooflight_core::{Limits, Reason, Scheme};
use prooflight_json::Hash32;
use prooflight_json::checkpoint;
use prooflight_smt::hash::{ChildHash, Preimage, hash_key, hash_value};

/// One file of the specification, by its name without `.md`.
fn spec(name: &str) -> String {
    fs::read_to_string(folder().join(name).with_extension("md")).unwrap()
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../test-vectors/spec")
}

/// The files whose sections define refusals, in the order in which reasons cite them.
const SPEC_FILES: [&str; 13] = [
    "conventions",
    "merkle",
    "avl",
    "mpt",
    "lmpt",
    "amt",
    "lvmt",
    "smt",
    "amb",
    "chain",
    "evm",
    "rpc",
    "vectors",
];

/// The rows of the first table after a heading, without the table's head.
fn rows(name: &str, heading: &str) -> Vec<String> {
    let spec = spec(name);
    let section = spec.split_once(heading).unwrap().1;
    let table = section.lines().skip_while(|line| !line.starts_with('|'));
    table.take_while(|line| line.starts_with('|')).skip(2).map(str::to_owned).collect()
}

/// A section: the file and number by which it is cited, and its text.
struct Section {
    cited: String,
    text: String,
}

/// The sections of all files, in order. A `#` in a block of code is no heading.
fn sections() -> Vec<Section> {
    SPEC_FILES.iter().flat_map(|name| sections_of(name)).collect()
}

fn sections_of(name: &str) -> Vec<Section> {
    let mut sections = vec![Section { cited: name.to_owned(), text: String::new() }];
    let mut in_code = false;
    for line in spec(name).lines() {
        in_code ^= line.starts_with("```");
        match line.strip_prefix("## ").filter(|_| !in_code) {
            Some(heading) => {
                let number = heading.split('.').next().unwrap();
                sections.push(Section { cited: format!("{name} {number}"), text: String::new() });
            }
            None => sections.last_mut().unwrap().text.extend([line, "\n"]),
        }
    }
    sections
}

#[test]
fn every_file_is_listed() {
    let mut names = SPEC_FILES.map(|name| format!("{name}.md")).to_vec();
    names.extend(["reasons.md".to_owned(), "references.md".to_owned()]);
    names.sort();
    let files = fs::read_dir(folder()).unwrap();
    let mut files =
        files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect::<Vec<_>>();
    files.sort();
    assert_eq!(files, names);
}

#[test]
fn lines_are_short() {
    // A reason's row names every section that raises it.
    for name in SPEC_FILES.iter().copied().chain(["references", "../SPEC"]) {
        let text = spec(name);
        let long = text.lines().filter(|line| line.chars().count() >= 120);
        assert_eq!(long.collect::<Vec<_>>(), [""; 0], "{name}.md");
    }
}

#[test]
fn the_registry_of_reasons_is_that_of_the_code_and_names_the_sections() {
    assert!(Reason::ALL.is_sorted_by_key(|reason| reason.as_str()), "by their names");
    let sections = sections();
    let code = Reason::ALL.iter().map(|reason| {
        let name = format!("`{}`", reason.as_str());
        let in_pseudocode = format!("else {}\n", reason.as_str());
        let raises = |text: &str| text.contains(&name) || text.contains(&in_pseudocode);
        let cited = sections.iter().filter(|section| raises(&section.text));
        let cited = cited.map(|section| format!("[{}]", section.cited)).collect::<Vec<_>>();
        let cited = if cited.is_empty() { "-".to_owned() } else { cited.join(" ") };
        format!("| {name} | `{}` | {cited} | {} |", reason.code().as_str(), reason.meaning())
    });
    let code = code.collect::<Vec<_>>();
    let rows = rows("reasons", "# Reasons\n");
    assert!(rows == code, "the table in reasons.md should have these rows:\n{}", code.join("\n"));
}

#[test]
fn the_largest_vectors_of_a_chain_are_those_of_the_scheme() {
    assert_eq!(LvmtConfig::MAX_LOG_N, prooflight_lvmt::MAX_LOG_N);
}

#[test]
fn the_hashes_of_the_example_of_historical_proofs_are_those_of_the_code() {
    let (key, value) = (hash_key(b"a"), hash_value(&[1]));
    let leaf = Preimage::leaf(3, &key, &value).hash();
    let other = Preimage::leaf(5, &hash_key(b"b"), &hash_value(&[2])).hash();
    let (left, right) =
        (ChildHash { height: 5, hash: &other }, ChildHash { height: 3, hash: &leaf });
    let root = Preimage::branch(1, left, right).hash();
    let tombstone = Preimage::tombstone(7, &key).hash();
    let spec = spec("smt");
    let section = spec.split_once("\n## 8. ").unwrap().1;
    for (name, hash) in [
        ("key hash of 61", key),
        ("value hash of 01", value),
        ("leaf of 61", leaf),
        ("leaf of 62", other),
        ("root", root),
        ("tombstone of 61 in block 7", tombstone),
    ] {
        let row = format!("{name:<30}{}\n", &Hash32(hash).to_string()[2..]);
        assert!(section.contains(&row), "{row}");
    }
}

#[test]
fn the_schemes_are_those_of_the_code() {
    let rows = rows("conventions", "\n## 4. Schemes and kinds\n");
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
    let ergo = prooflight_avl::ergo::ERGO_PARAMS;
    let defaults = numbers(&avl.limits, avl.max_deletes);
    let of_ergo = numbers(&ergo.limits, ergo.max_deletes);
    for ((row, default), of_ergo) in
        rows("conventions", "\n## 2. Limits\n").iter().zip(defaults).zip(of_ergo)
    {
        let cells = row.split('|').map(str::trim).collect::<Vec<_>>();
        assert_eq!(leading_number(cells[2]), Some(default), "{row}");
        let of_ergo_in_spec =
            if cells[3] == "the same" { Some(default) } else { leading_number(cells[3]) };
        assert_eq!(of_ergo_in_spec, Some(of_ergo), "{row}");
    }
    let rows = rows("conventions", "\n## 2. Limits\n");
    let changes =
        rows.iter().find_map(|row| row.strip_prefix("| changes of a history | ")).unwrap();
    assert_eq!(leading_number(changes), Some(Limits::DEFAULT.max_changes));
}

#[test]
fn the_example_of_a_checkpoint_is_one_and_has_the_hash_that_is_said() {
    let spec = spec("chain");
    let section = spec.split_once("\n## 6. ").unwrap().1;
    let (json, text) = section.split_once("```json\n").unwrap().1.split_once("```").unwrap();
    let checkpoint = checkpoint::from_json(json).unwrap();
    let hash = format!("`{}`", &Hash32(checkpoint.config.id()).to_string()[2..]);
    assert!(text.contains(&hash), "chain.md should say {hash}");
    assert_eq!(checkpoint::from_json(&checkpoint::to_json(&checkpoint)), Ok(checkpoint));
}

fn leading_number(cell: &str) -> Option<usize> {
    cell.split(' ').next()?.replace(',', "").parse().ok()
}
