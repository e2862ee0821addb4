//! The lies that the paper's rules accept, and others known from attacks on verifiers: each is refused, with
//! the reason of the rule that excludes it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests fail by panicking"
)]

use prooflight_core::{Code, Hash, Limits, Reason};
use prooflight_smt::hash::{EMPTY_ROOT, hash_key, hash_value};
use prooflight_smt::proof::{DIFF_ENVELOPE, PROOF_ENVELOPE, ProofLeaf, ProofWriter};
use prooflight_smt::{PastState, verify, verify_diff, verify_history};
use prooflight_testkit::smt::judge::ChainQuestion;
use prooflight_testkit::smt::plain::{
    PlainNode, PlainTree, bit, encode_diff, encode_history, encode_proof,
};

/// A key in block 1 and 16 in block 2; then half of them change, one of those is deleted and one of these set again.
fn plain() -> PlainTree {
    let mut plain = PlainTree::default();
    plain.apply(1, [(key(16), Some(vec![16]))]);
    plain.apply(2, (0..16).map(|number| (key(number), Some(vec![number]))));
    plain.apply(5, (0..8).map(|number| (key(number), Some(vec![number, 5]))));
    plain.apply(6, [(key(3), None)]);
    plain.apply(8, [(key(1), Some(vec![1]))]);
    plain
}

fn key(number: u8) -> Vec<u8> {
    vec![b'k', number]
}

fn refusal(root: &Hash, height: u64, key: &[u8], proof: &[u8]) -> Reason {
    verify(root, height, &[key], proof, &Limits::DEFAULT).unwrap_err().reason()
}

fn judged(plain: &PlainTree, question: &ChainQuestion, proof: &[u8]) -> Reason {
    question.judge(plain, proof).unwrap_err().reason()
}

/// The path of a proof for one key, with another leaf at its end.
fn with_leaf(tree: &PlainNode, height: u64, way: &Hash, leaf: ProofLeaf<'_>) -> Vec<u8> {
    let mut writer = ProofWriter::new(PROOF_ENVELOPE);
    writer.root(height, tree.height());
    let (mut node, mut parent) = (tree, None);
    while let PlainNode::Branch { depth, left, right } = node {
        writer.branch(parent, *depth, left.height(), right.height());
        let (child, sibling) = if bit(way, *depth) == 0 { (left, right) } else { (right, left) };
        writer.closed(&sibling.hash());
        (node, parent) = (child, Some(*depth));
    }
    writer.proof_leaf(leaf);
    writer.finish()
}

#[test]
fn another_keys_inclusion_is_no_exclusion() {
    let plain = plain();
    let (tree, root, asked) = (plain.tree(8).unwrap(), plain.root(8), hash_key(&key(0)));
    for number in 1..16 {
        let other = hash_key(&key(number));
        let value = plain.last_change(&key(number), 8).unwrap().1;
        let value_hash = hash_value(value.unwrap_or_default());
        let leaf = match value {
            Some(_) => ProofLeaf::OtherLive { key_hash: &other, value_hash: &value_hash },
            None => ProofLeaf::OtherDeleted { key_hash: &other },
        };
        // The other key's leaf at the end of its own path, and at the end of the requested key's path.
        for way in [&other, &asked] {
            let refused = refusal(&root, 8, &key(0), &with_leaf(&tree, 8, way, leaf));
            assert_eq!(refused.code(), Code::Mismatch, "{refused}");
        }
    }
}

#[test]
fn a_keys_own_leaf_is_no_exclusion() {
    let plain = plain();
    let (tree, root, own) = (plain.tree(8).unwrap(), plain.root(8), hash_key(&key(0)));
    let value_hash = hash_value(&[0, 5]);
    let leaf = ProofLeaf::OtherLive { key_hash: &own, value_hash: &value_hash };
    let proof = with_leaf(&tree, 8, &own, leaf);
    assert_eq!(refusal(&root, 8, &key(0), &proof), Reason::LeafOfKey);
    let deleted = hash_key(&key(3));
    let leaf = ProofLeaf::OtherDeleted { key_hash: &deleted };
    let proof = with_leaf(&tree, 8, &deleted, leaf);
    assert_eq!(refusal(&root, 8, &key(3), &proof), Reason::LeafOfKey);
}

