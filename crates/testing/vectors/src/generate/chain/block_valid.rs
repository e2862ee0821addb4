//! `chain/block_transition.json`: blocks whose operations are those of their headers.

use prooflight_json::HexBytes;

use super::avl_chain::{AvlChain, set, seven_blocks};
use super::header_chain::{config, config_of_six_schemes};
use crate::generate::builder::FileBuilder;
use crate::generate::rng::Rng;
use crate::state::OperationJson;

/// Adds the tests made by code.
pub(in super::super) fn make(file: &mut FileBuilder) {
    file.group("BlockTransition");
    all_blocks(file, "History", "one scheme", &AvlChain::new(config(1, 1), seven_blocks()));
    let all = AvlChain::new(config_of_six_schemes(), seven_blocks()[..4].to_vec());
    all_blocks(file, "History", "all schemes", &all);
    all_blocks(file, "Random", "random", &AvlChain::new(config(1, 1), random_blocks()));
}

fn all_blocks(file: &mut FileBuilder, flag: &str, what: &str, ledger: &AvlChain) {
    for (height, block) in ledger.blocks.iter().enumerate() {
        let comment = format!("block {height}, {} operations, {what}", block.ops.len());
        let input = ledger.transition(height);
        file.valid(&[flag], comment, &input, ledger.expected_digest(height));
    }
}

/// Ten blocks that change, add and delete keys of a few hundred.
fn random_blocks() -> Vec<Vec<OperationJson>> {
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
                return OperationJson::Delete { key: HexBytes(key) };
            }
            let length = rng.below(12);
            live.insert(key.clone());
            set(key, rng.bytes(length))
        });
        blocks.push(ops.collect());
    }
    blocks
}
