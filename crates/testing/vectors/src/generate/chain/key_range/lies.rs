//! Proofs of pages and numbers that were changed to leave out keys, to make some up, or to alter them.

use prooflight_core::Reason;
use prooflight_testkit::amb::proof::{HistoryPart, ModelProof, ProofNode, VersionContent, integer};
use prooflight_testkit::amb::prove::{other_leaf, prove};
use prooflight_testkit::amb::query::Query;
use prooflight_testkit::amb::tree::{NodeKind, NodeRecord, TreeNode, bit, value_hash};

use super::{AmbChain, invalid, refused};
use crate::generate::amb::{count, range, reversed, small};
use crate::generate::builder::FileBuilder;

const FLAG: &str = "Lies";

pub(super) fn make(file: &mut FileBuilder, kept: &AmbChain) {
    let mut lies = RangeLies { file, kept };
    omissions(&mut lies);
    alterations(&mut lies);
    cuts(&mut lies);
    numbers(&mut lies);
}

/// Adds changed proofs, by the root of the head, block 5.
struct RangeLies<'a> {
    file: &'a mut FileBuilder,
    kept: &'a AmbChain,
}

impl RangeLies<'_> {
    fn lie(
        &mut self,
        comment: &str,
        query: &Query,
        reason: Reason,
        change: impl FnOnce(&mut ModelProof),
    ) {
        let mut proof = prove(&small(), query, None);
        change(&mut proof);
        let input = self.kept.proven(query, 5, &proof.encode());
        let of = if let Query::Range { .. } = query { "range" } else { "count" };
        invalid(self.file, FLAG, &format!("{of}: {comment}"), &input, reason);
    }

    /// Adds a changed page of which only the code of the refusal is pinned.
    fn misread(&mut self, comment: &str, query: &Query, proof: &ModelProof) {
        let input = self.kept.proven(query, 5, &proof.encode());
        refused(self.file, FLAG, &format!("range: {comment}"), &input);
    }
}

fn omissions(lies: &mut RangeLies<'_>) {
    let (all, old, root) = (range("", None, 5), range("", None, 2), Reason::RootMismatch);
    let not_opened = Reason::NodeNotExpanded;
    for (comment, query, key) in [
        ("the first key is closed", &all, "aa"),
        ("a key in the middle is closed", &all, "e"),
        ("the last key is closed", &all, "m"),
        ("a key that was deleted later is closed", &old, "d"),
        ("a key that changed later is closed", &old, "c"),
        ("a key that was written later is closed", &old, "kaa1"),
    ] {
        lies.lie(comment, query, not_opened, |proof| {
            *place(proof, key) = ProofNode::closed(&record(key), 5, true);
        });
        let comment = format!("{comment}, as if it were dead");
        lies.lie(&comment, query, dead_reason(query, key), |proof| {
            let record = record(key);
            let dead = NodeRecord { live: 0, dead: 1, ..record };
            *place(proof, key) = ProofNode::closed(&dead, 5, true);
        });
    }
    lies.lie("all keys are closed", &all, not_opened, |proof| {
        proof.root = ProofNode::closed(&tree().record, 5, true);
    });
    lies.lie("all keys are closed, as if they were dead", &all, root, |proof| {
        let record = tree().record;
        let dead = NodeRecord { live: 0, dead: record.live + record.dead, ..record };
        proof.root = ProofNode::closed(&dead, 5, true);
    });
    lies.lie("a key is left out, and its neighbour has its place", &all, root, |proof| {
        // The branch above `kaa1` and `kaa2`.
        let only = place(proof, "kaa2").clone();
        let depth = depth_of("kaa1") - 1;
        let mut leaf = only;
        if let ProofNode::Leaf(leaf) = &mut leaf {
            leaf.rest = b"kaa2".to_vec();
        }
        *proof.on_path(b"kaa1", depth) = leaf;
    });
    lies.lie("the tree without keys", &all, root, |proof| {
        proof.root = ProofNode::closed(&NodeRecord::EMPTY, 0, true);
    });
    lies.lie("a deleted key is opened", &all, Reason::NodeNotVisited, |proof| {
        let depth = depth_of("d");
        let state = small();
        *proof.on_path(b"d", depth) =
            ProofNode::Leaf(other_leaf(5, 9, b"d", &state.entries[&b"d"[..]]));
    });
}

/// A node of a later block cannot be settled at an older one, dead or not.
fn dead_reason(query: &Query, key: &str) -> Reason {
    match query {
        Query::Range { at, .. } if record(key).version > *at => Reason::NodeNotExpanded,
        // Beside `d`, which is dead, nothing in their branch would be asked for.
        _ if key == "e" => Reason::NodeNotVisited,
        _ => Reason::RootMismatch,
    }
}

