//! Chains of random blocks for states in a store: many pages, and values of all lengths.

use std::collections::BTreeMap;

use rand::Rng;
use rand::rngs::StdRng;

use super::model::{Key, Model, Value, draw_key};

/// Draws the changes of a block; a fifth of the keys that are set again are deleted.
pub(crate) fn draw_block(model: &Model, rng: &mut StdRng, count: usize) -> Vec<(Key, Value)> {
    let mut block = BTreeMap::new();
    for _ in 0..count {
        let key = match rng.random_range(0..10) {
            0..4 if !model.0.is_empty() => model.some_key(rng),
            // Their subtrees have more than 64 entries.
            4..8 => vec![rng.random_range(0..4), rng.random()],
            _ => draw_key(rng),
        };
        let is_deletion = model.is_live(&key) && rng.random_ratio(1, 5);
        block.insert(key, (!is_deletion).then(|| draw_value(rng)));
    }
    block.into_iter().collect()
}

/// Values on both sides of the length from which one has a record of its own.
fn draw_value(rng: &mut StdRng) -> Vec<u8> {
    let length = match rng.random_range(0..20) {
        0 => 256,
        1 => 257,
        2 => 3000,
        _ => rng.random_range(0..6),
    };
    vec![rng.random(); length]
}
