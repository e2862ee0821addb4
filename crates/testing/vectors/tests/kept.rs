//! The tests whose bytes are fixed: changes to them are detected, and new ones are checked.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use prooflight_json::HexBytes;
use prooflight_vectors::file::{TestVerdict, VectorFile, VectorTest};
use prooflight_vectors::generate::{self, kept, kept::BrokenPart};
use prooflight_vectors::run;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

const NEGATIVE_FILE: &str = "smt/proof_negative.json";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../test-vectors")
}

fn read(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap()
}

fn failed(json: &str) -> Vec<u32> {
    let tests = run(json).unwrap().tests;
    tests.into_iter().filter(|test| test.failure.is_some()).map(|test| test.tc_id).collect()
}

/// Whether the list of digests matches this content of the file.
fn is_listed(content: &str) -> bool {
    let digest = HexBytes(Sha256::digest(content).to_vec()).to_string();
    read("SHA256SUMS").lines().any(|line| line == format!("{}  {NEGATIVE_FILE}", &digest[2..]))
}

#[test]
fn a_changed_reason_edit_or_base_is_noticed() {
    let committed = read(NEGATIVE_FILE);
    assert!(is_listed(&committed));
    assert_eq!(failed(&committed), [0; 0]);
    let json: Value = serde_json::from_str(&committed).unwrap();
    let tests = json["testGroups"][0]["tests"].as_array().unwrap();
    // An honest proof with a few bytes changed, so that its root differs.
    let is_edited = |test: &&Value| {
        test["expectedReason"] == "root_mismatch" && test["edits"][0]["at"] == json!(["proof"])
    };
    let edited = tests.iter().position(|test| is_edited(&test)).unwrap();
    let base = tests.iter().position(|test| test["tcId"] == tests[edited]["base"]).unwrap();
    let number = u32::try_from(tests[edited]["tcId"].as_u64().unwrap()).unwrap();
    let changes: [(&str, usize, &str, Value); 3] = [
        ("reason", edited, "expectedReason", json!("leaf_index")),
        ("edit", edited, "edits", json!([{ "at": ["proof"], "from": 0, "cut": 1, "put": "0x" }])),
        ("base", base, "input", json!({})),
    ];
    for (what, place, member, value) in changes {
        let mut changed = json.clone();
        changed["testGroups"][0]["tests"][place][member] = value;
        let changed = changed.to_string();
        assert!(!is_listed(&changed), "{what}");
        match run(&changed) {
            Ok(_) => assert!(failed(&changed).contains(&number), "{what}"),
            // An edit that does not fit its base any more.
            Err(error) => assert_eq!(what, "base", "{error}"),
        }
    }
}

#[test]
fn the_digests_are_those_of_all_other_files() {
    let files = generate::files(&root()).unwrap();
    assert_eq!(read("SHA256SUMS").lines().count(), files.len() - 1);
    for (path, content) in files.iter().filter(|(path, _)| *path != "SHA256SUMS") {
        assert!(read("SHA256SUMS").contains(&format!("  {path}\n")), "{path}");
        assert!(*path != NEGATIVE_FILE || is_listed(content));
    }
}

fn row(reason: &str, put: &str) -> String {
    let edits = json!([{ "at": ["proof"], "from": 0, "cut": 1, "put": put }]);
    let row = json!({ "type": "SmtProof", "comment": "a version that does not exist", "flags": ["Envelope"],
        "base": 1, "edits": edits, "reason": reason });
    json!([row]).to_string()
}

#[test]
fn a_row_becomes_a_test_if_the_verifier_refuses_it_for_its_reason() {
    let committed = read(NEGATIVE_FILE);
    let added = kept::add(&committed, &row("unknown_version", "0x63")).unwrap();
    assert_eq!(failed(&added), [0; 0]);
    let (before, after) =
        (VectorFile::parse(&committed).unwrap(), VectorFile::parse(&added).unwrap());
    assert_eq!(after.number_of_tests, before.number_of_tests + 1);
    let last = after.test_groups[0].tests.last().unwrap();
    assert_eq!(last.expected_reason.as_deref(), Some("unknown_version"));
    // Existing tests stay byte for byte: apart from the number of tests, lines are only added.
    let lines = added.lines().map(|line| line.trim_end_matches(',')).collect::<Vec<_>>();
    let gone = committed
        .lines()
        .map(|line| line.trim_end_matches(','))
        .filter(|line| !lines.contains(line));
    assert_eq!(gone.count(), 1);

    for (rows, problem) in [
        (row("truncated", "0x63"), "refuses it as unknown_version"),
        (row("unknown_version", "0x6"), "does not fit"),
        (row("unknown_version", "0x63").replace("\"base\":1", "\"base\":0"), "no test 0"),
        (row("unknown_version", "0x63").replace("Envelope", "Letter"), "lack the flag Letter"),
        (row("unknown_version", "0x63").replace("SmtProof", "Proof"), "no test 1"),
        (row("unknown_version", "0x63").replace("\"flags\"", "\"flag\""), "unknown field"),
    ] {
        let refused = kept::add(&committed, &rows).unwrap_err();
        assert!(refused.contains(problem), "{refused}");
    }
    let again = kept::add(&added, &row("unknown_version", "0x63")).unwrap_err();
    assert!(again.contains("a test has this comment"), "{again}");
}

