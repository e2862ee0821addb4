//! Valid proofs, changed at every place: any that is still accepted proves the same.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use arbitrary::Unstructured;
use prooflight_amt::VerifyingKey;
use prooflight_core::{Limits, Reason, Result, Verified};
use prooflight_lvmt::proof::{PROOF_ENVELOPE, Proof};
use prooflight_lvmt::{LvmtRoot, Params, VersionedState, verify};
use prooflight_testkit::lvmt::sample::{find, name, sample};
use prooflight_testkit::lvmt::state::{LvmtModel, keccak};
use prooflight_testkit::lvmt::targets::lvmt_proof;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

type Answers = Vec<VersionedState>;

/// A proof, and the states of the keys that it proves.
struct Valid {
    key: VerifyingKey,
    log_arity: u8,
    root: LvmtRoot,
    keys: Vec<Vec<u8>>,
    proof: Vec<u8>,
    answers: Answers,
}

impl Valid {
    fn new(state: &LvmtModel, keys: &[&[u8]]) -> Self {
        let mut valid = Self {
            key: VerifyingKey::dev(state.setup.log_n).unwrap(),
            log_arity: state.log_arity,
            root: state.root(),
            keys: keys.iter().map(|key| key.to_vec()).collect(),
            proof: PROOF_ENVELOPE.encode(&state.prove(keys)),
            answers: Vec::new(),
        };
        valid.answers = valid.verify(&valid.proof).unwrap();
        valid
    }

    fn verify(&self, proof: &[u8]) -> Result<Answers> {
        let params = Params::new(&self.key, self.log_arity).with_insecure_setup();
        verify(&self.root, &self.keys, proof, &params).map(Verified::into_inner)
    }

    /// Whether the bytes are accepted; if so, they must prove the same.
    fn accepts(&self, proof: &[u8]) -> bool {
        match self.verify(proof) {
            Ok(answers) => {
                assert_eq!(answers, self.answers);
                true
            }
            Err(error) => {
                assert_ne!(error.reason(), Reason::Bug);
                false
            }
        }
    }
}

fn valid() -> Vec<Valid> {
    let deep = sample(2, 1, 100);
    let wide = sample(4, 2, 24);
    let below = find(&deep, |record| record.level == 1 && record.value.is_some());
    let deleted = find(&wide, |record| record.value.is_none());
    let present = find(&wide, |record| record.value.is_some());
    vec![
        Valid::new(&deep, &[&below]),
        Valid::new(&deep, &[&name(1000)]),
        Valid::new(&wide, &[&deleted]),
        Valid::new(&wide, &[&present, &deleted, &name(1000)]),
    ]
}

#[test]
fn a_flipped_bit_of_any_byte_is_refused() {
    for valid in valid() {
        let mut bytes = valid.proof.clone();
        for at in 0..bytes.len() {
            bytes[at] ^= 1 << (at % 8);
            // A number of leaves only determines a tree's shape, and two numbers can give the same one.
            if valid.accepts(&bytes) {
                let [honest, changed] = [&valid.proof, &bytes].map(|bytes| {
                    let proof: Proof = PROOF_ENVELOPE.decode(bytes, &Limits::default()).unwrap();
                    Proof { sizes: Vec::new(), ..proof }
                });
                assert_eq!(honest, changed, "byte {at}");
            }
            bytes[at] = valid.proof[at];
        }
    }
}

#[test]
fn a_proof_that_is_cut_or_extended_is_refused() {
    for valid in valid() {
        for length in 0..valid.proof.len() {
            assert!(!valid.accepts(&valid.proof[..length]), "{length} bytes");
        }
        let extended = [&valid.proof[..], &[0]].concat();
        assert!(!valid.accepts(&extended));
    }
}

#[test]
fn bytes_removed_doubled_and_swapped_are_refused() {
    let seed = 0x6c76_6d74;
    let mut random = StdRng::seed_from_u64(seed);
    for valid in valid() {
        for _ in 0..400 {
            let mut bytes = valid.proof.clone();
            let mut place = || random.random_range(0..valid.proof.len());
            let (a, b) = (place(), place());
            match place() % 4 {
                0 => drop(bytes.remove(a)),
                1 => bytes.insert(a, valid.proof[b]),
                2 => bytes.swap(a, b),
                _ => bytes.copy_within(a.max(b).., a.min(b)),
            }
            if bytes != valid.proof {
                valid.accepts(&bytes);
            }
        }
    }
}

/// Recombines members of proofs about other keys and other states: any proof that is accepted is true.
#[test]
fn members_of_other_proofs_prove_nothing_else() {
    let mut random = StdRng::seed_from_u64(0x6c76_6d75);
    let older = sample(2, 1, 60);
    let mut newer = older.clone();
    newer.commit(&[(&name(3)[..], Some(b"new")), (&name(8), None), (&name(70), Some(b"first"))]);
    let keys: Vec<_> = (0..80).step_by(7).chain([3, 8, 70]).map(name).collect();
    let proofs: Vec<Proof> =
        keys.iter().flat_map(|key| [older.prove(&[key]), newer.prove(&[key])]).collect();
    let mut accepted = 0;
    for _ in 0..600 {
        let n = random.random_range(0..keys.len());
        let key = &keys[n];
        let mut other = || &proofs[random.random_range(0..proofs.len())];
        let mut proof = newer.prove(&[key]);
        match other().hashes.len() % 5 {
            0 => proof.claims.clone_from(&other().claims),
            1 => proof.entries.clone_from(&other().entries),
            2 => proof.amts.clone_from(&other().amts),
            3 => proof.owners.clone_from(&other().owners),
            _ => proof.clone_from(other()),
        }
        newer.seal(&mut proof);
        if let Ok(answers) = prooflight_testkit::lvmt::check(&newer, &[key], &proof) {
            accepted += 1;
            let value = newer.keys.get(&keccak(key)).and_then(|record| record.value.as_deref());
            assert_eq!(answers[0].value().map(|value| &value[..]), value);
        }
    }
    assert!(accepted > 0, "the same member again proves the same");
}

/// Several changes at once, as the fuzz target makes them.
#[test]
fn random_changes() {
    let mut random = StdRng::seed_from_u64(0x6c76_6d76);
    let mut read = 0;
    for _ in 0..1500 {
        let data: [u8; 300] = random.random();
        read += u32::from(lvmt_proof(&mut Unstructured::new(&data)).is_ok());
    }
    assert!(read > 1000, "{read}");
}
