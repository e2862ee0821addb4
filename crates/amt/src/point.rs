//! Byte encoding of BN254 points. Decoding is strict: each point has exactly one encoding.

use ark_bn254::{Fq, Fq2, G1Affine, G2Affine};
#[cfg(any(test, feature = "prover"))]
use ark_ec::AffineRepr;
use ark_ff::{BigInt, PrimeField};
use prooflight_core::{Error, Hex, Reason, Result};

/// A compressed point of the group G1.
///
/// The x coordinate as 32 bytes little-endian. Bit 7 of the last byte is set iff `y > q - y`;
/// infinity is all zeros with bit 6 of the last byte set. This is the encoding of ark-serialize.
pub type PointBytes = [u8; 32];

/// The point at infinity: the commitment of a zero vector.
pub const INFINITY: PointBytes = {
    let mut bytes = [0; 32];
    bytes[31] = FLAG_INFINITY;
    bytes
};

/// A compressed point of the group G2: both components of x, little-endian, `c0` first; flags as in
/// G1.
pub(crate) type G2Bytes = [u8; 64];

const FLAG_INFINITY: u8 = 1 << 6;
const FLAG_NEGATIVE: u8 = 1 << 7;
const FLAG_MASK: u8 = FLAG_INFINITY | FLAG_NEGATIVE;

/// Decodes a point; `invalid_point` if these bytes encode none.
///
/// No subgroup check is needed: the cofactor of G1 is 1.
pub(crate) fn decode(bytes: &PointBytes) -> Result<G1Affine> {
    if *bytes == INFINITY {
        return Ok(G1Affine::default());
    }
    let mut x = *bytes;
    let flags = x[31] & FLAG_MASK;
    x[31] &= !FLAG_MASK;
    let ys = fq(&x).and_then(|x| Some((x, G1Affine::get_ys_from_x_unchecked(x)?)));
    let Some((x, (small, large))) = ys else { return Err(invalid(bytes)) };
    match flags {
        0 => Ok(G1Affine::new_unchecked(x, small)),
        FLAG_NEGATIVE => Ok(G1Affine::new_unchecked(x, large)),
        _ => Err(invalid(bytes)),
    }
}

/// Encodes a point.
#[cfg(any(test, feature = "prover"))]
pub(crate) fn encode(point: &G1Affine) -> PointBytes {
    let Some((x, y)) = point.xy() else { return INFINITY };
    let mut bytes = fq_bytes(&x);
    bytes[31] |= if y > -y { FLAG_NEGATIVE } else { 0 };
    bytes
}

/// Decodes a point of G2; `invalid_point` if these bytes encode none, or encode infinity.
///
/// Does not check that the point is in the subgroup of prime order.
pub(crate) fn decode_g2(bytes: &G2Bytes) -> Result<G2Affine> {
    let mut x = *bytes;
    let flags = x[63] & FLAG_MASK;
    x[63] &= !FLAG_MASK;
    let (c0, c1) = (x.first_chunk().and_then(fq), x.last_chunk().and_then(fq));
    let ys = c0.zip(c1).and_then(|(c0, c1)| {
        let x = Fq2::new(c0, c1);
        Some((x, G2Affine::get_ys_from_x_unchecked(x)?))
    });
    let Some((x, (small, large))) = ys else { return Err(invalid(bytes)) };
    match flags {
        0 => Ok(G2Affine::new_unchecked(x, small)),
        FLAG_NEGATIVE => Ok(G2Affine::new_unchecked(x, large)),
        _ => Err(invalid(bytes)),
    }
}

/// Encodes a point of G2, which must not be infinity.
pub(crate) fn encode_g2(point: &G2Affine) -> G2Bytes {
    let mut bytes = [0; 64];
    let (c0, c1) = bytes.split_at_mut(32);
    c0.copy_from_slice(&fq_bytes(&point.x.c0));
    c1.copy_from_slice(&fq_bytes(&point.x.c1));
    bytes[63] |= if point.y > -point.y { FLAG_NEGATIVE } else { 0 };
    bytes
}

/// Reads a little-endian field element; `None` if it is not below the modulus.
pub(crate) fn fq(bytes: &[u8; 32]) -> Option<Fq> {
    Fq::from_bigint(limbs(bytes))
}

/// Converts 32 little-endian bytes to the limbs of a number.
pub(crate) fn limbs(bytes: &[u8; 32]) -> BigInt<4> {
    let mut limbs = [0; 4];
    for (limb, chunk) in limbs.iter_mut().zip(bytes.as_chunks().0) {
        *limb = u64::from_le_bytes(*chunk);
    }
    BigInt(limbs)
}

/// Converts the limbs of a number to 32 little-endian bytes.
pub(crate) fn limb_bytes(number: &BigInt<4>) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (chunk, limb) in bytes.as_chunks_mut().0.iter_mut().zip(number.0) {
        *chunk = limb.to_le_bytes();
    }
    bytes
}

pub(crate) fn fq_bytes(x: &Fq) -> [u8; 32] {
    limb_bytes(&x.into_bigint())
}

#[cold]
fn invalid(bytes: &[u8]) -> Error {
    Error::new(Reason::InvalidPoint, "the canonical encoding of a point on the curve", Hex(bytes))
}
