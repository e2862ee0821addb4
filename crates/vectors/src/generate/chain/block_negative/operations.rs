//! Operations that are not those of the header, or that no block has.

use prooflight_core::chain::state_key;
use prooflight_core::chain::{Blake2bTree, ChainLimits};
use prooflight_core::merkle::{self, leaf_hash, node_hash};
use prooflight_core::{Hash, Reason, blake2b256};

use super::{committed, followed, ledger, with_header, with_ops};
use crate::avl::Op;
use crate::carrier::Hex;
use crate::checkpoint::LimitsJson;
use crate::generate::builder::Builder;
use crate::generate::chain::ledger::{
    Ledger, batch_of, delete, key_of, op_of, ops_root, set, set_root,
};
use crate::generate::chain::made::config;
use crate::generate::dictionary::Dictionary;
use crate::state::{BlockTransition, StateOp};

pub(super) fn add(file: &mut Builder) {
    not_committed(file);
    other_roots(file);
    form(file);
    limits(file);
    absent(file);
    proof_of_others(file);
}

/// Changes of block 3: two sets and two deletes.
fn changed(ops: &[StateOp]) -> Vec<(String, Vec<StateOp>)> {
    let mut all = Vec::new();
    for (at, op) in ops.iter().enumerate() {
        let (before, rest) = ops.split_at(at);
        let mut change = |what: &str, new: &[StateOp]| {
            let name = match op {
                StateOp::Set { .. } => "Set",
                StateOp::Delete { .. } => "Delete",
            };
            let all_ops = [before, new, &rest[1..]].concat();
            all.push((format!("operation {at} ({name}) {what}"), all_ops));
        };
        let key = key_of(op);
        change("left out", &[]);
        // A key with a byte more is still before the next one.
        let longer = [key, &[0]].concat();
        match op {
            StateOp::Set { value, .. } => {
                change("with another value", &[set(key, "1000")]);
                change("with an empty value", &[set(key, "")]);
                change(
                    "with a zero byte after its value",
                    &[set(key, [&value.0[..], &[0]].concat())],
                );
                change("as a Delete", &[delete(key)]);
                change("on another key", &[set(longer.clone(), value.0.clone())]);
                change(
                    "with a byte of its value in its key",
                    &[set([key, &value.0[..1]].concat(), &value.0[1..])],
                );
            }
            StateOp::Delete { .. } => {
                change("as a Set of the empty value", &[set(key, "")]);
                change("on another key", &[delete(longer.clone())]);
            }
        }
        change("and one more on another key", &[op.clone(), set(longer, "1")]);
    }
    all.push(("no operation".to_owned(), vec![]));
    all
}

fn not_committed(file: &mut Builder) {
    let ledger = ledger();
    let honest = ledger.transition(3);
    let mut refuse = |comment: &str, input: &BlockTransition| {
        file.invalid(&["Operations"], comment, input, Reason::OperationsMismatch);
    };
    for (comment, ops) in changed(&honest.ops) {
        refuse(&comment, &with_ops(&honest, &ops));
    }
    refuse("the operations of another block", &with_ops(&honest, &ledger.blocks[5].ops));
    let empty = ledger.transition(2);
    refuse("an operation in a block without any", &with_ops(&empty, &[set("a", "1")]));
    for height in [2, 4, 6] {
        let header = Hex(ledger.chain.headers[height].encode());
        let comment = format!("the header of block {height} for block 3");
        refuse(&comment, &BlockTransition { header, ..honest.clone() });
    }
}

