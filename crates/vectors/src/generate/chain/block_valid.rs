//! `chain/block_transition.json`: blocks whose operations are those of their headers.

use prooflight_core::chain::{ChainConfig, ChainLimits};

use super::ledger::{Ledger, delete, set, seven_blocks};
use super::made::{config, config_of_all_schemes};
use crate::carrier::Hex;
use crate::generate::builder::Builder;
use crate::generate::rng::Rng;
use crate::state::StateOp;

const FLAGS: &[(&str, &str)] = &[
    ("History", "each block of a chain in which keys come, change, go and come back"),
    ("Limit", "as much as the chain allows"),
    ("Operations", "single operations, and the order of keys"),
    ("Random", "blocks of many operations, whose trees rotate"),
];

/// The file's bytes.
pub(in super::super) fn file() -> String {
    let mut file = Builder::new("chain", FLAGS);
    file.group("BlockTransition");
    all_blocks(&mut file, "History", "one scheme", &Ledger::new(config(1, 1), seven_blocks()));
    let all = Ledger::new(config_of_all_schemes(), seven_blocks()[..4].to_vec());
    all_blocks(&mut file, "History", "all schemes", &all);
    operations(&mut file);
    limits(&mut file);
    all_blocks(&mut file, "Random", "random", &Ledger::new(config(1, 1), random_blocks()));
    file.finish()
}

fn all_blocks(file: &mut Builder, flag: &str, what: &str, ledger: &Ledger) {
    for (height, block) in ledger.blocks.iter().enumerate() {
        let comment = format!("block {height}, {} operations, {what}", block.ops.len());
        let input = ledger.transition(height);
        file.valid(&[flag], comment, &input, ledger.expected_digest(height));
    }
}

/// The second of two blocks.
fn second(
    file: &mut Builder,
    flag: &str,
    comment: &str,
    config: ChainConfig,
    blocks: &[Vec<StateOp>],
) {
    let ledger = Ledger::new(config, blocks.to_vec());
    file.valid(&[flag], comment, &ledger.transition(1), ledger.expected_digest(1));
}

fn operations(file: &mut Builder) {
    let mut valid = |comment: &str, before: &[StateOp], ops: &[StateOp]| {
        second(file, "Operations", comment, config(1, 1), &[before.to_vec(), ops.to_vec()]);
    };
    let three = [set("a", "1"), set("b", "2"), set("c", "3")];
    valid("a key is added", &three, &[set("d", "4")]);
    valid("a key is changed", &three, &[set("b", "4")]);
    valid("a key is set to the value that it has", &three, &[set("b", "2")]);
    valid("a key is set to the empty value", &three, &[set("b", "")]);
    valid("a key with the empty value is set", &[set("a", "")], &[set("a", "1")]);
    valid("a key with the empty value is deleted", &[set("a", "")], &[delete("a")]);
    valid("a key is deleted", &three, &[delete("b")]);
    valid("the only key is deleted", &three[..1], &[delete("a")]);
    valid("all keys are deleted", &three, &[delete("a"), delete("b"), delete("c")]);
    valid("the empty key is set", &three, &[set("", "0")]);
    valid("the empty key is deleted", &[set("", "0")], &[delete("")]);
    valid(
        "a key is changed, one added and one deleted",
        &three,
        &[set("a", "4"), delete("b"), set("bb", "5")],
    );
    valid(
        "a key comes before those that it is the beginning of",
        &three,
        &[
            set("k", "1"),
            set([b'k', 0], "2"),
            set([b'k', 0, 0], "3"),
            set("ka", "4"),
            set("kb", "5"),
            set([b'k', 0xff], "6"),
        ],
    );
    valid("bytes above 7f come last", &[], &[set([0x7f], "1"), set([0x80], "2"), set([0xff], "3")]);
    valid("no operation", &three, &[]);
    valid("no operation on an empty state", &[], &[]);
    let leaves = (0..9u8).map(|n| set([n], [n])).collect::<Vec<_>>();
    for n in 1..=leaves.len() {
        valid(&format!("the operations are a tree of {n} leaves"), &[], &leaves[..n]);
    }
}

fn limits(file: &mut Builder) {
    let with = |max_key, max_value, max_ops| ChainConfig {
        limits: ChainLimits { max_key, max_value, max_ops },
        ..config(1, 1)
    };
    let mut valid = |comment: &str, config, ops: Vec<StateOp>| {
        second(file, "Limit", comment, config, &[vec![], ops]);
    };
    valid("as many operations as allowed", with(1, 1, 2), vec![set("a", "1"), set("b", "2")]);
    valid("no operation where none is allowed", with(0, 0, 0), vec![]);
    valid("a key as long as allowed", with(5, 1, 1), vec![set("alice", "1")]);
    valid("a value as long as allowed", with(1, 5, 1), vec![set("a", "12345")]);
    valid("the empty key and value, where no other is allowed", with(0, 0, 1), vec![set("", "")]);
    valid("a key longer than an AVL+ key may be", with(300, 1, 1), vec![set([7; 300], "1")]);
    let large = || vec![set("a", vec![0x5a; 65_536])];
    valid("a value of 65,536 bytes", config(1, 1), large());
    valid(
        "a value above the default limit, which the chain allows",
        with(1, 65_537, 1),
        vec![set("a", vec![0x5a; 65_537])],
    );
    valid("the largest limits", with(u16::MAX, u32::MAX, u32::MAX), large());
    let many = (0..4097u32).map(|n| set(n.to_be_bytes(), [])).collect::<Vec<_>>();
    valid("4,097 operations, one more than a default batch has", config(1, 1), many.clone());
    let gone = many.iter().map(|op| match op {
        StateOp::Set { key, .. } | StateOp::Delete { key } => StateOp::Delete { key: key.clone() },
    });
    let comment = "4,097 deletes, one more than a default batch has";
    second(file, "Limit", comment, config(1, 1), &[many.clone(), gone.collect()]);
}

/// Ten blocks that change, add and delete keys of a few hundred.
fn random_blocks() -> Vec<Vec<StateOp>> {
    let mut rng = Rng::new(0x626c_6f63_6b73);
    let mut live = std::collections::BTreeSet::new();
    let mut blocks = Vec::new();
    for size in [1, 2, 40, 3, 80, 17, 120, 60, 100, 30] {
        let mut keys = std::collections::BTreeSet::new();
        while keys.len() < size {
            let n = rng.below(300);
            keys.insert(format!("{n:x}").into_bytes());
        }
        let ops = keys.into_iter().map(|key| {
            if live.contains(&key) && rng.below(3) > 0 {
                live.remove(&key);
                return StateOp::Delete { key: Hex(key) };
            }
            let length = rng.below(12);
            live.insert(key.clone());
            set(key, rng.bytes(length))
        });
        blocks.push(ops.collect());
    }
    blocks
}
