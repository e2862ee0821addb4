//! The tree in memory against a plain recursive one, and against the roots of an independent model.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod by_hash;
use std::collections::BTreeMap;

use by_hash::ByHash;
use prooflight_core::{Error, Hash, Limits, Reason};
use prooflight_smt::hash::{EMPTY_ROOT, MAX_HEIGHT, Preimage, hash_key, hash_value};
use prooflight_smt::tree::{
    HashedChange, KeyEntry, MemoryTree, NodeKind, VisitedChild, VisitedNode,
};
use prooflight_smt::verify;
use prooflight_testkit::smt::plain::{BlockOp, PlainTree};
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use serde_json::Value as Json;

#[test]
fn roots_are_those_of_another_model() {
    let file = include_str!("../../../test-vectors/state-roots/smt.json");
    let file: Json = serde_json::from_str(file).unwrap();
    let tests = file["testGroups"][0]["tests"].as_array().unwrap();
    assert_eq!(tests.len(), 4);
    for test in tests {
        let mut tree = MemoryTree::new();
        let blocks = test["input"]["blocks"].as_array().unwrap();
        let roots = test["expected"]["roots"].as_array().unwrap();
        assert_eq!(blocks.len(), roots.len());
        for (height, (block, root)) in (0..).zip(blocks.iter().zip(roots)) {
            let changes: Vec<HashedChange> = block.as_array().unwrap().iter().map(change).collect();
            let found = tree.update(height, &changes).unwrap();
            assert_eq!(found.as_slice(), bytes(root), "{} block {height}", test["comment"]);
        }
    }
}

fn change(change: &Json) -> HashedChange {
    let value_hash = (change["op"] == "Set").then(|| hash_value(&bytes(&change["value"])));
    HashedChange { key_hash: hash_key(&bytes(&change["key"])), value_hash }
}

fn bytes(hex: &Json) -> Vec<u8> {
    let digits = hex.as_str().unwrap().strip_prefix("0x").unwrap();
    let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
    (0..digits.len()).step_by(2).map(byte).collect()
}

/// Draws a key hash that often shares its first bits with a known one, so that every kind of branch
/// occurs.
fn key_hash(rng: &mut StdRng, known: &[Hash]) -> Hash {
    let mut hash: Hash = rng.random();
    if !known.is_empty() && rng.random_bool(0.8) {
        let like = known[rng.random_range(0..known.len())];
        let common = match rng.random_range(0..4) {
            0 => rng.random_range(0..12),
            1 => rng.random_range(50..70),
            2 => rng.random_range(0..256),
            _ => return like,
        };
        for bit in 0..common {
            let mask = 0x80 >> (bit % 8);
            hash[bit / 8] = hash[bit / 8] & !mask | like[bit / 8] & mask;
        }
    }
    hash
}

fn draw(rng: &mut StdRng, known: &mut Vec<Hash>, count: usize) -> Vec<HashedChange> {
    let draw_one = |_| {
        let key_hash = key_hash(rng, known);
        known.push(key_hash);
        HashedChange { key_hash, value_hash: rng.random_bool(0.7).then(|| rng.random()) }
    };
    (0..count).map(draw_one).collect()
}

#[test]
fn the_tree_is_that_of_the_definition() {
    for seed in 0..60 {
        println!("seed {seed}");
        let mut rng = StdRng::seed_from_u64(seed);
        let (mut tree, mut plain, mut known) = (MemoryTree::new(), ByHash::default(), Vec::new());
        let mut height = rng.random_range(0..3);
        for _ in 0..12 {
            let count = [0, 1, 2, 7, 40, 200][rng.random_range(0..6)];
            let changes = draw(&mut rng, &mut known, count);
            plain.apply(height, &changes);
            let prepared = tree.prepare(height, &changes).unwrap();
            assert_eq!((prepared.root(), prepared.height()), (plain.root(), height));
            let mut changed = Vec::new();
            prepared.visit(|node| changed.push(format!("{node:?}")));
            tree.commit(&prepared).unwrap();
            assert_eq!((tree.root(), tree.height()), (plain.root(), Some(height)));
            assert_eq!(tree.len(), plain.entries.len());

            let mut of_block = Vec::new();
            tree.visit(height, |node| of_block.push(format!("{node:?}")));
            assert_eq!(changed, of_block);
            for key_hash in known.iter().chain(&[rng.random()]) {
                assert_eq!(tree.get(key_hash), plain.entries.get(key_hash).copied());
            }
            check_visit(&tree, 0, &plain.entries);
            height += [1, 1, 5, 1 << 40][rng.random_range(0..4)];
        }
        check_visit(&tree, height / 2, &plain.entries);
    }
}