/// Roots over the right operations that are not those of chain 1.
fn other_roots(file: &mut Builder) {
    let ledger = ledger();
    let honest = ledger.transition(3);
    let mut refuse = |comment: &str, root: Hash| {
        let input = with_header(&honest, |header| header.ops_root = root);
        file.invalid(&["OpsRoot"], comment, &input, Reason::OperationsMismatch);
    };
    let leaf = |data: Vec<u8>| leaf_hash::<Blake2bTree>(&data);
    let root = |leaves: &[Hash]| merkle::root::<Blake2bTree>(leaves);
    let leaves = honest.ops.iter().map(|op| leaf(encoded(op))).collect::<Vec<_>>();
    assert_eq!(root(&leaves), ops_root(&honest.ops), "the tree of chain 1");
    let of = |data: &dyn Fn(&StateOp) -> Vec<u8>| {
        root(&honest.ops.iter().map(|op| leaf(data(op))).collect::<Vec<_>>())
    };
    refuse("zeros", [0; 32]);
    refuse("the empty tree", root(&[]));
    refuse("the tree backwards", root(&leaves.iter().rev().copied().collect::<Vec<_>>()));
    refuse("the tree with its last leaf twice", root(&[&leaves[..], &leaves[3..]].concat()));
    refuse("the tree without its last leaf", root(&leaves[..3]));
    refuse("a tree that leans to the right", {
        let node = node_hash::<Blake2bTree>;
        node(&leaves[0], &node(&leaves[1], &node(&leaves[2], &leaves[3])))
    });
    refuse("leaves hashed without a tag", {
        root(&honest.ops.iter().map(|op| blake2b256(&[&encoded(op)])).collect::<Vec<_>>())
    });
    refuse("leaves that are keys alone", of(&|op| key_of(op).to_vec()));
    refuse("leaves without the kind of operation", of(&|op| encoded(op)[1..].to_vec()));
    refuse(
        "leaves without lengths",
        of(&|op| match op {
            StateOp::Set { key, value } => [&[0], &key.0[..], &value.0].concat(),
            StateOp::Delete { key } => [&[1], &key.0[..]].concat(),
        }),
    );
    refuse(
        "leaves whose keys are hashed",
        of(&|op| match op {
            StateOp::Set { key, value } => encoded(&set(state_key(&key.0), value.0.clone())),
            StateOp::Delete { key } => encoded(&delete(state_key(&key.0))),
        }),
    );
    refuse("the tree in the order of the hashed keys", {
        let mut ops = honest.ops.clone();
        ops.sort_by_key(|op| state_key(key_of(op)));
        assert_ne!(ops, honest.ops, "the orders differ");
        root(&ops.iter().map(|op| leaf(encoded(op))).collect::<Vec<_>>())
    });
    refuse("the hash of all operations", {
        blake2b256(&[&honest.ops.iter().flat_map(encoded).collect::<Vec<_>>()[..]])
    });
    let empty = ledger.transition(2);
    let input = with_header(&empty, |header| header.ops_root = [0; 32]);
    let comment = "zeros for a block without operations";
    file.invalid(&["OpsRoot"], comment, &input, Reason::OperationsMismatch);
}

/// The encoding of chain 1.
fn encoded(op: &StateOp) -> Vec<u8> {
    let bytes = |bytes: &[u8]| {
        let length = u32::try_from(bytes.len()).expect("a short string").to_le_bytes();
        [&length[..], bytes].concat()
    };
    match op {
        StateOp::Set { key, value } => [&[0][..], &bytes(&key.0), &bytes(&value.0)].concat(),
        StateOp::Delete { key } => [&[1][..], &bytes(&key.0)].concat(),
    }
}

/// Operations that the header commits to, in the wrong order or several for a key.
fn form(file: &mut Builder) {
    let ledger = ledger();
    let honest = ledger.transition(3);
    let mut refuse = |comment: &str, input: &BlockTransition| {
        file.invalid(&["Form"], comment, input, Reason::InvalidBlock);
    };
    let ops = &honest.ops;
    for at in 0..ops.len() - 1 {
        let mut swapped = ops.clone();
        swapped.swap(at, at + 1);
        let comment = format!("operations {at} and {} exchanged", at + 1);
        refuse(&comment, &committed(&honest, &swapped));
        let comment = format!("{comment}, the header has the root of those in order");
        refuse(&comment, &with_ops(&honest, &swapped));
    }
    let backwards = ops.iter().rev().cloned().collect::<Vec<_>>();
    refuse("the operations backwards", &committed(&honest, &backwards));
    let mut hashed = ops.clone();
    hashed.sort_by_key(|op| state_key(key_of(op)));
    refuse("the operations in the order of the hashed keys", &committed(&honest, &hashed));
    let before = &ledger.blocks[2].after;
    let mut twice = |comment: &str, ops: &[StateOp]| {
        refuse(comment, &followed(&honest, before, ops));
    };
    twice("a key set twice to one value", &[set("alice", "1"), set("alice", "1")]);
    twice("a key set twice to two values", &[set("alice", "1"), set("alice", "2")]);
    twice("a key set and deleted", &[set("alice", "1"), delete("alice")]);
    twice("a key deleted and set", &[delete("alice"), set("alice", "1")]);
    twice("a key before its beginning", &[set("alice\0", "1"), set("alice", "2")]);
    twice("keys compared as signed bytes", &[set([0x80], "1"), set([0x7f], "2")]);
    twice("keys compared by their lengths first", &[set("b", "1"), set("aa", "2")]);
    twice("the empty key last", &[set("a", "1"), set("", "2")]);
}

