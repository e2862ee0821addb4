//! `lmpt/proof.json`: honest proofs of one and of many keys.

use prooflight_core::keccak256;
use prooflight_testkit::lmpt::layers::{StateLayers, TOMBSTONE, leaf};
use prooflight_testkit::lmpt::trie::LeafMap;
use serde_json::json;

use super::{answers_json, ask, chain, key, limits, neighbours};
use crate::answer::VerifierAnswer;
use crate::generate::builder::{FileBuilder, expected};
use crate::generate::rng::Rng;
use crate::lmpt::LmptProof;

/// Adds the tests made by code.
pub(in crate::generate) fn make(file: &mut FileBuilder) {
    file.group("LmptProof");
    one_key(file);
    many_keys(file);
    blocks(file);
    small_tries(file);
    inline(file);
    lower_roots(file);
    at_limits(file);
    random(file);
}

fn honest(
    file: &mut FileBuilder,
    flag: &str,
    comment: &str,
    layers: &StateLayers,
    keys: &[Vec<u8>],
) {
    let answers = expected(json!({ "answers": answers_json(layers, keys) }));
    file.valid(&[flag], comment, &ask(layers, keys), answers);
}

fn one_key(file: &mut FileBuilder) {
    let layers = &chain()[7];
    for (number, comment) in [
        (1, "a value in delta, and an older one in the snapshot"),
        (8, "an empty value in delta, and no other"),
        (6, "a tombstone in delta, and a value in intermediate"),
        (5, "a tombstone in delta, and a value in the snapshot"),
        (0, "a value in intermediate, and an older one in the snapshot"),
        (7, "a value in intermediate, and no other"),
        (4, "a tombstone in intermediate, and a value in the snapshot"),
        (3, "a value in the snapshot"),
        (25, "a value in the snapshot, below two branches"),
        (9, "a key that no layer has"),
        (10, "another key that no layer has"),
    ] {
        honest(file, "One", comment, layers, &[key(number)]);
    }
}

fn many_keys(file: &mut FileBuilder) {
    let layers = &chain()[7];
    let mut ask = |comment: &str, keys: &[u32]| {
        let keys: Vec<_> = keys.iter().copied().map(key).collect();
        honest(file, "Several", comment, layers, &keys);
    };
    ask("all settled in delta", &[8, 6, 5, 2, 1]);
    ask("all settled in delta or intermediate", &[0, 1, 4, 6]);
    ask("one of each layer", &[1, 7, 3]);
    ask("values, tombstones and absences of every layer", &(0..12).collect::<Vec<_>>());
    ask(
        "every key, in no order, some twice",
        &[11, 3, 8, 3, 0, 30, 21, 5, 6, 0, 1, 4, 7, 2, 9, 20],
    );
    ask("only keys that no layer has", &[9, 10, 11, 12, 13]);
    ask("a key three times", &[4, 4, 4]);
}

fn blocks(file: &mut FileBuilder) {
    let keys: Vec<_> = (0..11).map(key).collect();
    for (height, layers) in chain().iter().enumerate() {
        honest(file, "Blocks", &format!("eleven keys after block {height}"), layers, &keys);
    }
}

fn small_tries(file: &mut FileBuilder) {
    let empty = StateLayers::default();
    honest(file, "Empty", "no layer has a key", &empty, &[key(0)]);
    honest(file, "Empty", "no layer has a key; several are asked for", &empty, &[key(0), key(1)]);
    let one = LeafMap::from([(keccak256(&[&key(0)]), leaf(b"alone"))]);
    let deleted = LeafMap::from([(keccak256(&[&key(0)]), TOMBSTONE.to_vec())]);
    for (comment, layers) in [
        (
            "only the snapshot has a key",
            StateLayers { snapshot: one.clone(), ..StateLayers::default() },
        ),
        (
            "only intermediate has a key",
            StateLayers { intermediate: one.clone(), ..StateLayers::default() },
        ),
        ("only delta has a key", StateLayers { delta: one.clone(), ..StateLayers::default() }),
        ("only a tombstone", StateLayers { delta: deleted.clone(), ..StateLayers::default() }),
        (
            "a tombstone over a value",
            StateLayers { intermediate: deleted, snapshot: one, ..StateLayers::default() },
        ),
    ] {
        honest(file, "Empty", comment, &layers, &[key(0)]);
        honest(file, "Empty", &format!("{comment}, not the one asked for"), &layers, &[key(1)]);
    }
    honest(file, "One", "the key of no bytes", &chain()[7], &[vec![]]);
    honest(file, "One", "a key of 300 bytes", &chain()[7], &[vec![7; 300]]);
}