fn alterations(lies: &mut RangeLies<'_>) {
    let (all, old, root) = (range("", None, 5), range("", None, 2), Reason::RootMismatch);
    lies.lie("another value", &all, root, |proof| {
        proof.leaf(b"aa").content = VersionContent::Value(b"2".to_vec());
    });
    lies.lie("the empty value", &all, root, |proof| {
        proof.leaf(b"aa").content = VersionContent::Value(vec![]);
    });
    lies.lie("the hash of the value as the value", &all, root, |proof| {
        proof.leaf(b"aa").content = VersionContent::Value(value_hash(Some(b"1")).to_vec());
    });
    lies.lie("the values of two keys exchanged", &all, root, |proof| {
        proof.leaf(b"aa").content = VersionContent::Value(b"5".to_vec());
        proof.leaf(b"e").content = VersionContent::Value(b"1".to_vec());
    });
    lies.lie("a value since another block", &all, root, |proof| proof.leaf(b"e").age += 1);
    lies.lie("a value since before block 0", &all, Reason::VersionOutOfRange, |proof| {
        proof.leaf(b"e").age = 6;
    });
    lies.lie("a key with a value as a deleted one", &all, Reason::NodeNotVisited, |proof| {
        proof.leaf(b"e").content = VersionContent::Tombstone;
    });
    lies.lie("another key", &all, root, |proof| proof.leaf(b"m").rest = b"n".to_vec());
    lies.lie("a key with a byte more", &all, root, |proof| proof.leaf(b"m").rest.push(0));
    lies.lie("a byte of the value in the key", &all, root, |proof| {
        proof.leaf(b"m").rest = b"m8".to_vec();
        proof.leaf(b"m").content = VersionContent::Value(vec![]);
    });
    lies.lie("two neighbours exchanged", &all, Reason::LeafOffPath, |proof| {
        let first = proof.leaf(b"aa").clone();
        let second = std::mem::replace(proof.leaf(b"ab"), first);
        *proof.leaf(b"aa") = second;
    });
    lies.lie("the first and the last key exchanged", &all, Reason::LeafOffPath, |proof| {
        let first = proof.leaf(b"aa").clone();
        let last = std::mem::replace(proof.leaf(b"m"), first);
        *proof.leaf(b"aa") = last;
    });
    lies.lie("a key twice", &all, Reason::LeafOffPath, |proof| {
        *proof.leaf(b"ab") = proof.leaf(b"aa").clone();
    });
    // `c` has `3` since block 0, `33` since block 1, `333` since block 3.
    lies.lie("an older value than the one at the block", &old, Reason::WrongVersion, |proof| {
        let leaf = proof.leaf(b"c");
        leaf.past[0] = HistoryPart::Integer(1);
        leaf.past[1] = HistoryPart::Version(5, VersionContent::Value(b"3".to_vec()));
        leaf.past.insert(2, HistoryPart::Version(4, VersionContent::Hash(value_hash(Some(b"33")))));
        leaf.past.truncate(3);
    });
    lies.lie("a key that was written later, since the block", &old, root, |proof| {
        let leaf = proof.leaf(b"kaa1");
        leaf.age = 3;
        leaf.content = VersionContent::Value(b"6".to_vec());
    });
    lies.lie("more versions than the key has", &all, root, |proof| {
        proof.leaf(b"c").versions += 1;
    });
}

fn cuts(lies: &mut RangeLies<'_>) {
    let (part, back) = (range("ab", Some("m"), 5), reversed("ab", Some("m"), 5));
    let end = Reason::PageEnd;
    for (comment, cut) in [
        ("a page cut at its lower bound", &b"ab"[..]),
        ("a page cut before its lower bound", b"aa"),
        ("a page cut at its upper bound", b"m"),
        ("a page cut after its upper bound", b"z"),
        ("a page cut at the empty key", b""),
    ] {
        lies.lie(comment, &part, end, |proof| proof.cut = cut_at(cut));
        let comment = format!("{comment}, descending");
        lies.lie(&comment, &back, end, |proof| proof.cut = cut_at(cut));
    }
    lies.lie("a flag of 2 before the cut", &part, Reason::InvalidEncoding, |proof| {
        proof.cut = vec![2, 1, b'c'];
    });
    lies.lie("the length of a cut in two bytes", &part, Reason::InvalidEncoding, |proof| {
        proof.cut = vec![1, 0x81, 0, b'c'];
    });
    let all = range("", None, 5);
    let mut page = prove(&small(), &all, Some(b"e"));
    page.cut = vec![0];
    lies.misread("a page of some keys as one of all", &all, &page);
    page.cut = cut_at(b"kaa1");
    lies.misread("a page cut at e as one cut at kaa1, to hide e", &all, &page);
    page.cut = cut_at(b"c");
    lies.misread("a page cut at e as one cut at c, with more than its keys", &all, &page);
    let whole = prove(&small(), &all, None);
    page = ModelProof { cut: cut_at(b"e"), ..whole };
    lies.misread("all keys as a page cut at e", &all, &page);
    let back = reversed("", None, 5);
    let mut page = prove(&small(), &back, Some(b"e"));
    page.cut = cut_at(b"c");
    lies.misread("a page cut at e as one cut at c, descending", &back, &page);
    page.cut = vec![0];
    lies.misread("a page of some keys as one of all, descending", &back, &page);
}