#[test]
fn a_value_is_no_tombstone_and_the_reverse() {
    let plain = plain();
    let (tree, root) = (plain.tree(8).unwrap(), plain.root(8));
    let proof = with_leaf(&tree, 8, &hash_key(&key(0)), ProofLeaf::Deleted { index: 0 });
    assert_eq!(refusal(&root, 8, &key(0), &proof), Reason::RootMismatch);
    for value in [&[][..], &[0; 32], &[3, 5]] {
        let leaf = ProofLeaf::Live { index: 0, value };
        let proof = with_leaf(&tree, 8, &hash_key(&key(3)), leaf);
        assert_eq!(refusal(&root, 8, &key(3), &proof), Reason::RootMismatch);
    }
}

#[test]
fn altered_sibling_heights() {
    let plain = plain();
    let (tree, root) = (plain.tree(8).unwrap(), plain.root(8));
    let mut siblings = 0;
    for level in 0.. {
        let mut found = false;
        for change in [-1, 1] {
            let (mut forged, mut at) = (tree.clone(), 0);
            forged.path_mut(&key(0), &mut |node| {
                if let PlainNode::Branch { depth, left, right } = node {
                    if at == level {
                        let sibling =
                            if bit(&hash_key(&key(0)), *depth) == 0 { right } else { left };
                        let height = sibling.height().checked_add_signed(change).unwrap();
                        **sibling = PlainNode::Closed { height, hash: sibling.hash() };
                        found = true;
                    }
                    at += 1;
                }
            });
            if found {
                assert!(forged.height() <= 9);
                let proof = encode_proof(9, Some(&forged), &[key(0)]);
                assert_eq!(refusal(&root, 9, &key(0), &proof), Reason::RootMismatch);
            }
        }
        if !found {
            break;
        }
        siblings += 1;
    }
    assert!(siblings >= 2);
}

#[test]
fn altered_leaf_heights() {
    let plain = plain();
    let (tree, root) = (plain.tree(8).unwrap(), plain.root(8));
    for number in [0, 1, 3, 15] {
        for change in [-1, 1] {
            let mut forged = tree.clone();
            forged.path_mut(&key(number), &mut |node| {
                if let PlainNode::Leaf { height, .. } = node {
                    *height = height.checked_add_signed(change).unwrap();
                }
            });
            let proof = encode_proof(9, Some(&forged), &[key(number)]);
            assert_eq!(refusal(&root, 9, &key(number), &proof), Reason::RootMismatch);
        }
    }
}

#[test]
fn a_deletion_does_not_lower_the_roots_height() {
    let mut plain = PlainTree::default();
    plain.apply(1, [(key(0), Some(vec![0]))]);
    plain.apply(4, [(key(1), Some(vec![1]))]);
    plain.apply(7, [(key(1), None)]);
    assert_eq!(plain.tree(7).unwrap().height(), 7);
    let diff = ChainQuestion::Diff { from: Some(4), to: 7 };
    diff.judge(&plain, &diff.prove(&plain)).unwrap();

    // As if the key had been purged: the tree of block 1, presented as unchanged since.
    let purged = plain.tree(1);
    for height in [7, 9] {
        let keys = ChainQuestion::Keys { height, keys: vec![key(1)] };
        let proof = encode_proof(height, purged.as_ref(), &[key(1)]);
        assert_eq!(judged(&plain, &keys, &proof), Reason::RootMismatch);
        let proof = encode_diff(Some(4), height, purged.as_ref());
        let diff = ChainQuestion::Diff { from: Some(4), to: height };
        assert_eq!(judged(&plain, &diff, &proof), Reason::RootMismatch);
    }
}

