//! Heads of the right chain that do not extend the checkpoint, or not at the right time.

use prooflight_core::chain::{Blake2bTree, Checkpoint, Header};
use prooflight_core::merkle::{self, node_hash};
use prooflight_core::{Hash, Reason, blake2b256};

use super::small_chain;
use crate::carrier::{Hash32, Quantity};
use crate::chain::HeaderSync;
use crate::generate::builder::Builder;
use crate::generate::chain::made::{Chain, config, leaf, sign, sync};
use crate::generate::chain::sync_valid::far_apart;

pub(super) fn add(file: &mut Builder) {
    heights(file);
    paths(file);
    forks(file);
    far(file);
    other_trees(file);
    mutated(file);
    clocks(file);
}

/// A chain like another one up to a height, from where on its headers are others.
fn fork(chain: &Chain, from: usize) -> Chain {
    let mut fork = chain.clone();
    for height in from..chain.headers.len() {
        let parent = fork.headers[height - 1].hash();
        let history_root = merkle::root::<Blake2bTree>(&fork.leaves(height));
        let ops_root = [0x66; 32];
        let header = fork.headers[height].clone();
        fork.headers[height] = Header { parent, history_root, ops_root, ..header };
    }
    fork
}

fn heights(file: &mut Builder) {
    let chain = small_chain();
    let mut refuse = |comment: &str, input: &HeaderSync, reason| {
        file.invalid(&["History"], comment, input, reason);
    };
    let behind = "the head is the header before the checkpoint";
    refuse(behind, &sync(&chain.checkpoint(3), &chain.signed(2), &[]), Reason::HeadBehind);
    let behind = "the head is behind, with the path from it to the checkpoint";
    let path = chain.path(1, 3);
    refuse(behind, &sync(&chain.checkpoint(3), &chain.signed(1), &path), Reason::HeadBehind);
    let high = Checkpoint { height: u64::MAX, ..chain.checkpoint(3) };
    let comment = "the checkpoint has the largest height there can be";
    refuse(comment, &sync(&high, &chain.signed(3), &[]), Reason::HeadBehind);
    let high = Checkpoint { height: (1 << 32) + 2, ..chain.checkpoint(2) };
    let comment = "the checkpoint is 2^32 higher than the header of its hash";
    refuse(comment, &sync(&high, &chain.signed(3), &chain.path(2, 3)), Reason::HeadBehind);

    let other = fork(&chain, 2);
    let comment = "two headers of one height, both signed";
    let input = sync(&chain.checkpoint(2), &other.signed(2), &[]);
    refuse(comment, &input, Reason::Equivocation);
    let comment = "two headers of one height, and the path of the one before";
    let input = sync(&chain.checkpoint(2), &other.signed(2), &other.path(1, 2));
    refuse(comment, &input, Reason::Equivocation);
    let other = fork(&chain, 1);
    let comment = "two genesis headers";
    let mut genesis = other.headers[0].clone();
    genesis.ops_root = [0x66; 32];
    let input = sync(&chain.checkpoint(0), &sign(&genesis, &[0]), &[]);
    refuse(comment, &input, Reason::Equivocation);
    let comment = "the head is the checkpoint, but there is a path";
    let input = sync(&chain.checkpoint(2), &chain.signed(2), &chain.path(1, 2));
    refuse(comment, &input, Reason::NotExtending);
}

