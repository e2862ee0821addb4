//! The random coefficients of a batch, derived from the whole statement and its openings
//! (Fiat-Shamir).

use ark_bn254::Fr;
use ark_ff::{AdditiveGroup, Field};
use blake2::digest::consts::U32;
use blake2::{Blake2b, Digest};
use prooflight_core::blake2b256;

use crate::key::VerifyingKey;
use crate::opening::Opening;

/// Returns one coefficient per opening: 1 for the first, 128 random bits for each other.
///
/// The hashed bytes are unambiguous: the number of openings comes first, and the number of points
/// of an opening follows from its kind and the size of the vectors, which `params_id` covers.
pub(crate) fn coefficients(
    key: &VerifyingKey,
    openings: &[Opening<'_>],
) -> impl Iterator<Item = Fr> + use<> {
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
    let hash = blake2b256(&[seed, &i.to_le_bytes()]);
    hash.first_chunk().map_or(Fr::ZERO, |bytes| Fr::from(u128::from_le_bytes(*bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{INFINITY, OpeningKind, PointBytes, Scalar};
    use alloc::vec::Vec;

    fn bytes(digits: &str) -> PointBytes {
        core::array::from_fn(|at| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).unwrap())
    }

    #[test]
    fn coefficients_are_those_of_the_specification() {
        // amt.md, section 6.
        let tree = [
            "04a4da7d89979bfceaec3fa25323ca7bfb49f6cc37efd0d995ae8cfc08ce75a8",
            "836128d834fe7968e39344255c4f52d7c5d35d2c73dea9fc78d653159fc5ac96",
            "cc665d80d01de3267e0828eec310a5f802b8e659f2d7c530129a4d3b7658cb25",
        ]
        .map(bytes);
        let single = [bytes("fb4aead326ca64286aede6a4e7e348b65834fa944140c73ba369ae8a63ba9797")];
        let tree = Opening {
            commitment: bytes("cc3be7cf09e10a9c2b5f0786df3d882882905d9db292c114e8fffb34d5cc0e28"),
            index: 2,
            value: Scalar::from_versions(&[(1 << 40) - 1; 6]).unwrap(),
            kind: OpeningKind::Tree { log_arity: 1 },
            points: &tree,
        };
        let single = Opening { kind: OpeningKind::Single, points: &single, ..tree };
        let r: Vec<_> =
            coefficients(&VerifyingKey::dev(3).unwrap(), &[tree, single]).take(2).collect();
        // Little-endian: da9e451c...
        assert_eq!(r, [Fr::ONE, Fr::from(0x92f1_17bb_f3ca_be87_a013_19a1_1c45_9eda_u128)]);
    }

    #[test]
    fn coefficients_depend_on_everything_that_is_claimed() {
        let key = VerifyingKey::dev(4).unwrap();
        let points: [PointBytes; 4] = [0_u8, 1, 2, 3].map(|byte| [byte; 32]);
        let base = Opening {
            commitment: INFINITY,
            index: 3,
            value: Scalar::from(9),
            kind: OpeningKind::Tree { log_arity: 2 },
            points: &points[..2],
        };
        let swapped = [points[1], points[0]];
        let changed = [
            Opening { commitment: points[0], ..base },
            Opening { index: 4, ..base },
            Opening { value: Scalar::from(10), ..base },
            Opening { kind: OpeningKind::Single, points: &points[..1], ..base },
            Opening { kind: OpeningKind::Tree { log_arity: 1 }, points: &points, ..base },
            Opening { kind: OpeningKind::Tree { log_arity: 4 }, points: &points[..1], ..base },
            Opening { points: &points[1..3], ..base },
            Opening { points: &swapped, ..base },
        ];
        let mut lists = Vec::from([Vec::from([base, base]), Vec::from([base, base, base])]);
        for changed in changed {
            lists.extend([Vec::from([changed, base]), Vec::from([base, changed])]);
        }
        let second =
            |key: &VerifyingKey, list: &[Opening<'_>]| coefficients(key, list).nth(1).unwrap();
        let mut all: Vec<_> = lists.iter().map(|list| second(&key, list)).collect();
        all.push(second(&VerifyingKey::dev(5).unwrap(), &lists[0]));
        all.push(second(&VerifyingKey::ppot(4).unwrap(), &lists[0]));
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
        let three: Vec<_> = coefficients(&key, &lists[1]).take(3).collect();
        assert_eq!(three[0], Fr::ONE);
        assert_ne!(three[1], three[2]);
    }
}