#[test]
fn a_root_is_no_older_than_it_is() {
    // Claims that its two children are unchanged, as old as `from`, under the true hashes.
    let plain = plain();
    let PlainNode::Branch { depth, left, right } = plain.tree(8).unwrap() else {
        panic!("16 keys")
    };
    for height in [2, 6, 7] {
        let close = |node: &PlainNode| PlainNode::Closed { height, hash: node.hash() };
        let (left, right) = (Box::new(close(&left)), Box::new(close(&right)));
        let forged = PlainNode::Branch { depth, left, right };
        let proof = encode_diff(Some(7), 8, Some(&forged));
        let diff = ChainQuestion::Diff { from: Some(7), to: 8 };
        assert_eq!(judged(&plain, &diff, &proof), Reason::RootMismatch);
    }
}

#[test]
fn a_diffs_root_is_opened_even_if_nothing_changed() {
    let plain = plain();
    let diff = ChainQuestion::Diff { from: Some(8), to: 9 };
    diff.judge(&plain, &diff.prove(&plain)).unwrap();
    // A closed root would be only a height and a hash, which proves nothing.
    for to in [8, 9] {
        let mut writer = ProofWriter::new(DIFF_ENVELOPE);
        writer.root(to, 2);
        writer.closed(&plain.root(to));
        let (root, closed, none) =
            (plain.root(to), writer.finish(), ProofWriter::new(DIFF_ENVELOPE).finish());
        let refusal = |proof| verify_diff(&root, Some(7), to, proof, &Limits::DEFAULT).unwrap_err();
        assert_ne!(refusal(&closed).code(), Code::InvalidInput);
        assert_eq!(refusal(&none).reason(), Reason::RootMismatch);
    }
}

#[test]
fn a_diff_hides_no_changed_subtree() {
    let plain = plain();
    let tree = plain.tree(8).unwrap();
    // Claims that some node on the path to a changed leaf is old.
    for level in 1..8 {
        let (mut forged, mut at, mut found) = (tree.clone(), 0, false);
        forged.path_mut(&key(1), &mut |node| {
            if at == level {
                *node = PlainNode::Closed { height: 7, hash: node.hash() };
                found = true;
            }
            at += 1;
        });
        if found {
            let proof = encode_diff(Some(7), 8, Some(&forged));
            let diff = ChainQuestion::Diff { from: Some(7), to: 8 };
            assert_eq!(judged(&plain, &diff, &proof), Reason::RootMismatch);
        }
    }
}

#[test]
fn a_stale_subtree_under_a_fresh_path() {
    let plain = plain();
    let (fresh, stale) = (plain.tree(8).unwrap(), plain.tree(5).unwrap());
    let keys = ChainQuestion::Keys { height: 8, keys: vec![key(1)] };
    let mut spliced = 0;
    for level in 0..8 {
        let (mut old, mut at, mut subtree) = (stale.clone(), 0, None);
        old.path_mut(&key(1), &mut |node| {
            if at == level {
                subtree = Some(node.clone());
            }
            at += 1;
        });
        let Some(subtree) = subtree else { continue };
        let (mut forged, mut at) = (fresh.clone(), 0);
        forged.path_mut(&key(1), &mut |node| {
            if at == level {
                *node = subtree.clone();
            }
            at += 1;
        });
        assert_ne!(forged, fresh);
        let proof = encode_proof(8, Some(&forged), &[key(1)]);
        assert_eq!(judged(&plain, &keys, &proof), Reason::RootMismatch);
        spliced += 1;
    }
    assert!(spliced >= 3);
}

#[test]
fn proofs_under_another_blocks_root_or_number() {
    let plain = plain();
    let proof = plain.prove(8, &[key(1)]);
    assert_eq!(refusal(&plain.root(6), 8, &key(1), &proof), Reason::RootMismatch);
    assert_eq!(refusal(&plain.root(8), 9, &key(1), &proof), Reason::RootMismatch);
    assert_eq!(refusal(&plain.root(8), 7, &key(1), &proof), Reason::RootMismatch);
    assert_eq!(refusal(&EMPTY_ROOT, 8, &key(1), &proof), Reason::RootMismatch);
    let none = ProofWriter::new(PROOF_ENVELOPE).finish();
    assert_eq!(refusal(&plain.root(8), 8, &key(1), &none), Reason::RootMismatch);
    // An age greater than the block.
    assert_eq!(refusal(&plain.root(2), 1, &key(1), &plain.prove(4, &[key(1)])), {
        Reason::VersionOutOfRange
    });
}

