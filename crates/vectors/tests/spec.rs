//! `SPEC.md` says what the code does, where both can be compared.
#![allow(clippy::unwrap_used, reason = "tests say what they expect by panicking")]

use std::fs;
use std::path::Path;

use prooflight_core::chain::LvmtConfig;
use prooflight_core::{Limits, Reason, Scheme};
use prooflight_smt::hash::{Child, Preimage, hash_key, hash_value};
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

/// A section: its number, what links to it, and its text without its subsections.
struct Section {
    number: String,
    anchor: String,
    text: String,
}

/// The sections and subsections, in order. A `#` in a block of code is no heading.
fn sections() -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let mut in_code = false;
    for line in spec().lines() {
        in_code ^= line.starts_with("```");
        let heading = line.strip_prefix("## ").or_else(|| line.strip_prefix("### "));
        match heading.filter(|_| !in_code) {
            Some(heading) => {
                let number = heading.split(' ').next().unwrap().trim_end_matches('.').to_owned();
                sections.push(Section { number, anchor: anchor(heading), text: String::new() });
            }
            None => {
                if let Some(section) = sections.last_mut() {
                    section.text.extend([line, "\n"]);
                }
            }
        }
    }
    sections
}

/// What a heading is linked by.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

#[test]
fn the_registry_of_reasons_is_that_of_the_code_and_names_the_sections() {
    assert!(Reason::ALL.is_sorted_by_key(|reason| reason.as_str()), "by their names");
    let sections = sections();
    let code = Reason::ALL.iter().map(|reason| {
        let name = format!("`{}`", reason.as_str());
        let raises = |section: &&Section| section.number != "7" && section.text.contains(&name);
        let links = sections.iter().filter(raises);
        let links = links.map(|section| format!("[{}](#{})", section.number, section.anchor));
        let links = links.collect::<Vec<_>>().join(", ");
        let links = if links.is_empty() { "-" } else { &links };
        format!("| {name} | `{}` | {links} | {} |", reason.code().as_str(), reason.meaning())
    });
    let code = code.collect::<Vec<_>>();
    let rows = rows("\n## 7. Reasons\n");
    assert!(rows == code, "the table in SPEC.md should have these rows:\n{}", code.join("\n"));
}

#[test]
fn links_lead_to_sections() {
    let spec = spec();
    let headings = spec.lines().filter(|line| line.starts_with('#'));
    let anchors = headings.map(|line| anchor(line.trim_start_matches(['#', ' '])));
    let anchors = anchors.collect::<Vec<_>>();
    let links = spec.split("](#").skip(1).map(|rest| rest.split(')').next().unwrap());
    let dead = links.filter(|link| !anchors.iter().any(|anchor| anchor == link));
    assert_eq!(dead.collect::<Vec<_>>(), [""; 0]);
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
    let (left, right) = (Child { version: 5, hash: &other }, Child { version: 3, hash: &leaf });
    let root = Preimage::branch(1, left, right).hash();
    let tombstone = Preimage::tombstone(7, &key).hash();
    let spec = spec();
    let section = spec.split_once("\n### 14.8 ").unwrap().1;
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
    let rows = rows("\n## 2. Limits\n");
    let changes =
        rows.iter().find_map(|row| row.strip_prefix("| changes of a history | ")).unwrap();
    assert_eq!(leading_number(changes), Some(Limits::DEFAULT.max_changes));
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
