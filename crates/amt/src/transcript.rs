//! The random coefficients of a batch: they depend on everything that is claimed (Fiat-Shamir).

use ark_bn254::Fr;
use ark_ff::AdditiveGroup;
use ark_ff::Field;
use blake2::digest::consts::U32;
use blake2::{Blake2b, Digest};

use crate::key::VerifyingKey;
use crate::opening::Opening;

/// One coefficient for each opening: 1 for the first, 128 bits for each other.
///
/// What is hashed has one meaning only: the number of openings comes first, and the kind of an opening and
/// the size of the vectors, which `params_id` covers, say how many points it has.
pub(crate) fn coefficients(
    key: &VerifyingKey,
    openings: &[Opening<'_>],
) -> impl Iterator<Item = Fr> {
    let mut hash = Blake2b::<U32>::new();
    hash.update(b"prooflight/amt/openings/v1");
    hash.update(key.params_id());
    hash.update((openings.len() as u64).to_le_bytes());
    for opening in openings {
        hash.update([opening.kind.tag()]);
        hash.update(opening.commitment);
        hash.update(opening.index.to_le_bytes());
        hash.update(opening.value.to_bytes());
        hash.update(opening.points.as_flattened());
    }
    let seed: [u8; 32] = hash.finalize().into();
    (0_u64..).map(move |i| if i == 0 { Fr::ONE } else { coefficient(&seed, i) })
}

/// The first 16 bytes of `BLAKE2b-256(seed || i)`, little-endian.
fn coefficient(seed: &[u8; 32], i: u64) -> Fr {
    let hash: [u8; 32] =
        Blake2b::<U32>::new().chain_update(seed).chain_update(i.to_le_bytes()).finalize().into();
    hash.first_chunk().map_or(Fr::ZERO, |bytes| Fr::from(u128::from_le_bytes(*bytes)))
}
