//! Measures the verification of the largest proofs: `cargo run --release --example largest -- [KEYS] [FOLDER]`.
//!
//! The proofs cover KEYS keys (default 4,096), each with its own entry in the root AMT and its own AMT at each
//! level below. They are forged with the public secret of the development setup: each opening is solved for its
//! last point, and the other points are either as in an honest proof, one for each node of a tree, or as a
//! malicious server would choose them to cost time, one for each opening. Each proof is left in FOLDER for
//! `largest.mjs`, which verifies it in WebAssembly.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "a program with text output"
)]

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use ark_bn254::{Fr, G1Projective};
use ark_ec::{CurveGroup, PrimeGroup};
use ark_ff::{FftField, Field, PrimeField};
use ark_serialize::CanonicalSerialize;
use blake2::{Blake2b512, Digest};
use prooflight_amt::{Scalar, VerifyingKey};
use prooflight_core::merkle::{TreeHash, root};
use prooflight_core::{Hash, keccak256};
use prooflight_lvmt::proof::{
    AmtEntry, Claim, KeySlot, LeafPlace, OpeningForm, PROOF_ENVELOPE, Proof, ProofAmt, SlotVersion,
};
use prooflight_lvmt::{LvmtRoot, Params, verify};

const LOG_N: u8 = 16;
const LOG_ARITY: u8 = 2;

fn main() {
    let mut args = std::env::args().skip(1);
    let count: usize = args.next().map_or(4096, |it| it.parse().unwrap());
    let folder = args.next();
    let keys = keys(count);
    let (single, tree) = (OpeningForm::Single, OpeningForm::Tree);
    for (name, levels, own_points, form) in [
        ("1-honest", 1, false, single),
        ("2-honest-at-level-2", 2, false, single),
        ("3-trees-below", 1, false, tree),
        ("4-trees-below-at-level-2", 2, false, tree),
        ("5-own-points", 1, true, single),
        ("6-own-points-and-trees-below", 1, true, tree),
        ("7-own-points-and-trees-below-at-level-2", 2, true, tree),
    ] {
        let (proof, roots) = Forger::new(&keys, levels, own_points, form).forge();
        let mut distinct: HashSet<[u8; 32]> = proof.points.iter().copied().collect();
        distinct.extend(proof.amts.iter().map(|amt| amt.commitment));
        let bytes = PROOF_ENVELOPE.encode(&proof);
        let started = worked();
        let outcome = verify_it(&keys, &roots, &bytes);
        println!(
            "{name}: {} keys, {} points, {} distinct with commitments, {} bytes: {outcome} in {:.2} s",
            keys.len(),
            proof.points.len(),
            distinct.len(),
            bytes.len(),
            worked() - started
        );
        if let Some(folder) = &folder {
            std::fs::create_dir_all(folder).unwrap();
            let params_id = VerifyingKey::dev(LOG_N).unwrap().params_id();
            let hex_keys: Vec<_> = keys.iter().map(hex::encode).collect();
            let json = serde_json::json!({
                "paramsId": hex::encode(params_id), "aroot": hex::encode(roots.aroot), "hroot": hex::encode(roots.hroot),
                "keys": hex_keys, "proof": hex::encode(bytes),
            });
            std::fs::write(Path::new(folder).join(format!("{name}.json")), json.to_string())
                .unwrap();
        }
    }
}

/// Processor seconds of this process, from Linux: unlike wall-clock time, they exclude other processes.
fn worked() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap();
    text.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e9
}

fn verify_it(keys: &[Vec<u8>], roots: &LvmtRoot, proof: &[u8]) -> String {
    let key = VerifyingKey::dev(LOG_N).unwrap();
    let params = Params::new(&key, LOG_ARITY).with_insecure_setup();
    match verify(roots, keys, proof, &params) {
        Ok(_) => "accepted".to_owned(),
        Err(error) => format!("refused as {}", error.reason().as_str()),
    }
}

/// Keys whose hashes differ in their first 16 bits.
fn keys(count: usize) -> Vec<Vec<u8>> {
    let mut entries = BTreeSet::new();
    let numbers = (0_u64..).map(|number| number.to_be_bytes().to_vec());
    numbers.filter(|key| entries.insert(first_bits(key))).take(count).collect()
}

fn first_bits(key: &[u8]) -> [u8; 2] {
    *keccak(key).first_chunk().unwrap()
}

struct Forger {
    /// The hashes of the keys, ascending.
    hashes: Vec<Hash>,
    /// The level that all keys are at.
    levels: u8,
    /// Whether each opening in the root AMT has points of its own.
    own_points: bool,
    /// How the AMTs below the root are opened.
    form: OpeningForm,
    tau: Fr,
    w: Fr,
}