fn paths(file: &mut Builder) {
    let chain = Chain::new(config(1, 1), 12);
    let honest = chain.path(4, 11);
    let leaves = chain.leaves(11);
    let mut swapped = honest.clone();
    swapped.swap(0, 1);
    let backwards = honest.iter().rev().copied().collect();
    let cases: [(&str, Vec<Hash>); 13] = [
        ("no path", vec![]),
        ("the path without its first hash", honest[1..].to_vec()),
        ("the path without its last hash", honest[..honest.len() - 1].to_vec()),
        ("the path with its first hash twice", [&honest[..1], &honest].concat()),
        ("the path with a hash of zeros after it", [&honest[..], &[[0; 32]]].concat()),
        ("the path with the checkpoint's leaf before it", [&leaves[4..5], &honest].concat()),
        ("two hashes exchanged", swapped),
        ("the path backwards", backwards),
        ("the path of the height before", chain.path(3, 11)),
        ("the path of the height after", chain.path(5, 11)),
        ("the path in the history of the head before", chain.path(4, 10)),
        ("a path of zeros", vec![[0; 32]; honest.len()]),
        ("a path of 300 hashes", vec![[0; 32]; 300]),
    ];
    for (comment, path) in cases {
        let input = sync(&chain.checkpoint(4), &chain.signed(11), &path);
        file.invalid(&["History"], comment, &input, Reason::NotExtending);
    }
    let mut refuse = |comment: &str, checkpoint: &Checkpoint, path: &[Hash]| {
        let input = sync(checkpoint, &chain.signed(11), path);
        file.invalid(&["History"], comment, &input, Reason::NotExtending);
    };
    let hash = |header_hash| Checkpoint { header_hash, ..chain.checkpoint(4) };
    refuse("the checkpoint has another hash", &hash([0; 32]), &honest);
    let comment = "the checkpoint has the hash of the height before, with its path";
    refuse(comment, &hash(chain.headers[3].hash()), &chain.path(3, 11));
    let comment = "the checkpoint has a height below that of its hash, with the hash's path";
    refuse(comment, &Checkpoint { height: 3, ..chain.checkpoint(4) }, &honest);
    let comment = "the checkpoint has a height above that of its hash, with the hash's path";
    refuse(comment, &Checkpoint { height: 5, ..chain.checkpoint(4) }, &honest);
    // A node of the tree is no leaf: four headers at once.
    let node = node_hash::<Blake2bTree>(&leaves[4], &leaves[5]);
    refuse("the checkpoint's hash is a node of the tree", &hash(node), &honest[1..]);
}

fn forks(file: &mut Builder) {
    let chain = Chain::new(config(1, 1), 9);
    for from in [1, 4, 5] {
        let fork = fork(&chain, from);
        for (whose, path) in [("the fork's", fork.path(5, 8)), ("the chain's", chain.path(5, 8))] {
            let input = sync(&chain.checkpoint(5), &fork.signed(8), &path);
            let comment =
                format!("a fork from height {from} under a checkpoint of height 5, {whose} path");
            file.invalid(&["History"], comment, &input, Reason::NotExtending);
        }
    }
}

/// The same hash at a height that differs only in the bits that a shorter integer forgets.
fn far(file: &mut Builder) {
    let wrong = [
        (5, (1 << 32) + 5, (1 << 33) + 9),
        ((1 << 53) + 1, 1 << 53, (1 << 53) + 3),
        ((1 << 53) + 1, (1 << 53) + 2, (1 << 53) + 4),
        (0, 1 << 63, u64::MAX),
        (u64::MAX - 1, u64::MAX - 2, u64::MAX),
    ];
    for (right, wrong, to) in wrong {
        let (old, head, path) = far_apart(right, to);
        let checkpoint =
            Checkpoint { config: config(1, 1), height: wrong, header_hash: old.hash() };
        let input = sync(&checkpoint, &sign(&head, &[0]), &path);
        let comment = format!("the path of height {right} for a checkpoint of height {wrong}");
        file.invalid(&["History"], comment, &input, Reason::NotExtending);
    }
}

