//! Comparison with alloy-trie: the same roots and proofs, and the same verdicts except for the cases listed here.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests fail by panicking"
)]

use std::collections::BTreeMap;
use std::panic::catch_unwind;

use alloy_trie::proof::{ProofRetainer, verify_proof as peer_verifies};
use alloy_trie::{HashBuilder, Nibbles};
use arbitrary::Unstructured;
use prooflight_core::{Limits, Reason, keccak256};
use prooflight_mpt::verify_proof;
use prooflight_testkit::mpt::honest::{HonestTrie, KeyKind, draw_value};
use prooflight_testkit::mpt::mutation::mutate;
use prooflight_testkit::mpt::rlp::Rlp;
use prooflight_testkit::mpt::slices;
use rand::rngs::StdRng;
use rand::{Rng, RngCore, SeedableRng};

/// The peer's verdict on a proof of this value, or of absence; a panic counts as a refusal.
fn peer(
    root: &[u8; 32],
    key: &[u8],
    value: Option<&[u8]>,
    proof: &[Vec<u8>],
) -> Result<(), String> {
    let proof: Vec<_> = proof.iter().map(|node| node.clone().into()).collect();
    let value = value.map(<[u8]>::to_vec);
    let verify = || peer_verifies(root.into(), Nibbles::unpack(key), value, &proof);
    match catch_unwind(verify) {
        Ok(verdict) => verdict.map_err(|error| error.to_string()),
        Err(_) => Err("no answer".to_owned()),
    }
}

fn peer_accepts(root: &[u8; 32], key: &[u8], value: Option<&[u8]>, proof: &[Vec<u8>]) -> bool {
    peer(root, key, value, proof).is_ok()
}

/// Why the peer refuses valid proofs: it supports no values at branches, and no paths above 64 nibbles.
const PEER_LACKS: [&str; 3] =
    ["branch node values are not supported", "trie node key too long", "no answer"];

/// The root and the proof of a key that the peer computes from these entries.
fn peer_proves(entries: &BTreeMap<Vec<u8>, Vec<u8>>, key: &[u8]) -> ([u8; 32], Vec<Vec<u8>>) {
    let path = Nibbles::unpack(key);
    let mut builder = HashBuilder::default().with_proof_retainer(ProofRetainer::new(vec![path]));
    for (key, value) in entries {
        builder.add_leaf(Nibbles::unpack(key), value);
    }
    let root = builder.root();
    let nodes = builder.take_proof_nodes().into_nodes_sorted();
    let on_path = nodes.into_iter().filter(|(prefix, _)| path.starts_with(prefix));
    (root.into(), on_path.map(|(_, node)| node.to_vec()).collect())
}

fn hashed_entries(rng: &mut StdRng, count: usize) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let entry = |_| {
        let key = keccak256(&[&rng.random_range(0..2 * count).to_be_bytes()]).to_vec();
        (key, vec![rng.random(); rng.random_range(33..80)])
    };
    (0..count).map(entry).collect()
}

fn honest(entries: BTreeMap<Vec<u8>, Vec<u8>>) -> HonestTrie {
    let mut honest = HonestTrie::new(KeyKind::Hashed);
    let batch: Vec<_> = entries.into_iter().map(|(key, value)| (key, Some(value))).collect();
    honest.apply(&batch);
    honest
}

#[test]
fn roots_and_proofs_are_the_peers() {
    let mut rng = StdRng::seed_from_u64(1);
    for count in [1, 2, 3, 5, 17, 100, 1000] {
        let honest = honest(hashed_entries(&mut rng, count));
        for number in 0..count.min(30) + 10 {
            let key = keccak256(&[&number.to_be_bytes()]);
            let (root, proof) = peer_proves(&honest.entries, &key);
            assert_eq!(root, honest.trie.root());
            assert_eq!(proof, honest.proof(&key), "{count} keys, {number}");
            honest.judge(&key, &proof).unwrap();
            let value = honest.entries.get(&key[..]).map(Vec::as_slice);
            assert!(peer_accepts(&root, &key, value, &proof));
            assert!(!peer_accepts(&root, &key, Some(b"another"), &proof));
        }
    }
}

