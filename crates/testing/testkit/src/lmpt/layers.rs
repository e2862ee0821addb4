//! Three layers as dictionaries: their roots, honest proofs, and the judge of what the verifier accepts.
//!
//! Any bytes can be leaves, so that a layer may have leaves that no chain has.

use std::collections::BTreeSet;

use prooflight_core::{Code, Error, Hash, Limits, Reason, keccak256};
use prooflight_lmpt::proof::PROOF_ENVELOPE;
use prooflight_lmpt::{Layer, LayerRoots, LayeredValue, verify};

use super::trie::{LeafMap, PlainTrie};

/// The leaf of a deleted key.
pub const TOMBSTONE: &[u8] = &[0];

/// The layers of a state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateLayers {
    pub delta: LeafMap,
    pub intermediate: LeafMap,
    pub snapshot: LeafMap,
}

/// The nodes of a proof: those of delta, intermediate and snapshot.
pub type LayerNodes = [Vec<Vec<u8>>; 3];

/// The leaf of a value.
pub fn leaf(value: &[u8]) -> Vec<u8> {
    [&[1], value].concat()
}

impl StateLayers {
    /// The layers in the order in which a key is looked up.
    pub const fn all(&self) -> [&LeafMap; 3] {
        [&self.delta, &self.intermediate, &self.snapshot]
    }

    pub fn roots(&self) -> LayerRoots {
        let [delta, intermediate, snapshot] = self.all().map(|layer| PlainTrie::new(layer).root());
        LayerRoots { snapshot, intermediate, delta }
    }

    /// The state of a key, or the reason for which every proof about it is refused.
    pub fn answer(&self, key: &[u8]) -> Result<LayeredValue<'_>, Reason> {
        let hash = keccak256(&[key]);
        for (layer, dictionary) in Layer::ALL.into_iter().zip(self.all()) {
            let Some(leaf) = dictionary.get(&hash) else { continue };
            let value = match &leaf[..] {
                [1, value @ ..] => Some(value),
                TOMBSTONE if layer == Layer::Snapshot => return Err(Reason::TombstoneInSnapshot),
                TOMBSTONE => None,
                _ => return Err(Reason::InvalidLayerValue),
            };
            return Ok(LayeredValue { value, layer });
        }
        Ok(LayeredValue { value: None, layer: Layer::Snapshot })
    }

    /// The honest nodes of a proof of keys.
    pub fn nodes(&self, keys: &[Vec<u8>]) -> LayerNodes {
        let mut open: BTreeSet<Hash> = keys.iter().map(|key| keccak256(&[key])).collect();
        self.all().map(|layer| {
            let asked: Vec<Hash> = open.iter().copied().collect();
            open.retain(|key| !layer.contains_key(key));
            PlainTrie::new(layer).nodes(&asked)
        })
    }

    pub fn prove(&self, keys: &[Vec<u8>]) -> Vec<u8> {
        encode(&self.nodes(keys))
    }

    /// Verifies a proof under the roots: an accepted one must be true, and the only proof of these keys.
    pub fn judge(&self, keys: &[Vec<u8>], proof: &[u8]) -> Result<(), Error> {
        let asked: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
        match verify(&self.roots(), &asked, proof, &Limits::DEFAULT) {
            Ok(answers) => {
                let expected: Result<Vec<_>, _> =
                    asked.iter().map(|key| self.answer(key)).collect();
                assert_eq!(Ok(answers.into_inner()), expected, "{keys:02x?}");
                assert_eq!(proof, self.prove(keys), "{keys:02x?}");
                Ok(())
            }
            Err(error) => {
                assert!(matches!(error.code(), Code::Malformed | Code::Mismatch), "{error}");
                Err(error)
            }
        }
    }
}

/// Writes a proof.
pub fn encode(lists: &LayerNodes) -> Vec<u8> {
    let length = |length: usize| u32::try_from(length).unwrap().to_le_bytes();
    let mut proof = vec![1, PROOF_ENVELOPE.scheme.id(), PROOF_ENVELOPE.kind];
    for list in lists {
        proof.extend(length(list.len()));
        for node in list {
            proof.extend(length(node.len()));
            proof.extend(node);
        }
    }
    proof
}
