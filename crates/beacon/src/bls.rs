//! BLS signatures over BLS12-381 with keys in G1, as used by Ethereum's validators.
//!
//! Decoding is strict: each point has one encoding, infinity is refused, and every point is checked to
//! be in the subgroup of prime order. Not constant-time: every input is public.
//!
//! Source: the IETF drafts on BLS signatures (`POP` ciphersuite) and on hashing to curves (RFC 9380);
//! the compressed encoding is that of Zcash.

use ark_bls12_381::g1::endomorphism;
use ark_bls12_381::{
    Bls12_381, Config, Fq, Fq2, Fq12, G1Affine, G1Projective, G2Affine, G2Projective, g2,
};
use ark_ec::bls12::Bls12Config;
use ark_ec::hashing::HashToCurveError;
use ark_ec::hashing::curve_maps::wb::WBMap;
use ark_ec::hashing::map_to_curve_hasher::MapToCurve;
use ark_ec::pairing::Pairing;
use ark_ec::short_weierstrass::Affine;
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{BigInt, Field, PrimeField};
use prooflight_core::{Error, Hash, Hex, Reason, Result};
use sha2::{Digest as _, Sha256};

use crate::committee::{KeyBytes, SyncCommittee};

/// A compressed signature: a point of G2.
pub(crate) type SignatureBytes = [u8; 96];

/// The domain of hashing to the curve, and its length: `DST_prime` of RFC 9380.
const HASH_TO_CURVE_DST: &[u8] = b"BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_\x2b";

const COMPRESSED_FLAG: u8 = 1 << 7;
const INFINITY_FLAG: u8 = 1 << 6;
const LARGER_Y_FLAG: u8 = 1 << 5;
const FLAG_MASK: u8 = COMPRESSED_FLAG | INFINITY_FLAG | LARGER_Y_FLAG;

/// Checks that the members of a committee with a set bit all signed `message`.
///
/// `bits` has one bit for each member. `too_few_signatures` for the empty set, `invalid_point` for a key
/// or signature that is not a point, otherwise `invalid_signature`.
pub(crate) fn fast_aggregate_verify(
    committee: &SyncCommittee,
    bits: &[bool],
    message: &Hash,
    signature: &SignatureBytes,
) -> Result<()> {
    let signature = decode_signature(signature)?;
    let key = sum_of_keys(committee, bits)?;
    // With an empty sum, or keys that cancel each other, a signature by nobody would be accepted.
    if !key.is_zero() && is_signed(&key, message, &signature)? {
        return Ok(());
    }
    Err(Error::new(
        Reason::InvalidSignature,
        format_args!("a signature over {}", Hex(message)),
        format_args!("another by {} members", bits.iter().filter(|bit| **bit).count()),
    ))
}

/// The sum of the keys with a set bit: added up, or the aggregate of all minus the others, whichever
/// takes fewer keys. A committee's root covers its aggregate as well as its keys.
fn sum_of_keys(committee: &SyncCommittee, bits: &[bool]) -> Result<G1Affine> {
    let signed = bits.iter().filter(|bit| **bit).count();
    if signed == 0 || bits.len() != committee.keys.len() {
        return Err(Error::new(
            Reason::TooFewSignatures,
            format_args!("some of {} members", committee.keys.len()),
            format_args!("{signed} of {}", bits.len()),
        ));
    }
    let without_absent = signed > bits.len() / 2;
    let start = if without_absent { decode_key(&committee.aggregate)? } else { G1Affine::zero() };
    let mut sum = G1Projective::from(start);
    for (key, _) in committee.keys.iter().zip(bits).filter(|(_, bit)| **bit != without_absent) {
        let key = decode_key(key)?;
        sum = if without_absent { sum - key } else { sum + key };
    }
    Ok(sum.into_affine())
}

/// `e(key, H(message)) == e(generator, signature)`.
fn is_signed(key: &G1Affine, message: &Hash, signature: &G2Affine) -> Result<bool> {
    let bug = |_| Error::new(Reason::Bug, "a hash that is a point of G2", Hex(message));
    let hash = hash_to_curve(message).map_err(bug)?;
    let pairs = Bls12_381::multi_miller_loop([*key, -G1Affine::generator()], [hash, *signature]);
    Ok(Bls12_381::final_exponentiation(pairs).is_some_and(|output| output.0 == Fq12::ONE))
}