/// Blocks of a chain whose limits are a little smaller.
fn limits(file: &mut Builder) {
    let ops = vec![set("alice", "100"), set("bob", ""), delete("x")];
    let ledger = Ledger::new(config(1, 1), vec![vec![set("x", "12345")], ops]);
    let honest = ledger.transition(1);
    let with = |max_key, max_value, max_ops| BlockTransition {
        limits: LimitsJson::from(&ChainLimits { max_key, max_value, max_ops }),
        ..honest.clone()
    };
    let mut refuse = |comment: &str, input: &BlockTransition, reason| {
        file.invalid(&["Limit"], comment, input, reason);
    };
    let block = Reason::InvalidBlock;
    refuse("3 operations where 2 are allowed", &with(5, 5, 2), block);
    refuse("3 operations where none is allowed", &with(5, 5, 0), block);
    refuse("a key of 5 bytes where 4 are allowed", &with(4, 5, 3), block);
    refuse("a key where only the empty one is allowed", &with(0, 5, 3), block);
    refuse("a value of 3 bytes where 2 are allowed", &with(5, 2, 3), block);
    refuse("a value where only the empty one is allowed", &with(5, 0, 3), block);
    let comment = "the old value of a deleted key has 5 bytes where 4 are allowed";
    refuse(comment, &with(5, 4, 3), Reason::ValueTooLarge);
    let long = Ledger::new(config(1, 1), vec![vec![], vec![set([7; 257], "1")]]).transition(1);
    refuse("a key of 257 bytes, with the default limits", &long, block);
    let deleted = vec![vec![set([7; 257], "1")], vec![delete([7; 257])]];
    let deleted = Ledger::new(config(1, 1), deleted).transition(1);
    refuse("a Delete of a key of 257 bytes, with the default limits", &deleted, block);
    let large = vec![vec![], vec![set("a", vec![7; 65_537])]];
    let large = Ledger::new(config(1, 1), large).transition(1);
    refuse("a value of 65,537 bytes, with the default limits", &large, block);
}

/// Deletes of keys without a value: the dictionary ignores them, a block must not have them.
fn absent(file: &mut Builder) {
    let ledger = ledger();
    let honest = ledger.transition(3);
    let before = &ledger.blocks[2].after;
    let mut refuse = |comment: &str, ops: &[StateOp]| {
        let input = followed(&honest, before, ops);
        file.invalid(&["Absent"], comment, &input, Reason::KeyAbsent);
    };
    refuse("nothing but a delete of an absent key", &[delete("carol")]);
    refuse("a delete of an absent key before others", &[delete("a"), set("alice", "1")]);
    refuse("a delete of an absent key after others", &[delete("alice"), delete("z")]);
    refuse(
        "deletes of an absent key and of its longer brother",
        &[delete("alic"), delete("alice"), delete("alice\0")],
    );
    let gone = ledger.transition(5);
    let input = followed(&gone, &ledger.blocks[4].after, &[delete("alice"), delete("bob")]);
    let comment = "a delete of a key that an earlier block deleted";
    file.invalid(&["Absent"], comment, &input, Reason::KeyAbsent);
    let wrong = with_header(&input, |header| set_root(header, &gone.digest));
    let comment = "a delete of an absent key, and another state";
    file.invalid(&["Order"], comment, &wrong, Reason::KeyAbsent);
    let rootless = with_header(&input, |header| header.roots.clear());
    let comment = "a delete of an absent key, and a header without a root";
    file.invalid(&["Order"], comment, &rootless, Reason::KeyAbsent);
}

/// The header commits to the operations, but the proof and the state are those of others.
fn proof_of_others(file: &mut Builder) {
    let ledger = ledger();
    let honest = ledger.transition(3);
    for (comment, ops) in changed(&honest.ops) {
        let input = committed(&honest, &ops);
        let comment = format!("{comment}, and the header commits to that");
        file.refused(&["OtherOperations"], comment, &input);
    }
    let before = &ledger.blocks[2].after;
    let batch = batch_of(&honest.ops);
    assert!(batch.len() > 2, "an order to change");
    let mut refuse = |comment: &str, batch: &[Op]| {
        let mut after: Dictionary = before.clone();
        let proof = after.apply(batch).0.proof;
        let input = BlockTransition { proof, ..honest.clone() };
        let input = with_header(&input, |header| set_root(header, &after.digest()));
        file.refused(&["OtherOperations"], comment, &input);
    };
    refuse("the batch backwards", &batch.iter().rev().cloned().collect::<Vec<_>>());
    let raw = honest.ops.iter().map(op_of).collect::<Vec<_>>();
    refuse("the batch in the order of the raw keys", &raw);
    let lookups = batch.iter().map(|op| Op::Lookup { key: Hex(op.borrow().key().to_vec()) });
    refuse("Lookups of the keys, and the state before", &lookups.collect::<Vec<_>>());
    let one = &batch[..batch.len() - 1];
    refuse("the batch without its last operation", one);
}
