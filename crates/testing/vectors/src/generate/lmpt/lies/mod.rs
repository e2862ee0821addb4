//! `lmpt/proof_negative.json`: every lie about layers, each with the check alone that it fails.

mod forged;
mod layers;
mod message;
mod nodes;

use prooflight_core::{Reason, keccak256};
use prooflight_testkit::lmpt::layers::{LayerNodes, StateLayers};
use prooflight_testkit::lmpt::trie::PlainTrie;

use super::{chain, key, with};
use crate::generate::builder::FileBuilder;
use crate::lmpt::LmptProof;

/// Adds the tests made by code.
pub(in crate::generate) fn make(file: &mut FileBuilder) {
    file.group("LmptProof");
    let chain = chain();
    let lies = &mut LmptLies { file, layers: &chain[7] };
    layers::omitted(lies);
    layers::superfluous(lies);
    layers::exchanged(lies);
    layers::other_states(lies, &chain);
    nodes::other_keys(lies);
    nodes::nodes(lies);
    forged::leaves(lies);
    forged::forged_nodes(lies);
    message::bytes(lies);
    message::question(lies);
    message::order(lies);
}

struct LmptLies<'a, 'b> {
    file: &'a mut FileBuilder,
    /// The state that most lies are about.
    layers: &'b StateLayers,
}

impl LmptLies<'_, '_> {
    fn input(&mut self, flag: &str, comment: &str, input: &LmptProof, reason: Reason) {
        let refused = self.file.answer(&serde_json::to_value(input).expect("plain data"));
        let found = refused.map_err(|error| error.reason()).err();
        assert_eq!(found, Some(reason), "{comment}");
        self.file.invalid(&[flag], comment, input, reason);
    }

    /// Changed nodes of the honest proof of keys.
    fn lists(
        &mut self,
        flag: &str,
        comment: &str,
        keys: &[u32],
        reason: Reason,
        change: impl FnOnce(&mut LayerNodes),
    ) {
        let keys: Vec<_> = keys.iter().copied().map(key).collect();
        let mut lists = self.layers.nodes(&keys);
        change(&mut lists);
        self.input(flag, comment, &with(self.layers, &keys, &lists), reason);
    }

    /// The nodes of keys in every layer, as if none of them were settled.
    fn paths(&self, keys: &[u32]) -> LayerNodes {
        let hashes = sorted_hashes(keys);
        self.layers.all().map(|layer| PlainTrie::new(layer).nodes(&hashes))
    }
}

fn sorted_hashes(keys: &[u32]) -> Vec<[u8; 32]> {
    let mut hashes: Vec<_> = keys.iter().map(|&number| keccak256(&[&key(number)])).collect();
    hashes.sort_unstable();
    hashes
}
