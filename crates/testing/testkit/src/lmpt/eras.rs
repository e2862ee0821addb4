//! A chain of layered tries: normalised operations, eras, and the layers after each block.

use std::collections::BTreeMap;

use prooflight_core::chain::LmptConfig;
use prooflight_core::keccak256;

use super::layers::{StateLayers, TOMBSTONE, leaf};
use super::trie::LeafMap;

/// A key and its new value; `None` deletes it.
pub type EraOp = (Vec<u8>, Option<Vec<u8>>);

/// A chain's layers and values, and the progress of the current era.
#[derive(Clone, Debug)]
pub struct LayeredChain {
    config: LmptConfig,
    /// The layers after the newest block.
    pub layers: StateLayers,
    values: BTreeMap<Vec<u8>, Vec<u8>>,
    /// The number of the current era; `None` before block 0.
    era: Option<u64>,
    blocks: u32,
    ops: u32,
    bytes: u64,
}

impl LayeredChain {
    pub fn new(config: LmptConfig) -> Self {
        let (layers, values) = (StateLayers::default(), BTreeMap::new());
        Self { config, layers, values, era: None, blocks: 0, ops: 0, bytes: 0 }
    }

    /// Applies the next block's operations as submitted. Returns them normalised, by raw key.
    pub fn apply(
        &mut self,
        ops: impl IntoIterator<Item = EraOp>,
    ) -> BTreeMap<Vec<u8>, Option<Vec<u8>>> {
        let mut ops: BTreeMap<_, _> = ops.into_iter().collect();
        ops.retain(|key, value| value.is_some() || self.values.contains_key(key));
        for (key, value) in &ops {
            match value {
                Some(value) => self.values.insert(key.clone(), value.clone()),
                None => self.values.remove(key),
            };
        }
        let Some(era) = self.era else {
            self.era = Some(0);
            self.layers.snapshot = dictionary(&self.values);
            return ops;
        };
        for (key, value) in &ops {
            let leaf = value.as_deref().map_or_else(|| TOMBSTONE.to_vec(), leaf);
            self.layers.delta.insert(keccak256(&[key]), leaf);
            self.ops += 1;
            self.bytes += 64 + value.as_ref().map_or(0, Vec::len) as u64;
        }
        self.blocks += 1;
        let LmptConfig { era_blocks, era_ops, era_bytes } = self.config;
        if self.blocks == era_blocks || self.ops >= era_ops || self.bytes >= era_bytes {
            self.end();
            self.era = Some(era + 1);
        }
        ops
    }

    fn end(&mut self) {
        let StateLayers { delta, intermediate, snapshot } = &mut self.layers;
        let merged = std::mem::replace(intermediate, std::mem::take(delta));
        for (key, leaf) in merged {
            if leaf == TOMBSTONE {
                snapshot.remove(&key)
            } else {
                snapshot.insert(key, leaf)
            };
        }
        (self.blocks, self.ops, self.bytes) = (0, 0, 0);
    }
}

fn dictionary(values: &BTreeMap<Vec<u8>, Vec<u8>>) -> LeafMap {
    values.iter().map(|(key, value)| (keccak256(&[key]), leaf(value))).collect()
}