/// The peer accepts each changed proof and root that Prooflight accepts, with the same answer.
#[test]
fn what_ours_accepts_the_peer_accepts() {
    let (mut accepted, mut peer_alone) = (0, 0);
    for seed in 0..3000 {
        let mut rng = StdRng::seed_from_u64(seed);
        let mut data = vec![0; 1000];
        rng.fill_bytes(&mut data);
        let u = &mut Unstructured::new(&data);
        let count = rng.random_range(1..40);
        let honest = honest(hashed_entries(&mut rng, count));
        let pick = |rng: &mut StdRng| keccak256(&[&rng.random_range(0..2 * count).to_be_bytes()]);
        let (key, other) = (pick(&mut rng), pick(&mut rng));
        let mut proof = honest.proof(&key);
        for _ in 0..rng.random_range(0..3) {
            mutate(u, &mut proof, &honest.proof(&other)).unwrap();
        }
        relink(&mut proof, &key, &mut rng);
        let root = if rng.random() { honest.trie.root() } else { root_of(&proof) };
        match verify_proof(&root, &key, &slices(&proof), &Limits::DEFAULT) {
            Ok(verified) => {
                if let Err(why) = peer(&root, &key, *verified, &proof) {
                    assert!(PEER_LACKS.iter().any(|it| why.contains(it)), "seed {seed}: {why}");
                    continue;
                }
                accepted += 1;
            }
            Err(_) => peer_alone += usize::from(peer_accepts(&root, &key, None, &proof)),
        }
    }
    println!("{accepted} accepted by both, {peer_alone} taken for absence by the peer alone");
    assert!(accepted > 400, "{accepted}");
}

fn root_of(proof: &[Vec<u8>]) -> [u8; 32] {
    proof.first().map_or(prooflight_mpt::EMPTY_ROOT, |node| keccak256(&[node]))
}

/// Sometimes updates the hashes so that the nodes are linked again, as a server that invents a trie would.
fn relink(proof: &mut [Vec<u8>], key: &[u8], rng: &mut StdRng) {
    if rng.random() {
        return;
    }
    for at in (1..proof.len()).rev() {
        let hash = keccak256(&[&proof[at]]).to_vec();
        let Some(Rlp::List(mut items)) = Rlp::decode(&proof[at - 1]) else { continue };
        let nibble = if at % 2 == 1 { key[(at - 1) / 2] >> 4 } else { key[(at - 1) / 2] & 15 };
        match items.len() {
            17 => items[usize::from(nibble)] = Rlp::String(hash),
            2 if items[1] != Rlp::String(vec![]) => items[1] = Rlp::String(hash),
            _ => continue,
        }
        proof[at - 1] = Rlp::List(items).encode();
    }
}

/// A string, as the cases below need it.
fn string(bytes: &[u8]) -> Rlp {
    Rlp::String(bytes.to_vec())
}

fn branch(children: &[(usize, Rlp)]) -> Rlp {
    let mut items = vec![string(&[]); 17];
    for (nibble, child) in children {
        items[*nibble] = child.clone();
    }
    Rlp::List(items)
}