fn numbers(lies: &mut RangeLies<'_>) {
    let (all, part, root) = (count("", None), count("ab", Some("m")), Reason::RootMismatch);
    let closed = |part: &mut ProofNode, change: &dyn Fn(&mut u64, &mut u64)| {
        let ProofNode::Closed { live, dead, .. } = part else { panic!("closed") };
        change(live, dead);
    };
    for (comment, reason, change) in [
        ("one more", root, &|live: &mut u64, _: &mut u64| *live += 1),
        ("one less", root, &|live: &mut u64, _: &mut u64| *live -= 1),
        ("deleted keys count, too", root, &|live, dead| *live += std::mem::take(dead)),
        ("a deleted key more", root, &|_, dead| *dead += 1),
        ("2^32 more", root, &|live, _| *live += 1 << 32),
        ("2^56 keys", Reason::CountOutOfRange, &|live, _| *live = (1 << 56) - 1),
    ] as [(&str, Reason, &dyn Fn(&mut u64, &mut u64)); 6]
    {
        let comment = format!("{comment}, of all");
        lies.lie(&comment, &all, reason, |proof| closed(&mut proof.root, change));
    }
    // The leaf of `c` is covered, and the branch above `d`, which is deleted, and `e`.
    lies.lie("one more in a part", &part, root, |proof| {
        closed(place(proof, "c"), &|live, _| *live += 1);
    });
    lies.lie("a key of the part as deleted", &part, root, |proof| {
        closed(place(proof, "c"), &|live, dead| std::mem::swap(live, dead));
    });
    lies.lie("a deleted key of the part as one with a value", &part, root, |proof| {
        closed(place(proof, "e"), &|live, dead| *live += std::mem::take(dead));
    });
    lies.lie("a node without keys in the part", &part, Reason::InvalidEncoding, |proof| {
        closed(place(proof, "c"), &|live, _| *live = 0);
    });
    let comment = "the whole tree is closed, as if it lay in the part";
    lies.lie(comment, &part, Reason::NodeNotExpanded, |proof| {
        proof.root = ProofNode::closed(&tree().record, 5, true);
    });
    lies.lie("the tree without keys", &all, root, |proof| {
        proof.root = ProofNode::closed(&NodeRecord::EMPTY, 0, false);
    });
    lies.lie("the tree without keys, for a part", &part, root, |proof| {
        proof.root = ProofNode::closed(&NodeRecord::EMPTY, 0, true);
    });
}

fn tree() -> TreeNode {
    small().tree().expect("a tree")
}

/// How many branches are above the leaf of a key.
fn depth_of(key: &str) -> usize {
    leaf_of(key).1
}

/// The record of a key's leaf.
fn record(key: &str) -> NodeRecord {
    leaf_of(key).0
}

fn leaf_of(key: &str) -> (NodeRecord, usize) {
    let (mut node, mut depth) = (tree(), 0);
    while let NodeKind::Branch { prefix, children } = node.kind {
        let [left, right] = *children;
        node = if bit(key.as_bytes(), prefix.len()) { right } else { left };
        depth += 1;
    }
    (node.record, depth)
}

/// The place of a key's leaf in a proof, or of the closed node above it.
fn place<'a>(proof: &'a mut ModelProof, key: &str) -> &'a mut ProofNode {
    let key = key.as_bytes();
    let mut depth = 0;
    while matches!(proof.on_path(key, depth), ProofNode::Branch { .. }) {
        depth += 1;
    }
    proof.on_path(key, depth)
}

/// The bytes of a cut.
fn cut_at(cut: &[u8]) -> Vec<u8> {
    let mut flag = vec![1];
    integer(&mut flag, cut.len() as u64);
    [&flag, cut].concat()
}
