//! Sync committees with known secrets.

use ark_bls12_381::{Fq, Fr, G1Affine, G1Projective, G2Projective, g2};
use ark_ec::hashing::HashToCurve;
use ark_ec::hashing::curve_maps::wb::WBMap;
use ark_ec::hashing::map_to_curve_hasher::MapToCurveBasedHasher;
use ark_ec::{AffineRepr, CurveGroup, PrimeGroup};
use ark_ff::field_hashers::DefaultFieldHasher;
use ark_ff::{BigInteger, PrimeField};
use prooflight_core::Hash;
use sha2::{Digest, Sha256};

use super::tree::{merkle_root, pair};

type CurveHasher =
    MapToCurveBasedHasher<G2Projective, DefaultFieldHasher<Sha256>, WBMap<g2::Config>>;

/// A sync committee with its secrets.
#[derive(Clone)]
pub struct CommitteeKeys {
    secrets: Vec<Fr>,
    pub keys: Vec<[u8; 48]>,
    pub aggregate: [u8; 48],
}

impl CommitteeKeys {
    /// The committee of a seed; its first member has two seats.
    pub fn new(seed: u64, size: usize) -> Self {
        let mut secrets: Vec<Fr> = (0..size as u64)
            .map(|member| {
                let bytes = [seed.to_le_bytes(), member.to_le_bytes()].concat();
                Fr::from_le_bytes_mod_order(&Sha256::digest(bytes))
            })
            .collect();
        secrets[1] = secrets[0];
        let generator = G1Projective::generator();
        let points: Vec<_> = secrets.iter().map(|secret| generator * secret).collect();
        let aggregate = compress_g1(&points.iter().sum::<G1Projective>().into_affine());
        let points = G1Projective::normalize_batch(&points);
        Self { secrets, keys: points.iter().map(compress_g1).collect(), aggregate }
    }

    /// The sum of the signatures of the members with a set bit.
    pub fn sign(&self, bits: &[bool], message: &Hash) -> [u8; 96] {
        let hasher = CurveHasher::new(b"BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_").unwrap();
        let secret: Fr =
            self.secrets.iter().zip(bits).filter(|(_, bit)| **bit).map(|(s, _)| s).sum();
        let point = (hasher.hash(message).unwrap() * secret).into_affine();
        let Some((x, y)) = point.xy() else {
            let mut infinity = [0; 96];
            infinity[0] = 0xc0;
            return infinity;
        };
        let mut bytes = [be(&x.c1), be(&x.c0)].concat();
        bytes[0] |= if y > -y { 0xa0 } else { 0x80 };
        bytes.try_into().unwrap()
    }

    /// `hash_tree_root` of the container.
    pub fn root(&self) -> Hash {
        let key = |key: &[u8; 48]| {
            let mut chunks = [[0; 32]; 2];
            chunks.as_flattened_mut()[..48].copy_from_slice(key);
            pair(&chunks[0], &chunks[1])
        };
        pair(&merkle_root(&self.keys.iter().map(key).collect::<Vec<_>>()), &key(&self.aggregate))
    }
}

fn compress_g1(point: &G1Affine) -> [u8; 48] {
    let (x, y) = point.xy().unwrap();
    let mut bytes: [u8; 48] = be(&x).try_into().unwrap();
    bytes[0] |= if y > -y { 0xa0 } else { 0x80 };
    bytes
}

fn be(x: &Fq) -> Vec<u8> {
    x.into_bigint().to_bytes_be()
}