/// Nodes from the root on, for a key that starts with 0x11, that Prooflight refuses and the peer accepts.
///
/// None of them occurs in any trie built by Ethereum's rules, so a proof with one proves nothing; a verifier
/// that accepts them accepts more than one proof of a statement.
#[test]
fn what_the_peer_accepts_and_ours_refuses() {
    let key = [0x11; 32];
    let leaf = |path: &[u8], value: &[u8]| Rlp::List(vec![string(path), string(value)]);
    let rest: Vec<u8> = [&[0x31], &[0x11; 31][..]].concat();
    let below = leaf(&rest, &[9; 40]);
    let hash = |node: &Rlp| string(&keccak256(&[&node.encode()]));
    let cases = [
        (
            "a branch of one child is merged into a path, so that no trie has such a branch",
            Reason::BranchEntries,
            vec![branch(&[(1, hash(&below))]), below.clone()],
        ),
        (
            "an extension never leads to a leaf: both are one leaf",
            Reason::ExtensionChild,
            vec![Rlp::List(vec![string(&[0x11]), hash(&below)]), below.clone()],
        ),
        (
            "a path has zeros for what it does not use",
            Reason::InvalidPath,
            vec![leaf(&[&[0x25][..], &[0x11; 32]].concat(), &[9; 40])],
        ),
    ];
    for (why, reason, nodes) in cases {
        let proof: Vec<_> = nodes.iter().map(Rlp::encode).collect();
        let root = root_of(&proof);
        let ours = verify_proof(&root, &key, &slices(&proof), &Limits::DEFAULT).unwrap_err();
        assert_eq!(ours.reason(), reason, "{why}");
        assert!(peer_accepts(&root, &key, Some(&[9; 40]), &proof), "{why}");
    }

    // The extension has another path and so proves absence; the node after it proves nothing.
    let other = branch(&[(1, hash(&below)), (2, hash(&below))]);
    let away = Rlp::List(vec![string(&[0x00, 0x77]), hash(&other)]);
    let proof: Vec<_> = [away, other].iter().map(Rlp::encode).collect();
    let root = root_of(&proof);
    let ours = verify_proof(&root, &key, &slices(&proof), &Limits::DEFAULT).unwrap_err();
    assert_eq!(ours.reason(), Reason::NodeLeftOver);
    assert!(peer_accepts(&root, &key, None, &proof));
}

/// A path longer than any key of the trie.
#[test]
fn a_path_longer_than_every_key() {
    let key = [0x11; 32];
    let below = branch(&[(1, string(&[1; 32])), (2, string(&[2; 32]))]);
    let child = string(&keccak256(&[&below.encode()]));
    let extension = |path: &[u8]| Rlp::List(vec![string(path), child.clone()]);
    let at_once = extension(&[&[0x00][..], &[0x11; 33]].concat());
    let later = extension(&[&[0x00][..], &[0x11; 32]].concat());
    let over = branch(&[(1, string(&keccak256(&[&later.encode()]))), (2, string(&[3; 32]))]);
    for nodes in [vec![at_once], vec![over, later]] {
        let proof: Vec<_> = nodes.iter().map(Rlp::encode).collect();
        let root = root_of(&proof);
        let verified = verify_proof(&root, &key, &slices(&proof), &Limits::DEFAULT).unwrap();
        assert_eq!(*verified, None);
        assert!(!peer_accepts(&root, &key, None, &proof));
    }
}

/// Valid proofs that the peer refuses: values at branches, and extensions embedded in branches.
#[test]
fn what_ours_accepts_and_the_peer_refuses() {
    let mut refused = 0;
    for seed in 0..60 {
        let mut data = vec![0; 2000];
        StdRng::seed_from_u64(seed).fill_bytes(&mut data);
        let u = &mut Unstructured::new(&data);
        let mut honest = HonestTrie::new(KeyKind::Short);
        let batch: Vec<_> = (0..8)
            .map(|_| (KeyKind::Short.draw(u).unwrap(), Some(draw_value(u).unwrap())))
            .collect();
        honest.apply(&batch);
        for key in honest.entries.keys() {
            let proof = honest.proof(key);
            honest.judge(key, &proof).unwrap();
            let value = honest.entries.get(key).map(Vec::as_slice);
            refused += usize::from(!peer_accepts(&honest.trie.root(), key, value, &proof));
        }
    }
    assert!(refused > 50, "{refused}");
}