#[test]
fn a_row_with_an_answer_becomes_a_test_if_the_verifier_gives_it() {
    let committed = read(NEGATIVE_FILE);
    let row = |result: &str| {
        let keys = json!({ "joined": [{ "repeat": ["0x61"], "times": 3 }] });
        let input = json!({ "root": HexBytes(vec![0; 32]), "height": "0x1", "keys": keys, "proof": "0x010301" });
        let row = json!({ "type": "SmtProof", "comment": "three times a key", "flags": ["Envelope"],
            "input": input, result: { "answers": [{}, {}, {}] } });
        json!([row]).to_string()
    };
    let added = kept::add(&committed, &row("expected")).unwrap();
    assert_eq!(failed(&added), [0; 0]);
    let file = VectorFile::parse(&added).unwrap();
    let last = file.test_groups[0].tests.last().unwrap();
    assert_eq!((&last.result, last.expected.is_some()), (&TestVerdict::Valid, true));
    assert!(added.contains(r#"{"joined":[{"repeat":["0x61"],"times":3}]}"#));

    let another = row("expected").replace("[{},{},{}]", "[{},{}]");
    for (rows, problem) in [
        (another, "another answers"),
        (row("expected").replace("0x010301", "0x020301"), "our verifier refuses it"),
        (row("expect"), "unknown field"),
    ] {
        let refused = kept::add(&committed, &rows).unwrap_err();
        assert!(refused.contains(problem), "{refused}");
    }
}

/// The file with broken inputs of a valid test: the first one, or the first with enough bytes to break.
fn broken(file: &str, what: &BrokenPart<'_>) -> VectorFile {
    let source = read(file);
    let groups = VectorFile::parse(&source).unwrap().test_groups;
    let is_long = |test: &&VectorTest| match what {
        BrokenPart::Bytes(place) => {
            let input = test.input.read().unwrap();
            input[place].as_str().is_some_and(|hex| hex.len() > 2 * 64)
        }
        BrokenPart::Form(_) => true,
    };
    let mut honest = groups[0].tests.iter().filter(|test| test.result == TestVerdict::Valid);
    let honest = honest.find(is_long).unwrap();
    let broken = kept::add_broken(&source, &source, honest.tc_id, what).unwrap();
    assert_eq!(failed(&broken), [0; 0], "{file}");
    VectorFile::parse(&broken).unwrap()
}

#[test]
fn every_type_refuses_what_does_not_have_its_form() {
    for (file, but) in [
        ("amt/opening.json", &[][..]),
        // Any length has the right form.
        ("avl/avl_batch.json", &["valueLength"]),
        ("chain/block_transition.json", &[]),
        ("chain/header_inclusion.json", &[]),
        ("chain/headers_inclusion.json", &[]),
        // Any text has the form of a scheme's name: an unknown one is `unknown_statement`.
        ("chain/state_answer_schemes.json", &["checkpoint/config", "scheme"]),
        ("lvmt/proof.json", &[]),
        ("mpt/answer.json", &["response"]),
        ("mpt/header.json", &[]),
        ("mpt/trie.json", &[]),
        ("smt/diff.json", &[]),
        ("smt/history.json", &[]),
        ("smt/proof.json", &[]),
    ] {
        let more = broken(file, &BrokenPart::Form(but)).number_of_tests;
        assert!(more >= VectorFile::parse(&read(file)).unwrap().number_of_tests + 20, "{file}");
    }
}

#[test]
fn damaged_bytes_are_refused_or_mean_the_same() {
    for (file, place) in [
        ("avl/avl_batch.json", "proof"),
        ("mpt/header.json", "headerRlp"),
        ("smt/diff.json", "proof"),
        ("chain/headers_inclusion.json", "head"),
    ] {
        let more = broken(file, &BrokenPart::Bytes(place));
        let flags = more.test_groups[0].tests.iter().flat_map(|test| &test.flags);
        assert!(flags.filter(|flag| *flag == "Truncated").count() > 20, "{file}");
    }
}
