//! Every change of an honest proof is refused: a root and a set of keys have one proof.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use prooflight_core::{Limits, Reason, keccak256};
use prooflight_lmpt::{EMPTY_ROOTS, Layer, LayerRoots, LayeredValue, verify};
use prooflight_testkit::lmpt::layers::{StateLayers, TOMBSTONE, encode, leaf};
use prooflight_testkit::lmpt::trie::LeafMap;

fn key(number: u8) -> Vec<u8> {
    vec![number]
}

fn dictionary<'l>(leaves: impl IntoIterator<Item = (u8, &'l [u8])>) -> LeafMap {
    leaves.into_iter().map(|(number, leaf)| (keccak256(&[&[number]]), leaf.to_vec())).collect()
}

/// Keys 0 to 2 are in delta, 2 to 4 in intermediate, 0 to 7 in the snapshot; 1 and 4 are deleted, 8 and 9 are absent.
fn layers() -> StateLayers {
    let [zero, two, three] = [&b"zero"[..], b"two", b""].map(leaf);
    let old: Vec<_> = (0..8).map(|number| leaf(&[number; 40])).collect();
    StateLayers {
        delta: dictionary([(0, &zero[..]), (1, TOMBSTONE), (2, &two)]),
        intermediate: dictionary([(2, TOMBSTONE), (3, &three), (4, TOMBSTONE)]),
        snapshot: dictionary((0..).zip(old.iter().map(Vec::as_slice))),
    }
}

/// The sets of the keys 0 to 9 with at most three of them, and all.
fn subsets() -> Vec<Vec<Vec<u8>>> {
    let sets = (1..1_u16 << 10).filter(|set| set.count_ones() <= 3 || set.count_ones() == 10);
    let keys = |set: u16| (0..10).filter(move |number| set >> number & 1 == 1).map(key).collect();
    sets.map(keys).collect()
}

#[test]
fn a_set_of_keys_has_one_proof() {
    let layers = layers();
    let proofs: Vec<_> = subsets().iter().map(|keys| layers.prove(keys)).collect();
    let mut refused = 0;
    for (keys, honest) in subsets().iter().zip(&proofs) {
        layers.judge(keys, honest).unwrap();
        // Those of one or two keys are enough to try.
        for other in &proofs[..55] {
            refused += usize::from(layers.judge(keys, other).is_err());
        }
    }
    // Keys that share their nodes have the same proof, so not all are refused.
    assert!(refused > 9000, "{refused}");
}

#[test]
fn the_order_and_repetitions_of_keys_do_not_matter() {
    let layers = layers();
    let keys = [key(7), key(1), key(9), key(1), key(0), key(7)];
    let mut sorted = keys.to_vec();
    sorted.sort();
    sorted.dedup();
    let proof = layers.prove(&sorted);
    layers.judge(&keys, &proof).unwrap();
    let asked: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    let answers = verify(&layers.roots(), &asked, &proof, &Limits::DEFAULT).unwrap();
    let seven = [7; 40];
    let expected = [
        LayeredValue { value: Some(&seven), layer: Layer::Snapshot },
        LayeredValue { value: None, layer: Layer::Delta },
        LayeredValue { value: None, layer: Layer::Snapshot },
        LayeredValue { value: None, layer: Layer::Delta },
        LayeredValue { value: Some(b"zero"), layer: Layer::Delta },
        LayeredValue { value: Some(&seven), layer: Layer::Snapshot },
    ];
    assert_eq!(*answers, expected);
}

#[test]
fn every_change_of_a_byte_is_refused() {
    let layers = layers();
    for keys in [vec![key(0)], vec![key(4)], vec![key(9)], vec![key(1), key(3), key(6)]] {
        let honest = layers.prove(&keys);
        let refused = |proof: &[u8]| assert!(layers.judge(&keys, proof).is_err(), "{proof:02x?}");
        for at in 0..honest.len() {
            refused(&honest[..at]);
            refused(&[&honest[..at], &honest[at + 1..]].concat());
            for byte in [0, 1, 0x80, 0xff] {
                refused(&[&honest[..at], &[byte], &honest[at..]].concat());
            }
            for bit in 0..8 {
                let mut proof = honest.clone();
                proof[at] ^= 1 << bit;
                refused(&proof);
            }
        }
        refused(&[&honest[..], &[0]].concat());
    }
}

#[test]
fn a_settled_key_needs_no_lower_layer() {
    let mut layers = layers();
    let keys = [key(0), key(1)];
    let proof = layers.prove(&keys);
    // Whatever the lower roots are.
    (layers.intermediate, layers.snapshot) = (layers.snapshot, LeafMap::new());
    layers.judge(&keys, &proof).unwrap();
}

#[test]
fn layers_without_keys_have_no_nodes() {
    let empty = StateLayers::default();
    assert_eq!(empty.roots(), EMPTY_ROOTS);
    let none = encode(&[vec![], vec![], vec![]]);
    empty.judge(&[key(0)], &none).unwrap();
    for at in 0..3 {
        let mut lists = [vec![], vec![], vec![]];
        lists[at] = layers().nodes(&[key(9)])[at].clone();
        let refused = empty.judge(&[key(0)], &encode(&lists)).unwrap_err();
        assert_eq!(refused.reason(), Reason::NodeLeftOver);
    }
}

#[test]
fn the_root_of_a_header_has_96_bytes() {
    let roots = layers().roots();
    let bytes = roots.encode();
    assert_eq!(LayerRoots::decode(&bytes), Ok(roots));
    assert_eq!(bytes, [roots.snapshot, roots.intermediate, roots.delta].concat()[..]);
    for length in [0, 32, 64, 95] {
        let refused = LayerRoots::decode(&bytes[..length]).unwrap_err();
        assert_eq!(refused.reason(), Reason::InvalidArgument);
    }
    assert!(LayerRoots::decode(&[&bytes[..], &[0]].concat()).is_err());
}