/// `hash_to_curve` of RFC 9380 for G2.
fn hash_to_curve(message: &Hash) -> core::result::Result<G2Affine, HashToCurveError> {
    let [one, other] = hash_to_field(message).map(WBMap::<g2::Config>::map_to_curve);
    let sum: G2Projective = one? + other?;
    Ok(sum.into_affine().clear_cofactor())
}

/// `hash_to_field` of RFC 9380: two elements of `Fq2`, by `expand_message_xmd` with SHA-256.
///
/// The implementation of arkworks needs big integers.
fn hash_to_field(message: &Hash) -> [Fq2; 2] {
    let hash = |parts: &[&[u8]]| -> Hash {
        let parts = parts.iter().copied().chain([HASH_TO_CURVE_DST]);
        parts.fold(Sha256::new(), Sha256::chain_update).finalize().into()
    };
    let first = hash(&[&[0; 64], message, &256_u16.to_be_bytes(), &[0]]);
    let (mut block, mut number) = ([0; 32], 0);
    let mut next = || {
        let mixed = core::array::from_fn::<u8, 32, _>(|at| first[at] ^ block[at]);
        number += 1;
        block = hash(&[&mixed, &[number]]);
        block
    };
    // Each coordinate is a number of 64 bytes, modulo the field's.
    let mut coordinate = || half(&next()) * two_to_the_256() + half(&next());
    core::array::from_fn(|_| {
        let c0 = coordinate();
        Fq2::new(c0, coordinate())
    })
}

/// 32 bytes, big-endian, which are always below the field's modulus.
fn half(bytes: &Hash) -> Fq {
    let mut limbs = [0; 6];
    for (limb, chunk) in limbs.iter_mut().zip(bytes.as_chunks().0.iter().rev()) {
        *limb = u64::from_be_bytes(*chunk);
    }
    Fq::new(BigInt(limbs))
}

fn two_to_the_256() -> Fq {
    Fq::new(BigInt([0, 0, 0, 0, 1, 0]))
}

fn decode_key(bytes: &KeyBytes) -> Result<G1Affine> {
    let point = split_flags(*bytes).and_then(|(x, larger)| {
        let (small, large) = G1Affine::get_ys_from_x_unchecked(fq(&x)?)?;
        Some(G1Affine::new_unchecked(fq(&x)?, if larger { large } else { small }))
    });
    point.filter(is_in_g1).ok_or_else(|| invalid_point(bytes))
}

/// The subgroup check of arkworks (Scott, <https://eprint.iacr.org/2021/1130>, section 6), except that its
/// second multiplication starts at an affine point: the one of arkworks for projective points needs big
/// integers, which are 9 KB of the compressed binary.
fn is_in_g1(point: &G1Affine) -> bool {
    let x_times_point = point.mul_bigint(Config::X).into_affine();
    x_times_point != *point && -x_times_point.mul_bigint(Config::X) == endomorphism(point)
}

fn decode_signature(bytes: &SignatureBytes) -> Result<G2Affine> {
    let point = split_flags(*bytes).and_then(|(x, larger)| {
        let x = Fq2::new(fq(x.last_chunk()?)?, fq(x.first_chunk()?)?);
        let (small, large) = G2Affine::get_ys_from_x_unchecked(x)?;
        Some(G2Affine::new_unchecked(x, if larger { large } else { small }))
    });
    point
        .filter(Affine::is_in_correct_subgroup_assuming_on_curve)
        .ok_or_else(|| invalid_point(bytes))
}

/// The x coordinate, and whether y is the larger one; `None` for infinity and uncompressed points.
fn split_flags<const N: usize>(mut bytes: [u8; N]) -> Option<([u8; N], bool)> {
    let first = bytes.first_mut()?;
    let flags = *first & FLAG_MASK;
    *first &= !FLAG_MASK;
    (flags & !LARGER_Y_FLAG == COMPRESSED_FLAG).then_some((bytes, flags & LARGER_Y_FLAG != 0))
}

/// A big-endian field element; `None` if it is not below the modulus.
fn fq(bytes: &[u8; 48]) -> Option<Fq> {
    let mut limbs = [0; 6];
    for (limb, chunk) in limbs.iter_mut().rev().zip(bytes.as_chunks().0) {
        *limb = u64::from_be_bytes(*chunk);
    }
    Fq::from_bigint(BigInt(limbs))
}

#[cold]
fn invalid_point(bytes: &[u8]) -> Error {
    let expected = "the canonical encoding of a point of the group, not infinity";
    Error::new(Reason::InvalidPoint, expected, Hex(bytes))
}