/// Heads whose history is a tree of another kind over the same headers.
fn other_trees(file: &mut Builder) {
    let chain = small_chain();
    let hashes = [0, 1, 2].map(|height| chain.headers[height].hash());
    let leaves = hashes.map(|hash| leaf(&hash));
    let hash = |left: &Hash, right: &Hash| blake2b256(&[left, right]);
    let node = |left: &Hash, right: &Hash| node_hash::<Blake2bTree>(left, right);
    let leaf_as_node = hashes.map(|hash| blake2b256(&[&[1], &hash]));
    let cases = [
        ("zeros", [0; 32], chain.path(0, 3)),
        (
            "leaves that are the hashes themselves",
            node(&node(&hashes[0], &hashes[1]), &hashes[2]),
            vec![hashes[1], hashes[2]],
        ),
        (
            "leaves hashed as nodes are",
            node(&node(&leaf_as_node[0], &leaf_as_node[1]), &leaf_as_node[2]),
            vec![leaf_as_node[1], leaf_as_node[2]],
        ),
        (
            "nodes hashed without a tag",
            hash(&hash(&leaves[0], &leaves[1]), &leaves[2]),
            vec![leaves[1], leaves[2]],
        ),
        (
            "a tree that leans to the right",
            node(&leaves[0], &node(&leaves[1], &leaves[2])),
            vec![node(&leaves[1], &leaves[2])],
        ),
        ("the headers before the last one only", node(&leaves[0], &leaves[1]), vec![leaves[1]]),
    ];
    for (what, history_root, path) in cases {
        let head = Header { history_root, ..chain.headers[3].clone() };
        let input = sync(&chain.checkpoint(0), &sign(&head, &[0]), &path);
        let comment = format!("the head's history root: {what}");
        file.invalid(&["History"], comment, &input, Reason::NotExtending);
    }
    // The last leaf is alone on its level.
    let first_two = node(&leaves[0], &leaves[1]);
    let filled = [("doubled", leaves[2]), ("beside zeros", [0; 32])];
    for (what, beside) in filled {
        let history_root = node(&first_two, &node(&leaves[2], &beside));
        let head = Header { history_root, ..chain.headers[3].clone() };
        for path in [vec![first_two], vec![beside, first_two]] {
            let input = sync(&chain.checkpoint(2), &sign(&head, &[0]), &path);
            let comment = format!(
                "the head's history root: the last leaf {what} to fill its level, a path of {}",
                path.len()
            );
            file.invalid(&["History"], comment, &input, Reason::NotExtending);
        }
    }
}

/// Each hash of a path changed, deleted, doubled and exchanged with the next one.
fn mutated(file: &mut Builder) {
    let chain = Chain::new(config(1, 1), 12);
    let honest = chain.sync(5, 11);
    let mut refuse = |comment: String, inclusion: Vec<Hash32>| {
        let input = HeaderSync { inclusion, ..honest.clone() };
        file.refused(&["Mutated"], comment, &input);
    };
    let path = &honest.inclusion;
    for at in 0..path.len() {
        let mut flipped = path.clone();
        flipped[at].0[at] ^= 0x10;
        refuse(format!("a bit of hash {at} of the path flipped"), flipped);
        let mut shorter = path.clone();
        shorter.remove(at);
        refuse(format!("hash {at} of the path deleted"), shorter);
        let mut longer = path.clone();
        longer.insert(at, path[at]);
        refuse(format!("hash {at} of the path twice"), longer);
        if at + 1 < path.len() {
            let mut swapped = path.clone();
            swapped.swap(at, at + 1);
            refuse(format!("hashes {at} and {} of the path exchanged", at + 1), swapped);
        }
    }
}

fn clocks(file: &mut Builder) {
    let chain = small_chain();
    let time = chain.headers[2].timestamp_ms;
    let mut refuse = |comment: &str, now: u64, skew: Option<u64>, age: Option<u64>, reason| {
        let input = HeaderSync {
            now: Quantity(now),
            max_clock_skew: skew.map(Quantity),
            max_head_age: age.map(Quantity),
            ..chain.sync(1, 2)
        };
        file.invalid(&["Clock"], comment, &input, reason);
    };
    let future = Reason::HeadInFuture;
    refuse("1 ms further ahead than the skew", time - 501, Some(500), None, future);
    refuse("1 ms ahead without a skew", time - 1, Some(0), None, future);
    refuse("30,001 ms ahead, and no skew is said", time - 30_001, None, None, future);
    refuse("a clock at 0", 0, Some(30_000), None, future);
    refuse("a clock at 0, and no skew is said", 0, None, Some(0), future);
    refuse("a clock in seconds", time / 1000, Some(30_000), None, future);
    refuse("1 ms older than allowed", time + 501, Some(0), Some(500), Reason::HeadTooOld);
    refuse("1 ms old, and no age is allowed", time + 1, Some(0), Some(0), Reason::HeadTooOld);
    let age = Some(u64::MAX - time - 1);
    refuse("as old as time, 1 ms more than allowed", u64::MAX, Some(0), age, Reason::HeadTooOld);
    let comment = "too old, however large the skew";
    refuse(comment, time + 501, Some(u64::MAX), Some(500), Reason::HeadTooOld);
}
