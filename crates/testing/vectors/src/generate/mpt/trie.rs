//! Honest tries from a sorted map.

use std::collections::BTreeMap;

use prooflight_json::{Hash32, HexBytes};
use prooflight_testkit::lmpt::trie::PlainTrie;
use prooflight_testkit::mpt::rlp::Rlp;

use crate::mpt::MptProof;

pub(super) fn string(bytes: impl AsRef<[u8]>) -> Rlp {
    Rlp::String(bytes.as_ref().to_vec())
}

/// The keys and values of an honest trie, and its nodes.
pub(super) struct EthTrie {
    entries: BTreeMap<Vec<u8>, Vec<u8>>,
    trie: PlainTrie,
}

impl EthTrie {
    pub(super) fn new<K: AsRef<[u8]>, V: AsRef<[u8]>>(
        entries: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        let entry = |(key, value): (K, V)| (key.as_ref().to_vec(), value.as_ref().to_vec());
        let entries = entries.into_iter().map(entry).collect();
        Self { trie: PlainTrie::new(&entries), entries }
    }

    pub(super) fn value(&self, key: &[u8]) -> Option<&[u8]> {
        self.entries.get(key).map(Vec::as_slice)
    }

    pub(super) fn root(&self) -> [u8; 32] {
        self.trie.root()
    }

    /// The honest proof of a key.
    pub(super) fn prove(&self, key: &[u8]) -> Vec<HexBytes> {
        self.trie.nodes(&[key]).into_iter().map(HexBytes).collect()
    }

    /// The honest proof of a key as the input of a test.
    pub(super) fn input(&self, key: &[u8]) -> MptProof {
        let (root, proof) = (Hash32(self.root()), self.prove(key));
        MptProof { root, key: HexBytes(key.to_vec()), proof, limits: None }
    }
}
