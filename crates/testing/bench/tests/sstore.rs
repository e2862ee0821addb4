//! The structures of the paper on S-Store beside a plain dictionary of all versions.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::collections::BTreeMap;

use prooflight_bench::Result;
use prooflight_bench::sstore::{
    AmbTree, BucketTree, FAN_OUT, Key, KeyVersion, Value, verify_get, verify_history,
};
use prooflight_core::Hash;

/// The newest block of the trees below.
const NEWEST_BLOCK: u64 = 60;

/// Every version of every key, oldest first.
type Dictionary = BTreeMap<Key, Vec<KeyVersion>>;

/// A pseudorandom number from a block and an index in it.
fn random(block: u64, place: u64) -> u64 {
    let word = (block * 1000 + place + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (word ^ (word >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 32
}

fn key(number: u64) -> Key {
    let mut key = [7; 32];
    key[..8].copy_from_slice(&number.to_be_bytes());
    key
}

/// The changes of a block: up to 40 of 500 keys, some of them twice.
fn changes(block: u64) -> Vec<(Key, Value)> {
    let change = |place| (key(random(block, place) % 500), key(random(block, place + 100)));
    (0..random(block, 999) % 40).map(change).collect()
}

fn put(dictionary: &mut Dictionary, block: u64, changes: &[(Key, Value)]) {
    for &(key, value) in changes {
        let versions = dictionary.entry(key).or_default();
        versions.pop_if(|newest| newest.block == block);
        versions.push(KeyVersion { block, value });
    }
}

fn filled(fan_out: u8) -> (AmbTree, Dictionary) {
    let (mut tree, mut dictionary) = (AmbTree::new(fan_out).unwrap(), Dictionary::new());
    for block in 1..=NEWEST_BLOCK {
        tree.put(block, &changes(block)).unwrap();
        put(&mut dictionary, block, &changes(block));
    }
    (tree, dictionary)
}

/// The versions of blocks `from..=to` and the one in force before them, newest first.
fn expected(versions: &[KeyVersion], from: u64, to: u64) -> Vec<KeyVersion> {
    let first = versions.iter().rposition(|it| it.block <= from).unwrap_or(0);
    let until = versions[first..].iter().filter(|it| it.block <= to);
    until.rev().copied().collect()
}

#[test]
fn the_amb_tree_proves_what_was_put() {
    for fan_out in [3, 4, FAN_OUT, 127] {
        let (tree, dictionary) = filled(fan_out);
        let root = tree.root();
        for (key, versions) in &dictionary {
            let newest = verify_get(&root, key, &tree.get(key).unwrap()).unwrap();
            assert_eq!(Some(&newest), versions.last(), "fan-out {fan_out}, key {key:?}");
            for from in (0..=NEWEST_BLOCK).step_by(7) {
                for to in (from..=NEWEST_BLOCK).step_by(5) {
                    let proof = tree.history(key, from, to).unwrap();
                    let shown = verify_history(&root, key, from, to, &proof).unwrap();
                    assert_eq!(shown, expected(versions, from, to), "{from}..={to}, key {key:?}");
                }
            }
        }
        assert_eq!(tree.get(&key(500)), None);
    }
}

#[test]
fn one_by_one_or_together_gives_one_root() {
    for fan_out in [3, FAN_OUT] {
        let [mut together, mut one_by_one] = [(); 2].map(|()| AmbTree::new(fan_out).unwrap());
        for block in 1..=NEWEST_BLOCK {
            let before = together.root();
            let changes = changes(block);
            let after = together.put(block, &changes).unwrap();
            assert_eq!(after == before, changes.is_empty(), "block {block}");
            for change in changes {
                one_by_one.put(block, &[change]).unwrap();
            }
            assert_eq!(one_by_one.root(), after, "block {block}");
        }
    }
}

#[test]
fn the_amb_tree_refuses_lies() {
    let (tree, dictionary) = filled(4);
    let root = tree.root();
    let (key, versions) = dictionary.iter().max_by_key(|(_, versions)| versions.len()).unwrap();
    assert!(versions.len() > 3, "a key with several versions");
    let (from, to) = (versions[1].block, versions[2].block);
    let proof = tree.history(key, from, to).unwrap();
    for at in 0..proof.len() {
        for bit in 0..8 {
            let mut lie = proof.clone();
            lie[at] ^= 1 << bit;
            verify_history(&root, key, from, to, &lie).expect_err("a changed bit");
        }
        verify_history(&root, key, from, to, &proof[..at]).expect_err("a proof cut short");
    }
    verify_history(&root, key, from, to, &[&proof[..], &[0]].concat()).expect_err("one byte more");
    verify_history(&[1; 32], key, from, to, &proof).expect_err("another root");
    for other in dictionary.keys().filter(|other| *other != key) {
        verify_history(&root, other, from, to, &proof).expect_err("another key");
    }
    // A proof for other blocks shows the truth about these, or is refused.
    for from in 0..=NEWEST_BLOCK {
        for to in from..=NEWEST_BLOCK {
            if let Ok(shown) = verify_history(&root, key, from, to, &proof) {
                assert_eq!(shown, expected(versions, from, to), "{from}..={to}");
            }
        }
    }
}

#[test]
fn blocks_of_a_key_do_not_go_back() {
    let mut tree = AmbTree::new(FAN_OUT).unwrap();
    tree.put(2, &[(key(1), key(1))]).unwrap();
    tree.put(1, &[(key(1), key(2))]).expect_err("an older block");
    AmbTree::new(2).map(|tree| tree.root()).expect_err("a fan-out too small");
    AmbTree::new(128).map(|tree| tree.root()).expect_err("a fan-out too large");
}

/// An entry of a bucket.
fn entry(&(key, value): &(Key, Value)) -> [u8; 64] {
    let mut entry = [0; 64];
    entry[..32].copy_from_slice(&key);
    entry[32..].copy_from_slice(&value);
    entry
}

#[test]
fn the_bucket_tree_proves_what_was_put() {
    for (buckets, group) in [(1, 2), (7, 2), (100, 10), (1009, 5)] {
        let mut tree = BucketTree::new(buckets, group).unwrap();
        let mut one_by_one = BucketTree::new(buckets, group).unwrap();
        let mut dictionary = BTreeMap::new();
        for block in 1..=NEWEST_BLOCK {
            let before = tree.root();
            let entries: Vec<_> = changes(block).iter().map(entry).collect();
            let after = tree.put(&entries);
            assert_eq!(after == before, entries.is_empty(), "block {block}");
            for entry in entries {
                one_by_one.put(&[entry]);
            }
            assert_eq!(one_by_one.root(), after, "block {block}");
            dictionary.extend(changes(block));
        }
        for key in (0..510).map(key) {
            let shown = tree.verify(&tree.root(), &key, &tree.get(&key)).unwrap();
            assert_eq!(shown, dictionary.get(&key).copied(), "{key:?} in {buckets} buckets");
        }
    }
}

#[test]
fn the_bucket_tree_refuses_lies() {
    let mut tree = BucketTree::new(101, 3).unwrap();
    for block in 1..=NEWEST_BLOCK {
        tree.put(&changes(block).iter().map(entry).collect::<Vec<_>>());
    }
    let (key, _) = changes(NEWEST_BLOCK - 1)[0];
    let proof = tree.get(&key);
    let verify =
        |root: &Hash, proof: &[u8]| -> Result<Option<Value>> { tree.verify(root, &key, proof) };
    verify(&tree.root(), &proof).unwrap();
    for at in 0..proof.len() {
        let mut lie = proof.clone();
        lie[at] ^= 1;
        verify(&tree.root(), &lie).expect_err("a changed bit");
        verify(&tree.root(), &proof[..at]).expect_err("a proof cut short");
    }
    verify(&tree.root(), &[&proof[..], &[0]].concat()).expect_err("one byte more");
    verify(&[1; 32], &proof).expect_err("another root");
    BucketTree::<64>::new(0, 2).map(|tree| tree.root()).expect_err("no buckets");
    BucketTree::<64>::new(2, 1).map(|tree| tree.root()).expect_err("nodes with one child");
}
