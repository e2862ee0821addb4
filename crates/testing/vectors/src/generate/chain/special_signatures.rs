//! Signatures that some Ed25519 verifiers accept and others refuse.
//!
//! Source: Chalkias, Garillot, Nikolaenko 2020, "Taming the many `EdDSAs`"; RFC 8032.

use curve25519_dalek::constants::EIGHT_TORSION;
use curve25519_dalek::{EdwardsPoint, Scalar};
use ed25519_dalek::SigningKey;
use prooflight_core::Hash;
use sha2::{Digest as _, Sha512};

/// A signature.
pub(super) type SignatureBytes = [u8; 64];

/// The group's order, little-endian: 2^252 + 27742317777372353535851937790883648493.
const GROUP_ORDER: [u8; 32] = [
    0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
];

/// The same signature with `S + L` for `S`.
pub(super) fn with_larger_s(signature: &SignatureBytes) -> SignatureBytes {
    let mut larger = *signature;
    let mut carry = 0u16;
    for (byte, order) in larger[32..].iter_mut().zip(GROUP_ORDER) {
        carry += u16::from(*byte) + u16::from(order);
        [*byte, _] = carry.to_le_bytes();
        carry >>= 8;
    }
    larger
}

/// A key whose point has a part of order 8, and its secret scalar.
pub(super) fn mixed_key(key: &SigningKey) -> (Scalar, [u8; 32]) {
    let secret = key.to_scalar();
    (secret, (EdwardsPoint::mul_base(&secret) + EIGHT_TORSION[1]).compress().to_bytes())
}

/// Signs under `public`, where `secret` belongs to its part of large order, with `small` added to `R`.
///
/// Tries nonces until `k`, the hash in the equation, is a multiple of 8, or is not, both before and after
/// reduction by the group's order: a multiple of 8 cancels the key's part of small order.
pub(super) fn sign_with(
    secret: &Scalar,
    public: &[u8; 32],
    message: &Hash,
    small: &EdwardsPoint,
    multiple_of_8: bool,
) -> SignatureBytes {
    for attempt in 0..1000u64 {
        let nonce = hash(&[b"nonce", public, message, &attempt.to_le_bytes()]);
        let nonce = Scalar::from_bytes_mod_order_wide(&nonce);
        let r = (EdwardsPoint::mul_base(&nonce) + small).compress().to_bytes();
        let hash = hash(&[&r, public, message]);
        let k = Scalar::from_bytes_mod_order_wide(&hash);
        if [hash[0], k.as_bytes()[0]].iter().all(|low| low.is_multiple_of(8) == multiple_of_8) {
            return join(&r, &(nonce + k * secret));
        }
    }
    panic!("one of 64 hashes is such a multiple")
}

/// A signature whose `R` is this point of small order, and nothing else.
pub(super) fn sign_with_small_r(
    key: &SigningKey,
    message: &Hash,
    r: &EdwardsPoint,
) -> SignatureBytes {
    let r = r.compress().to_bytes();
    let k = hash(&[&r, key.verifying_key().as_bytes(), message]);
    let k = Scalar::from_bytes_mod_order_wide(&k);
    join(&r, &(k * key.to_scalar()))
}

/// `R` and an `S` of zero: with a key of small order, a signature of any message.
pub(super) fn sign_with_nothing(r: &[u8; 32]) -> SignatureBytes {
    join(r, &Scalar::ZERO)
}

fn hash(parts: &[&[u8]]) -> [u8; 64] {
    parts.iter().fold(Sha512::new(), Sha512::chain_update).finalize().into()
}

fn join(r: &[u8; 32], s: &Scalar) -> SignatureBytes {
    let mut signature = [0; 64];
    signature[..32].copy_from_slice(r);
    signature[32..].copy_from_slice(s.as_bytes());
    signature
}