#[test]
fn a_history_leaves_no_change_out() {
    let plain = plain();
    let whole = plain.history_blocks(&key(1), 0, 9);
    assert_eq!(whole, [9, 7, 4, 1]);
    let refusal = |blocks: &[u64], trees: &[u64]| {
        let trees: Vec<_> = blocks.iter().zip(trees).map(|(&b, &t)| (b, plain.tree(t))).collect();
        let proof = encode_history(&key(1), &trees);
        let roots = plain.roots(&whole);
        verify_history(&roots, &key(1), 0, 9, &proof, &Limits::DEFAULT).unwrap_err().reason()
    };
    // The change of block 5 is skipped; the last tree is left out, is that of another block, or is twice.
    assert_eq!(refusal(&[9, 4, 1], &[9, 4, 1]), Reason::RootMismatch);
    assert_eq!(refusal(&[9, 7, 4], &[9, 7, 4]), Reason::RootMismatch);
    assert_eq!(refusal(&[9, 7, 4, 1], &[9, 4, 4, 1]), Reason::RootMismatch);
    assert_eq!(refusal(&[9, 7, 7, 4, 1], &[9, 7, 7, 4, 1]), Reason::VersionOutOfRange);
    // Claims to begin after its first change, with an older tree for a newer block.
    assert_eq!(refusal(&[9], &[1]), Reason::RootMismatch);
}

#[test]
fn the_roots_of_a_history_are_those_of_its_blocks() {
    let plain = plain();
    let proof = plain.prove_history(&key(1), 0, 9);
    let refusal = |blocks: &[u64]| {
        let roots = plain.roots(blocks);
        verify_history(&roots, &key(1), 0, 9, &proof, &Limits::DEFAULT).unwrap_err().reason()
    };
    assert_eq!(refusal(&[9, 7, 4]), Reason::WrongRoots);
    assert_eq!(refusal(&[9, 7, 4, 1, 0]), Reason::WrongRoots);
    assert_eq!(refusal(&[9, 6, 4, 1]), Reason::WrongRoots);
    assert_eq!(refusal(&[1, 4, 7, 9]), Reason::WrongRoots);
    assert_eq!(refusal(&[]), Reason::WrongRoots);
}

#[test]
fn deleted_and_set_again_is_in_the_history_and_its_end_in_the_diff() {
    let mut plain = PlainTree::default();
    plain.apply(1, [(key(0), Some(b"A".to_vec()))]);
    plain.apply(2, [(key(0), Some(b"B".to_vec()))]);
    plain.apply(3, [(key(0), None)]);
    plain.apply(4, [(key(0), Some(b"A".to_vec()))]);
    let proof = plain.prove_history(&key(0), 2, 5);
    let roots = plain.roots(&[5, 3, 2]);
    let history = verify_history(&roots, &key(0), 2, 5, &proof, &Limits::DEFAULT).unwrap();
    assert_eq!(history.entering, None);
    assert_eq!(
        history.changes,
        [
            PastState::Present { value: b"B", since: 2 },
            PastState::Deleted { deleted_at: 3 },
            PastState::Present { value: b"A", since: 4 },
        ]
    );
    let proof = plain.prove_diff(Some(1), 5);
    let changes = verify_diff(&plain.root(5), Some(1), 5, &proof, &Limits::DEFAULT).unwrap();
    assert_eq!(changes.len(), 1);
    assert_eq!(changes[0].answer, PastState::Present { value: b"A", since: 4 });
}

#[test]
fn one_leaf_alone() {
    let mut plain = PlainTree::default();
    plain.apply(3, [(key(0), Some(b"v".to_vec()))]);
    for (from, to) in [(Some(2), 3), (Some(3), 4), (None, 3)] {
        let diff = ChainQuestion::Diff { from, to };
        diff.judge(&plain, &diff.prove(&plain)).unwrap();
    }
    for number in [0, 1] {
        for height in [2, 3, 4] {
            let keys = ChainQuestion::Keys { height, keys: vec![key(number)] };
            keys.judge(&plain, &keys.prove(&plain)).unwrap();
        }
    }
}