impl Forger {
    fn new(keys: &[Vec<u8>], levels: u8, own_points: bool, form: OpeningForm) -> Self {
        let mut hashes: Vec<_> = keys.iter().map(|key| keccak(key)).collect();
        hashes.sort_unstable();
        let tau = Fr::from_le_bytes_mod_order(&Blake2b512::digest("prooflight/amt/dev-tau/v1"));
        let w = Fr::get_root_of_unity(1 << LOG_N).unwrap();
        Self { hashes, levels, own_points, form, tau, w }
    }

    fn forge(&self) -> (Proof, LvmtRoot) {
        let mut proof = Proof::default();
        let mut leaves = Vec::new();
        let mut points = Vec::new();
        let mut commitments = Vec::new();
        for level in 0..=self.levels {
            for hash in &self.hashes {
                let versions = if level < self.levels { [1; 6] } else { [0, 1, 0, 0, 0, 0] };
                proof.entries.push(AmtEntry(versions.map(|it| SlotVersion::new(it).unwrap())));
                let commitment = commitment(level, hash);
                self.open(level, hash, commitment - value(&versions), &mut points);
                if level > 0 {
                    commitments.push((level, *hash, commitment));
                }
            }
        }
        let place = |leaves: &mut Vec<Hash>, data: &[&[u8]]| {
            leaves.push(keccak(&[&[0], &data.concat()[..]].concat()));
            LeafPlace { block: 0, index: leaves.len() as u32 - 1 }
        };
        let version = 1_u64.to_be_bytes();
        for hash in &self.hashes {
            let value_hash = keccak(b"value");
            let data = [&[0, self.levels, 1], &version[..], &hash[..], &[1], &value_hash[..]];
            let slot = KeySlot { level: self.levels, number: 1 };
            let place = place(&mut leaves, &data);
            proof.claims.push(Claim::Present { slot, place, value: b"value".to_vec() });
        }
        let encoded = encode(commitments.iter().map(|it| it.2).collect());
        for ((level, hash, _), commitment) in commitments.iter().zip(encoded) {
            let prefix = &hash[..usize::from(*level) * usize::from(LOG_N) / 8];
            let place = place(&mut leaves, &[&[1, *level], prefix, &version, &commitment]);
            proof.amts.push(ProofAmt { commitment, place, opening: self.form });
        }
        proof.points = encode(points);
        proof.sizes.push(leaves.len() as u32);
        let block = [&[0; 9], &root::<Keccak>(&leaves)[..]].concat();
        let aroot = encode(vec![commitment(0, &[0; 32])])[0];
        (proof, LvmtRoot { aroot, hroot: keccak(&block), height: 0 })
    }

    /// Points that open a commitment to a value, as scalars; their sum on the left side is `sum`.
    fn open(&self, level: u8, hash: &Hash, mut sum: Fr, points: &mut Vec<Fr>) {
        let at = 2 * usize::from(level);
        let t = u64::from(u16::from_be_bytes([hash[at], hash[at + 1]]));
        let is_tree = level == 0 || self.form == OpeningForm::Tree;
        let arity = if is_tree { LOG_ARITY } else { LOG_N };
        let x = self.w.pow([t]);
        for bits in (arity..=LOG_N).step_by(arity.into()) {
            let m = 1_u64 << (LOG_N - bits);
            let divisor = self.tau.pow([m]) - x.pow([m]);
            let node = (t % (1 << bits)).to_be_bytes();
            let of: &[u8] = if level == 0 && !self.own_points { &node } else { hash };
            let point = if bits == LOG_N { sum / divisor } else { random(&[level, bits], of) };
            sum -= point * divisor;
            points.push(point);
        }
    }
}

fn commitment(level: u8, hash: &Hash) -> Fr {
    random(&[level], if level == 0 { &[] } else { hash })
}

fn random(what: &[u8], of: &[u8]) -> Fr {
    Fr::from_le_bytes_mod_order(&Blake2b512::digest([what, of].concat()))
}

fn value(versions: &[u64; 6]) -> Fr {
    Fr::from_le_bytes_mod_order(&Scalar::from_versions(versions).unwrap().to_bytes())
}

fn encode(scalars: Vec<Fr>) -> Vec<[u8; 32]> {
    let points: Vec<_> = scalars.into_iter().map(|it| G1Projective::generator() * it).collect();
    let encode = |point: &ark_bn254::G1Affine| {
        let mut bytes = [0; 32];
        point.serialize_compressed(&mut bytes[..]).unwrap();
        bytes
    };
    G1Projective::normalize_batch(&points).iter().map(encode).collect()
}

struct Keccak;

impl TreeHash for Keccak {
    fn hash(parts: &[&[u8]]) -> Hash {
        keccak256(parts)
    }
}

fn keccak(bytes: &[u8]) -> Hash {
    keccak256(&[bytes])
}
