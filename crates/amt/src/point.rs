//! Points of BN254 as bytes: decoded strictly, so that each point has one encoding.

use ark_bn254::{Fq, Fq2, G1Affine, G2Affine};
#[cfg(any(test, feature = "prover"))]
use ark_ec::AffineRepr;
use ark_ff::{BigInt, PrimeField};
use prooflight_core::{Error, Hex, Reason, Result};

/// A compressed point of the group G1.
///
/// The coordinate x as 32 bytes little-endian; bit 7 of the last byte is set iff `y > q - y`; the point at
/// infinity is zeros with bit 6 of the last byte set. These are the bytes of ark-serialize.
pub type PointBytes = [u8; 32];

/// The point at infinity: the commitment of a vector of zeros.
pub const INFINITY: PointBytes = {
    let mut bytes = [0; 32];
    bytes[31] = FLAG_INFINITY;
    bytes
};

/// A compressed point of the group G2: both coordinates of x, little-endian, `c0` first; flags as in G1.
pub(crate) type G2Bytes = [u8; 64];

const FLAG_INFINITY: u8 = 1 << 6;
const FLAG_NEGATIVE: u8 = 1 << 7;
const FLAGS: u8 = FLAG_INFINITY | FLAG_NEGATIVE;

/// The point that these bytes are the encoding of; otherwise `invalid_point`.
///
/// Every point on the curve is in the group: its cofactor is 1.
pub(crate) fn decode(bytes: &PointBytes) -> Result<G1Affine> {
    if *bytes == INFINITY {
        return Ok(G1Affine::default());
    }
    let mut x = *bytes;
    let flags = x[31] & FLAGS;
    x[31] &= !FLAGS;
    let ys = fq(&x).and_then(|x| Some((x, G1Affine::get_ys_from_x_unchecked(x)?)));
    let Some((x, (small, large))) = ys else { return Err(invalid(bytes)) };
    match flags {
        0 => Ok(G1Affine::new_unchecked(x, small)),
        FLAG_NEGATIVE => Ok(G1Affine::new_unchecked(x, large)),
        _ => Err(invalid(bytes)),
    }
}

/// The encoding of a point.
#[cfg(any(test, feature = "prover"))]
pub(crate) fn encode(point: &G1Affine) -> PointBytes {
    let Some((x, y)) = point.xy() else { return INFINITY };
    let mut bytes = fq_bytes(&x);
    bytes[31] |= if y > -y { FLAG_NEGATIVE } else { 0 };
    bytes
}

/// The point of G2 that these bytes are the encoding of, which is not infinity; otherwise `invalid_point`.
///
/// Not checked: whether it is in the subgroup of prime order.
pub(crate) fn decode_g2(bytes: &G2Bytes) -> Result<G2Affine> {
    let mut x = *bytes;
    let flags = x[63] & FLAGS;
    x[63] &= !FLAGS;
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

/// The encoding of a point of G2 that is not infinity.
pub(crate) fn encode_g2(point: &G2Affine) -> G2Bytes {
    let mut bytes = [0; 64];
    let (c0, c1) = bytes.split_at_mut(32);
    c0.copy_from_slice(&fq_bytes(&point.x.c0));
    c1.copy_from_slice(&fq_bytes(&point.x.c1));
    bytes[63] |= if point.y > -point.y { FLAG_NEGATIVE } else { 0 };
    bytes
}

/// The number below the field's modulus that these bytes are, little-endian.
pub(crate) fn fq(bytes: &[u8; 32]) -> Option<Fq> {
    Fq::from_bigint(limbs(bytes))
}

/// 32 bytes, little-endian, as the limbs of a number.
pub(crate) fn limbs(bytes: &[u8; 32]) -> BigInt<4> {
    let mut limbs = [0; 4];
    for (limb, chunk) in limbs.iter_mut().zip(bytes.as_chunks().0) {
        *limb = u64::from_le_bytes(*chunk);
    }
    BigInt(limbs)
}

/// The limbs of a number as 32 bytes, little-endian.
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
