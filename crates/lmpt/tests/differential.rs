//! Each layer of a proof compared with alloy-trie: the same roots and nodes, and the same verdict on each key.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::collections::BTreeSet;

use alloy_trie::proof::{ProofRetainer, verify_proof as peer_verifies};
use alloy_trie::{HashBuilder, Nibbles};
use prooflight_core::{Hash, Limits, keccak256};
use prooflight_mpt::{EMPTY_ROOT, ProofNodes, verify_keys, verify_proof};
use prooflight_testkit::lmpt::layers::{StateLayers, TOMBSTONE, leaf};
use prooflight_testkit::lmpt::trie::{LeafMap, PlainTrie};
use prooflight_testkit::mpt::slices;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// The root of a trie and the nodes on the paths of keys, as the peer computes them.
fn peer_proves(dictionary: &LeafMap, keys: &[Hash]) -> (Hash, Vec<Vec<u8>>) {
    let paths = keys.iter().map(Nibbles::unpack).collect();
    let mut builder = HashBuilder::default().with_proof_retainer(ProofRetainer::new(paths));
    for (key, leaf) in dictionary {
        builder.add_leaf(Nibbles::unpack(key), leaf);
    }
    let root = builder.root();
    let nodes = builder.take_proof_nodes().into_nodes_sorted();
    let is_on_path =
        |prefix: &Nibbles| keys.iter().any(|key| Nibbles::unpack(key).starts_with(prefix));
    let nodes = nodes.into_iter().filter(|(prefix, _)| is_on_path(prefix));
    (root.into(), nodes.map(|(_, node)| node.to_vec()).collect())
}

fn draw(rng: &mut StdRng, keys: u32, is_snapshot: bool) -> LeafMap {
    let entry = |_| {
        let key = keccak256(&[&rng.random_range(0..keys).to_be_bytes()]);
        let length = rng.random_range(0..60);
        let deleted = !is_snapshot && rng.random_range(0..4) == 0;
        (key, if deleted { TOMBSTONE.to_vec() } else { leaf(&vec![rng.random(); length]) })
    };
    (0..keys / 2).map(entry).collect()
}

#[test]
fn nodes_are_the_peers_and_each_key_has_its_value() {
    for (seed, keys) in [(1, 2), (2, 6), (3, 30), (4, 400), (5, 3000)] {
        let rng = &mut StdRng::seed_from_u64(seed);
        let layers = StateLayers {
            delta: draw(rng, keys, false),
            intermediate: draw(rng, keys, false),
            snapshot: draw(rng, keys, true),
        };
        for count in [1, 2, 7, 60] {
            let asked: BTreeSet<Hash> = (0..count)
                .map(|_| keccak256(&[&rng.random_range(0..2 * keys).to_be_bytes()]))
                .collect();
            let asked: Vec<_> = asked.into_iter().collect();
            layers.all().iter().for_each(|layer| check(layer, &asked));
        }
    }
}

fn check(layer: &LeafMap, asked: &[Hash]) {
    let trie = PlainTrie::new(layer);
    let nodes = trie.nodes(asked);
    if layer.is_empty() {
        assert_eq!((trie.root(), &nodes[..]), (EMPTY_ROOT, &[][..]));
        return;
    }
    assert_eq!((trie.root(), nodes.clone()), peer_proves(layer, asked));
    let keys: Vec<&[u8]> = asked.iter().map(|key| &key[..]).collect();
    let decoded = ProofNodes::decode(slices(&nodes), &Limits::DEFAULT).unwrap();
    let values = verify_keys(&trie.root(), &keys, &decoded).unwrap();
    for (key, value) in asked.iter().zip(values.get()) {
        assert_eq!(*value, layer.get(key).map(Vec::as_slice));
        let own = trie.nodes(&[*key]);
        let alone = verify_proof(&trie.root(), key, &slices(&own), &Limits::DEFAULT).unwrap();
        assert_eq!(alone.into_inner(), *value);
        let proof: Vec<_> = own.into_iter().map(Into::into).collect();
        let value = value.map(<[u8]>::to_vec);
        peer_verifies(trie.root().into(), Nibbles::unpack(key), value, &proof).unwrap();
    }
}