/// Checks that a visit shows correct hashes, and every leaf that is new enough.
fn check_visit(tree: &MemoryTree, first_height: u64, entries: &BTreeMap<Hash, KeyEntry>) {
    let mut nodes = Vec::new();
    tree.visit(first_height, |node| nodes.push(node));
    let mut leaves = Vec::new();
    let mut rest = &nodes[..];
    if let Some(root) = rest.first() {
        assert_eq!(*hash_of(root), tree.root());
        check_subtree(&mut rest, first_height, &mut leaves);
    }
    assert_eq!(rest, []);
    let new_enough = |entry: &(&Hash, &KeyEntry)| entry.1.height >= first_height;
    let expected: Vec<_> = entries.iter().filter(new_enough).map(|(k, e)| (*k, *e)).collect();
    assert_eq!(leaves, expected);
}

fn hash_of<'t>(node: &VisitedNode<'t>) -> &'t Hash {
    match node {
        VisitedNode::Branch { hash, .. } | VisitedNode::Leaf { hash, .. } => hash,
    }
}

fn check_subtree(
    rest: &mut &[VisitedNode<'_>],
    first_height: u64,
    leaves: &mut Vec<(Hash, KeyEntry)>,
) -> NodeKind {
    let (node, after) = rest.split_first().unwrap();
    *rest = after;
    match *node {
        VisitedNode::Branch { depth, height, hash, left, right } => {
            let of = |it: VisitedChild<'_>| (it.height, *it.hash);
            let [(lv, lh), (rv, rh)] = [of(left), of(right)];
            assert_eq!(height, lv.max(rv));
            assert_eq!(*hash, by_hash::branch(depth, (lv, lh), (rv, rh)));
            for child in [left, right] {
                if child.height >= first_height {
                    assert_eq!(hash_of(&rest[0]), child.hash);
                    assert_eq!(check_subtree(rest, first_height, leaves), child.kind);
                }
            }
            NodeKind::Branch
        }
        VisitedNode::Leaf { height, hash, key_hash, value_hash } => {
            let value_hash = value_hash.copied();
            leaves.push((*key_hash, KeyEntry { height, value_hash }));
            let (kind, preimage) = match &value_hash {
                Some(it) => (NodeKind::Leaf, Preimage::leaf(height, key_hash, it)),
                None => (NodeKind::Tombstone, Preimage::tombstone(height, key_hash)),
            };
            assert_eq!(*hash, preimage.hash());
            kind
        }
    }
}

#[test]
fn the_root_depends_neither_on_threads_nor_on_order_nor_on_parts() {
    let mut rng = StdRng::seed_from_u64(1);
    let random = |rng: &mut StdRng, length: usize| -> Vec<HashedChange> {
        let one = |_| HashedChange { key_hash: rng.random(), value_hash: Some(rng.random()) };
        (0..length).map(one).collect()
    };
    let first = random(&mut rng, 5000);
    // Each key once, since the order of changes to one key matters.
    let mut second = random(&mut rng, 3000);
    second.extend(first.iter().step_by(2).map(|old| {
        let value_hash = rng.random_bool(0.7).then(|| rng.random());
        HashedChange { value_hash, ..*old }
    }));
    let mut plain = ByHash::default();
    plain.apply(3, &first);
    plain.apply(4, &second);
    for threads in [1, 2, 3, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for parts in [1, 2, 7] {
            second.shuffle(&mut rng);
            let root = pool.install(|| {
                let mut tree = MemoryTree::new();
                tree.update(3, &first).unwrap();
                for part in second.chunks(second.len().div_ceil(parts)) {
                    tree.update(4, part).unwrap();
                }
                tree.root()
            });
            assert_eq!(root, plain.root(), "{threads} threads, {parts} parts");
        }
    }
}

#[test]
fn an_abandoned_block_leaves_no_trace() {
    let mut rng = StdRng::seed_from_u64(2);
    let mut known = Vec::new();
    let blocks: Vec<Vec<HashedChange>> = (0..20).map(|_| draw(&mut rng, &mut known, 100)).collect();
    let (mut tree, mut other) = (MemoryTree::new(), MemoryTree::new());
    for (height, changes) in (0..).zip(&blocks) {
        let before = format!("{tree:?}");
        for abandoned in &blocks {
            assert_eq!(tree.prepare(height, abandoned).unwrap().height(), height);
        }
        assert_eq!(format!("{tree:?}"), before);
        tree.update(height, changes).unwrap();
        other.update(height, changes).unwrap();
        assert_eq!(tree.root(), other.root());
    }
}

#[test]
fn only_what_was_prepared_on_this_state_is_committed() {
    let set = |byte| HashedChange { key_hash: [byte; 32], value_hash: Some([byte; 32]) };
    let (mut tree, mut twin) = (MemoryTree::new(), MemoryTree::new());
    let prepared = tree.prepare(0, &[set(1)]).unwrap();
    assert_eq!(twin.commit(&prepared).unwrap_err().reason(), Reason::InvalidArgument);
    assert_eq!(twin.root(), EMPTY_ROOT);
    let overtaken = tree.prepare(0, &[set(2)]).unwrap();
    tree.commit(&prepared).unwrap();
    let root = tree.root();
    for stale in [&overtaken, &prepared] {
        assert_eq!(tree.commit(stale).unwrap_err().reason(), Reason::InvalidArgument);
        assert_eq!((tree.root(), tree.len()), (root, 1));
    }
}

#[test]
fn blocks_rise_and_are_heights() {
    let mut tree = MemoryTree::new();
    let set = [HashedChange { key_hash: [7; 32], value_hash: Some([9; 32]) }];
    for wrong in [MAX_HEIGHT + 1, u64::MAX] {
        assert_eq!(tree.update(wrong, &set).unwrap_err().reason(), Reason::InvalidArgument);
    }
    assert_eq!((tree.height(), tree.is_empty()), (None, true));
    tree.update(5, &[]).unwrap();
    assert_eq!((tree.height(), tree.root()), (Some(5), EMPTY_ROOT));
    assert_eq!(tree.update(4, &set).unwrap_err().reason(), Reason::InvalidArgument);
    tree.update(MAX_HEIGHT, &set).unwrap();
    let entry = KeyEntry { height: MAX_HEIGHT, value_hash: Some([9; 32]) };
    assert_eq!((tree.get(&[7; 32]), tree.get(&[8; 32])), (Some(entry), None));
    assert_eq!(tree.root(), Preimage::leaf(MAX_HEIGHT, &[7; 32], &[9; 32]).hash());
}

#[test]
fn of_several_changes_to_a_key_the_last_one_counts() {
    let change = |value: Option<u8>| HashedChange {
        key_hash: [7; 32],
        value_hash: value.map(|it| [it; 32]),
    };
    let entry =
        |height, value: Option<u8>| KeyEntry { height, value_hash: value.map(|it| [it; 32]) };
    let mut tree = MemoryTree::new();
    let steps: [(&[_], _); 6] = [
        (&[None], None),
        (&[Some(1), None], None),
        (&[None, Some(1), Some(2)], Some(entry(2, Some(2)))),
        (&[Some(3), None], Some(entry(3, None))),
        (&[Some(4), None], Some(entry(3, None))),
        (&[None, Some(5)], Some(entry(5, Some(5)))),
    ];
    for (height, (values, expected)) in (0..).zip(steps) {
        let changes: Vec<HashedChange> = values.iter().map(|it| change(*it)).collect();
        tree.update(height, &changes).unwrap();
        assert_eq!(tree.get(&[7; 32]), expected, "block {height}");
    }
}

#[test]
fn a_restored_tree_is_the_one_that_was_there() {
    let mut rng = StdRng::seed_from_u64(3);
    let (mut tree, mut known) = (MemoryTree::new(), Vec::new());
    let empty = MemoryTree::restore(9, []).unwrap();
    assert_eq!((empty.root(), empty.height()), (EMPTY_ROOT, Some(9)));
    for height in 0..20 {
        tree.update(height, &draw(&mut rng, &mut known, 300)).unwrap();
    }
    let mut leaves = Vec::new();
    tree.visit(0, |node| {
        if let VisitedNode::Leaf { height, key_hash, value_hash, .. } = node {
            leaves.push((*key_hash, KeyEntry { height, value_hash: value_hash.copied() }));
        }
    });
    assert!(
        leaves.is_sorted_by_key(|leaf| leaf.0)
            && leaves.iter().any(|(_, entry)| entry.value_hash.is_none())
    );
    let too_new = MemoryTree::restore(18, leaves.clone()).unwrap_err();
    assert_eq!(too_new.reason(), Reason::InvalidArgument);
    for shuffled in [false, true] {
        if shuffled {
            leaves.shuffle(&mut rng);
        }
        let mut restored = MemoryTree::restore(19, leaves.clone()).unwrap();
        assert_eq!((restored.root(), restored.height()), (tree.root(), Some(19)));
        let changes = draw(&mut rng, &mut known, 300);
        let root = tree.clone().update(20, &changes).unwrap();
        assert_eq!(restored.update(20, &changes).unwrap(), root);
    }
}

#[test]
fn proofs_from_memory_are_those_of_the_definition_and_verify() {
    let mut rng = StdRng::seed_from_u64(4);
    for keys in [1, 3, 60] {
        let (mut tree, mut plain) = (MemoryTree::new(), PlainTree::default());
        let key = |rng: &mut StdRng| vec![rng.random_range(0..keys)];
        for height in 0..25 {
            let ops: Vec<BlockOp> = (0..rng.random_range(0..6))
                .map(|_| (key(&mut rng), rng.random_bool(0.7).then(|| vec![rng.random(); 5])))
                .collect();
            let changes = ops.iter().map(|(key, value)| HashedChange {
                key_hash: hash_key(key),
                value_hash: value.as_deref().map(hash_value),
            });
            tree.update(height, &changes.collect::<Vec<_>>()).unwrap();
            plain.apply(height, ops);
            assert_eq!(tree.root(), plain.root(height));

            let asked: Vec<_> = (0..rng.random_range(1..5)).map(|_| key(&mut rng)).collect();
            let hashes: Vec<Hash> = asked.iter().map(|key| hash_key(key)).collect();
            let value = |hash: &Hash| {
                let key = asked.iter().find(|key| hash_key(key) == *hash).unwrap();
                Ok(plain.last_change(key, height).unwrap().1.unwrap())
            };
            let proof = tree.prove(&hashes, value).unwrap();
            assert_eq!(proof, plain.prove(height, &asked));
            let asked: Vec<&[u8]> = asked.iter().map(Vec::as_slice).collect();
            let answers = verify(&tree.root(), height, &asked, &proof, &Limits::DEFAULT).unwrap();
            let expected: Vec<_> = asked.iter().map(|key| plain.answer(key, height)).collect();
            assert_eq!(*answers, expected);
        }
    }
}

#[test]
fn a_proof_needs_a_block_and_the_values_that_were_written() {
    let key_hash = hash_key(b"key");
    let set = [HashedChange { key_hash, value_hash: Some(hash_value(b"value")) }];
    let mut tree = MemoryTree::new();
    let refused = |tree: &MemoryTree, value: Result<&'static str, Error>| {
        tree.prove(&[key_hash], |_| value.clone()).unwrap_err().reason()
    };
    assert_eq!(refused(&tree, Ok("value")), Reason::VersionUnavailable);
    tree.update(0, &set).unwrap();
    assert!(tree.prove(&[key_hash], |_| Ok("value")).is_ok());
    assert_eq!(refused(&tree, Ok("other")), Reason::StoreCorrupt);
    let failed = Error::new(Reason::StoreFailed, "a store that can be read", "none");
    assert_eq!(refused(&tree, Err(failed)), Reason::StoreFailed);
}
