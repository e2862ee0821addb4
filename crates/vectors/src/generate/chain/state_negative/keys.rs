//! Proofs about other keys than were asked for, and keys that a chain does not have.

use blake2::{Blake2b512, Digest as _};
use prooflight_core::Reason;
use prooflight_core::chain::state_key;
use prooflight_core::chain::{ChainConfig, ChainLimits};
use sha2::Sha256;

use super::{ledger, with_keys, with_proof};
use crate::generate::builder::Builder;
use crate::generate::chain::ledger::{Ledger, set, set_root};
use crate::generate::chain::made::{Chain, config};
use crate::generate::dictionary::{Dictionary, insert, lookup};

pub(super) fn add(file: &mut Builder) {
    others(file);
    mappings(file);
    limits(file);
}

fn others(file: &mut Builder) {
    let ledger = ledger();
    let mut refuse = |comment: &str, asked: &[&[u8]], proven: &[&[u8]], reason| {
        let input = with_keys(&ledger.answer(6, 6, proven), asked);
        file.invalid(&["Keys"], comment, &input, reason);
    };
    let other = Reason::KeyNotInLeaf;
    refuse("the proof of another key", &[b"alice"], &[b"carol"], other);
    refuse("the proof of an absent key for a present one", &[b"alice"], &[b"bob"], other);
    refuse("the proof of a present key for an absent one", &[b"bob"], &[b"alice"], other);
    refuse("the proof of the key in capitals", &[b"alice"], &[b"Alice"], other);
    refuse("the proof of the key with a zero byte", &[b"alice"], &[b"alice\0"], other);
    refuse("two keys exchanged", &[b"alice", b"carol"], &[b"carol", b"alice"], other);
    let three: [&[u8]; 3] = [b"alice", b"carol", b"empty"];
    refuse("three keys, the first of them last", &three, &[three[1], three[2], three[0]], other);
    refuse("another key in the middle", &three, &[three[0], b"dave", three[2]], other);
    refuse("a key twice for two", &three[..2], &[three[0], three[0]], other);
    refuse("two keys for a key twice", &[three[0], three[0]], &three[..2], other);
    for n in 0..3 {
        let comment = format!("the proof of three keys for the first {n}");
        let input = with_keys(&ledger.answer(6, 6, &three), &three[..n]);
        file.refused(&["Keys"], comment, &input);
        let comment = format!("the proof of the first {n} of three keys for all");
        let input = with_keys(&ledger.answer(6, 6, &three[..n]), &three);
        file.refused(&["Keys"], comment, &input);
    }
}

/// A function that makes the dictionary's key of a raw one.
type Mapping = fn(&[u8]) -> Vec<u8>;

/// States whose keys are made of the raw keys in another way, each with the honest proof.
fn mappings(file: &mut Builder) {
    let raw = b"a raw key that has 32 bytes, too";
    assert_eq!(raw.len(), 32);
    let mappings: [(&str, Mapping); 6] = [
        ("as they are", <[u8]>::to_vec),
        ("hashed twice", |key| state_key(&state_key(key)).to_vec()),
        ("hashed with SHA-256", |key| Sha256::digest(key).to_vec()),
        ("hashed with BLAKE2b-512, cut to 32 bytes", |key| Blake2b512::digest(key)[..32].to_vec()),
        ("hashed as leaves of a tree are", |key| state_key(&[&[0], key].concat()).to_vec()),
        ("hashed with their length before them", |key| {
            state_key(&[&[32, 0, 0, 0], key].concat()).to_vec()
        }),
    ];
    for (what, mapping) in mappings {
        let mut dictionary = Dictionary::new(32, None);
        let others = (0..4).map(|n| insert(state_key(&[n]), [n])).collect::<Vec<_>>();
        dictionary.apply(&others);
        dictionary.apply(&[insert(mapping(raw), "1")]);
        let chain = Chain::with(config(1, 1), 1, |header| set_root(header, &dictionary.digest()));
        let proof = dictionary.prove(&[lookup(mapping(raw))]).0.proof;
        let ledger = Ledger { chain, blocks: Vec::new() };
        let input = ledger.answer_from(0, 0, &proof, &[raw]);
        let comment = format!("a state whose keys are the raw ones {what}");
        file.invalid(&["Keys"], comment, &input, Reason::KeyNotInLeaf);
    }
}

fn limits(file: &mut Builder) {
    let with = |max_key, max_value, max_ops| ChainConfig {
        limits: ChainLimits { max_key, max_value, max_ops },
        ..config(1, 1)
    };
    // These states are beyond the limits of their chains, or just within them.
    let blocks = || vec![vec![set("alice", "100"), set("bob", "")]];
    let mut refuse = |comment: &str, config: ChainConfig, keys: &[&[u8]], reason| {
        let input = Ledger::new(config, blocks()).answer(0, 0, keys);
        file.invalid(&["Limit"], comment, &input, reason);
    };
    refuse("a key of 5 bytes where 4 are allowed", with(4, 3, 2), &[b"alice"], Reason::KeyLength);
    let comment = "an absent key of 5 bytes where 4 are allowed, the second of two";
    refuse(comment, with(4, 3, 2), &[b"bob", b"carol"], Reason::KeyLength);
    let comment = "a key of 1 byte where only the empty one is allowed";
    refuse(comment, with(0, 3, 2), &[b"x"], Reason::KeyLength);
    let long = [7; 257];
    refuse("a key of 257 bytes where 256 are allowed", config(1, 1), &[&long], Reason::KeyLength);
    let comment = "a value of 3 bytes where 2 are allowed";
    refuse(comment, with(5, 2, 2), &[b"alice"], Reason::ValueTooLarge);
    let comment = "a value of 3 bytes where only the empty one is allowed";
    refuse(comment, with(5, 0, 2), &[b"alice"], Reason::ValueTooLarge);
    let three: [&[u8]; 3] = [b"alice", b"bob", b"alice"];
    let many = Reason::TooManyOperations;
    refuse("3 keys where a block has at most 2 operations", with(5, 3, 2), &three, many);
    refuse("a key of a chain without operations", with(5, 3, 0), &three[..1], many);
    refuse(
        "4,097 keys, one more than the default limit",
        config(1, 1),
        &vec![three[0]; 4097],
        many,
    );
    let largest = with(u16::MAX, u32::MAX, u32::MAX);
    let comment = "4,097 keys of a chain that allows more operations";
    refuse(comment, largest, &vec![three[1]; 4097], many);

    let ledger = Ledger::new(with(4, 3, 2), blocks());
    let honest = ledger.answer(0, 0, &[b"bob"]);
    let broken = with_proof(&honest, vec![0xff; 9]);
    let mut order = |comment: &str, keys: &[&[u8]], reason| {
        file.invalid(&["Order"], comment, &with_keys(&broken, keys), reason);
    };
    order("a key too long, and a broken proof", &[b"alice"], Reason::KeyLength);
    let comment = "too many keys, the last of them too long, and a broken proof";
    order(comment, &[b"bob", b"bob", b"alice"], Reason::KeyLength);
    order("too many keys, and a broken proof", &[b"bob", b"bob", b"bob"], many);
}