fn inline(file: &mut FileBuilder) {
    let keys = neighbours();
    let trie = |leaves: [&[u8]; 2]| -> LeafMap {
        keys.iter().zip(leaves).map(|(key, leaf)| (keccak256(&[key]), leaf.to_vec())).collect()
    };
    let (values, deleted) = (trie([&[1], &[1]]), trie([TOMBSTONE, TOMBSTONE]));
    let mixed = trie([&leaf(b"a value that is outside"), TOMBSTONE]);
    for (comment, layers) in [
        (
            "two empty values inside a branch",
            StateLayers { snapshot: values, ..StateLayers::default() },
        ),
        (
            "two tombstones inside a branch",
            StateLayers { delta: deleted, ..StateLayers::default() },
        ),
        (
            "a tombstone inside a branch, and a leaf outside",
            StateLayers { delta: mixed, ..StateLayers::default() },
        ),
    ] {
        honest(file, "Inline", comment, &layers, &keys);
        honest(file, "Inline", &format!("{comment}; the first key"), &layers, &keys[..1]);
        honest(file, "Inline", &format!("{comment}; the second key"), &layers, &keys[1..]);
    }
}

/// Roots of layers that are not looked up do not matter.
fn lower_roots(file: &mut FileBuilder) {
    let StateLayers { delta, intermediate, snapshot } = chain()[7].clone();
    let keys = [key(1), key(5)];
    for (comment, layers) in [
        (
            "settled in delta, the other two roots exchanged",
            StateLayers {
                delta: delta.clone(),
                intermediate: snapshot.clone(),
                snapshot: intermediate,
            },
        ),
        (
            "settled in delta, no lower layer",
            StateLayers { delta: delta.clone(), ..StateLayers::default() },
        ),
        (
            "settled in delta, three times the same root",
            StateLayers { delta: delta.clone(), intermediate: delta.clone(), snapshot: delta },
        ),
    ] {
        honest(file, "Roots", comment, &layers, &keys);
    }
}

fn at_limits(file: &mut FileBuilder) {
    let layers = &chain()[7];
    let keys = [key(1), key(0), key(3)];
    let input = ask(layers, &keys);
    let exact = limits(Some(input.proof.0.len()), Some(3), Some(5));
    let input = LmptProof { limits: Some(exact), ..input };
    let answers = expected(json!({ "answers": answers_json(layers, &keys) }));
    file.valid(&["Limit"], "bytes, keys and values at their limits", &input, answers);

    // The following answers would be long, so they are not pinned.
    let large = LeafMap::from([(keccak256(&[&key(0)]), leaf(&vec![0; 65_536]))]);
    for (name, layers) in [
        ("delta", StateLayers { delta: large.clone(), ..StateLayers::default() }),
        ("the snapshot", StateLayers { snapshot: large, ..StateLayers::default() }),
    ] {
        let comment = format!("a value of 65,536 bytes in {name}, as many as allowed by default");
        file.valid(&["Limit"], comment, &ask(&layers, &[key(0)]), VerifierAnswer::new());
    }
    let comment = "4,096 keys, as many as allowed by default";
    file.valid(&["Limit"], comment, &ask(layers, &vec![key(1); 4096]), VerifierAnswer::new());
}

fn random(file: &mut FileBuilder) {
    for (seed, keys) in [(1, 4), (2, 12), (3, 60)] {
        let rng = &mut Rng::new(seed);
        let mut layer = |tombstones: usize| -> LeafMap {
            let entries = (0..keys / 2).map(|_| {
                let number = u32::try_from(rng.below(keys)).expect("few keys");
                let length = rng.below(40);
                let leaf = if rng.below(4) < tombstones {
                    TOMBSTONE.to_vec()
                } else {
                    leaf(&rng.bytes(length))
                };
                (keccak256(&[&key(number)]), leaf)
            });
            entries.collect()
        };
        let layers = StateLayers { delta: layer(1), intermediate: layer(1), snapshot: layer(0) };
        for count in [1, 3, 9] {
            let asked: Vec<_> = (0..count)
                .map(|_| key(u32::try_from(rng.below(keys + keys / 4)).expect("few keys")))
                .collect();
            honest(file, "Random", &format!("{count} of {keys} keys, drawn"), &layers, &asked);
        }
    }
}
