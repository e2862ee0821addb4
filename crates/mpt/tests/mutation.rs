//! Honest proofs changed in every bit, byte and length. An accepted proof must be true and the honest proof
//! itself; the second verifier must agree.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests fail by panicking"
)]

use arbitrary::Unstructured;
use prooflight_core::{Reason, keccak256};
use prooflight_testkit::mpt::honest::HonestTrie;
use prooflight_testkit::mpt::oracle;
use prooflight_testkit::mpt::targets::{mpt_get_proof, mpt_proof, mpt_sent_proof};
use rand::rngs::StdRng;
use rand::{RngCore, SeedableRng};

fn random_bytes(seed: u64) -> Vec<u8> {
    let mut data = vec![0; 4000];
    StdRng::seed_from_u64(seed).fill_bytes(&mut data);
    data
}

/// Honest proofs of present and absent keys in tries of every shape.
fn each(most: usize, mut test: impl FnMut(&HonestTrie, &[u8], &[Vec<u8>])) {
    let (mut count, mut long) = (0, 0);
    for seed in 0..60 {
        let data = random_bytes(seed);
        let u = &mut Unstructured::new(&data);
        let honest = HonestTrie::draw(u, 14).unwrap();
        for _ in 0..4 {
            let key = honest.draw_key(u).unwrap();
            let proof = honest.proof(&key);
            if proof.iter().map(Vec::len).sum::<usize>() <= most {
                honest.judge(&key, &proof).unwrap();
                test(&honest, &key, &proof);
                count += 1;
                long += usize::from(proof.len() > 2);
            }
        }
    }
    assert!(count > 60 && long > 20, "{count} {long}");
}

/// A changed proof is refused, also under its own root, unless it is an honest proof of that trie.
fn refused(honest: &HonestTrie, key: &[u8], proof: &[Vec<u8>]) -> Reason {
    let error = honest.judge(key, proof).expect_err("a changed proof");
    assert_eq!(oracle::verify(&honest.trie.root(), key, proof), None);
    if let [first, ..] = proof {
        let (root, proof) = (keccak256(&[first]), proof.to_vec());
        prooflight_testkit::mpt::hostile::HostileProof { root, key: key.to_vec(), proof }.check();
    }
    error.reason()
}

/// Every kind of change to one node of a proof.
fn each_node(most: usize, change: impl Fn(&[u8], &mut dyn FnMut(Vec<u8>))) {
    each(most, |honest, key, proof| {
        for (at, node) in proof.iter().enumerate() {
            change(node, &mut |changed| {
                if changed != *node {
                    let mut proof = proof.to_vec();
                    proof[at] = changed;
                    refused(honest, key, &proof);
                }
            });
        }
    });
}

#[test]
fn every_bit_flipped() {
    each_node(350, |node, refused| {
        for bit in 0..8 * node.len() {
            let mut changed = node.to_vec();
            changed[bit / 8] ^= 1 << (bit % 8);
            refused(changed);
        }
    });
}

#[test]
fn bytes_replaced_inserted_deleted_or_swapped_anywhere() {
    each_node(350, |node, refused| {
        for at in 0..node.len() {
            for byte in [0x00, 0x05, 0x7f, 0x80, 0x81, 0xa0, 0xb8, 0xc0, 0xf8, 0xff] {
                let mut changed = node.to_vec();
                changed[at] = byte;
                refused(changed.clone());
                changed[at] = node[at];
                changed.insert(at, byte);
                refused(changed);
            }
            let mut deleted = node.to_vec();
            deleted.remove(at);
            refused(deleted);
            for other in [at + 1, at + 2, at + 33] {
                if other < node.len() {
                    let mut swapped = node.to_vec();
                    swapped.swap(at, other);
                    refused(swapped);
                }
            }
        }
    });
}

#[test]
fn truncated_at_every_length_or_longer() {
    each_node(usize::MAX, |node, refused| {
        for end in 0..node.len() {
            refused(node[..end].to_vec());
        }
        for tail in [&[0][..], &[0x80], &[0xc0; 40]] {
            refused([node, tail].concat());
        }
    });
}

#[test]
fn nodes_missing_doubled_swapped_or_added() {
    each(usize::MAX, |honest, key, proof| {
        for end in 0..proof.len() {
            let reason = refused(honest, key, &proof[..end]);
            let expected = if end == 0 { Reason::RootMismatch } else { Reason::NodeMissing };
            assert_eq!(reason, expected);
        }
        for at in 0..proof.len() {
            let mut more = proof.to_vec();
            more.insert(at, proof[at].clone());
            refused(honest, key, &more);
            let mut last = proof.to_vec();
            last.push(proof[at].clone());
            refused(honest, key, &last);
            for other in 0..at {
                let mut swapped = proof.to_vec();
                swapped.swap(at, other);
                refused(honest, key, &swapped);
            }
        }
        let mut stranger = proof.to_vec();
        stranger.push([&[0xf8, 0x43, 0x20, 0xb8, 0x40], &[7; 64][..]].concat());
        refused(honest, key, &stranger);
        if !proof.is_empty() {
            refused(honest, key, &[vec![0x80]]);
        }
    });
}

/// The proof of one key never proves another key with a different answer or path.
#[test]
fn proofs_of_other_keys() {
    let (mut accepted, mut tried) = (0, 0);
    each(usize::MAX, |honest, key, proof| {
        for other in honest.entries.keys() {
            let same = honest.proof(other) == proof;
            assert_eq!(honest.judge(other, proof).is_ok(), same, "{key:02x?} {other:02x?}");
            accepted += usize::from(same);
            tried += 1;
        }
        let mut longer = key.to_vec();
        longer.push(0);
        let _ = honest.judge(&longer, proof);
        let _ = honest.judge(&key[..key.len().saturating_sub(1)], proof);
    });
    assert!(accepted > 100 && tried > 800, "{accepted} {tried}");
}

#[test]
fn every_bit_of_the_root_flipped() {
    each(usize::MAX, |honest, key, proof| {
        for bit in 0..256 {
            let mut root = honest.trie.root();
            root[bit / 8] ^= 1 << (bit % 8);
            let verified = prooflight_mpt::verify_proof(
                &root,
                key,
                &prooflight_testkit::mpt::slices(proof),
                &prooflight_core::Limits::DEFAULT,
            );
            assert_eq!(verified.unwrap_err().reason(), Reason::RootMismatch);
        }
    });
}

/// Several changes at once, as the fuzz targets make them.
#[test]
fn random_changes() {
    let mut read = 0;
    for seed in 0..30_000 {
        let data = random_bytes(seed);
        read += usize::from(mpt_proof(&mut Unstructured::new(&data[..600])).is_ok());
        read += usize::from(mpt_get_proof(&mut Unstructured::new(&data[600..1600])).is_ok());
        read += usize::from(mpt_sent_proof(&mut Unstructured::new(&data[1600..2200])).is_ok());
    }
    assert!(read > 68_000, "{read}");
}
