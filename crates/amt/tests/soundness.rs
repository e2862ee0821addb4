//! Only true openings in their unique encoding are accepted.

#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use std::sync::LazyLock;

use ark_bn254::{Fq, Fr, G1Affine};
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{Field, PrimeField};
use ark_serialize::CanonicalSerialize;
use common::{Owned, Vector, refusal, value, verify};
use prooflight_amt::{INFINITY, OpeningKind, Point, PointBytes, Scalar, VerifyingKey};
use prooflight_core::{Code, Reason};

const MISMATCH: Option<Reason> = Some(Reason::OpeningMismatch);

/// One opening of each kind and arity, true under the development setup with 16 entries.
static SAMPLES: LazyLock<Vec<Owned>> = LazyLock::new(|| {
    let mut samples = vec![Vector::sample(4, 2).single(9)];
    for log_arity in [1, 2, 4] {
        samples.push(Vector::sample(4, log_arity).tree(6));
    }
    samples
});

/// `[scalar]_1`.
fn multiple(scalar: Fr) -> G1Affine {
    (G1Affine::generator() * scalar).into_affine()
}

fn compressed(point: &G1Affine) -> PointBytes {
    let mut bytes = [0; 32];
    point.serialize_compressed(&mut bytes[..]).unwrap();
    bytes
}

fn point(bytes: &PointBytes) -> G1Affine {
    use ark_serialize::CanonicalDeserialize;
    G1Affine::deserialize_compressed(&bytes[..]).unwrap()
}

/// Checks a wrong opening alone, and among true ones.
fn refused(key: &VerifyingKey, wrong: &Owned, reason: Option<Reason>, what: &str) {
    assert_eq!(refusal(key, std::slice::from_ref(wrong)), reason, "{what}");
    let mut batch = SAMPLES.clone();
    batch.insert(2, wrong.clone());
    assert_eq!(refusal(key, &batch), reason, "{what}, among others");
}

#[test]
fn wrong_values_indices_commitments_and_points() {
    let key = VerifyingKey::dev(4).unwrap();
    for opening in SAMPLES.iter().cloned() {
        assert_eq!(verify(&key, std::slice::from_ref(&opening)), Ok(()));
        let kind = opening.kind;
        for wrong in [Scalar::ZERO, Scalar::from(1), value(1), value(99)] {
            if wrong != opening.value {
                let wrong = Owned { value: wrong, ..opening.clone() };
                refused(&key, &wrong, MISMATCH, &format!("a value, {kind:?}"));
            }
        }
        for index in (0..16).step_by(3).filter(|index| *index != opening.index) {
            let wrong = Owned { index, ..opening.clone() };
            assert_eq!(refusal(&key, &[wrong]), MISMATCH, "index {index}, {kind:?}");
        }
        for commitment in [INFINITY, compressed(&multiple(Fr::ONE)), opening.points[0]] {
            let wrong = Owned { commitment, ..opening.clone() };
            refused(&key, &wrong, MISMATCH, &format!("a commitment, {kind:?}"));
        }
        for place in 0..opening.points.len() {
            let other = multiple(Fr::from(7));
            let moved = (point(&opening.points[place]) + other).into_affine();
            let negative = -point(&opening.points[place]);
            for wrong in [INFINITY, opening.commitment]
                .into_iter()
                .chain([other, moved, negative].map(|point| compressed(&point)))
            {
                let mut opening = opening.clone();
                opening.points[place] = wrong;
                assert_eq!(refusal(&key, &[opening]), MISMATCH, "point {place}, {kind:?}");
            }
            for other in 0..place {
                let mut opening = opening.clone();
                opening.points.swap(place, other);
                assert_eq!(refusal(&key, &[opening]), MISMATCH, "points swapped, {kind:?}");
            }
        }
    }
}

#[test]
fn openings_swapped_between_entries_and_vectors() {
    let key = VerifyingKey::dev(4).unwrap();
    let (vector, other) = (Vector::sample(4, 2), Vector::new(4, 2, &[(6, value(3))]));
    for (a, b) in [
        (vector.tree(2), vector.tree(3)),
        (vector.single(2), vector.single(3)),
        (vector.tree(6), other.tree(6)),
        (vector.single(6), other.single(6)),
    ] {
        let swapped = [
            Owned { points: b.points.clone(), ..a.clone() },
            Owned { points: a.points.clone(), ..b.clone() },
        ];
        assert_eq!(refusal(&key, &swapped), MISMATCH);
        let values = [Owned { value: b.value, ..a.clone() }, Owned { value: a.value, ..b.clone() }];
        assert_eq!(refusal(&key, &values), MISMATCH);
        assert_eq!(verify(&key, &[a, b]), Ok(()));
    }
}

#[test]
fn errors_that_would_cancel_without_random_coefficients() {
    let key = VerifyingKey::dev(4).unwrap();
    let vector = Vector::sample(4, 2);
    for (a, b) in [
        (vector.tree(2), vector.tree(3)),
        (vector.single(2), vector.single(3)),
        (vector.tree(2), vector.single(5)),
    ] {
        // Values: one too large by as much as the other is too small.
        let plus = |opening: &Owned, difference: Fr| {
            let value = Fr::from_le_bytes_mod_order(&opening.value.to_bytes()) + difference;
            let mut bytes = [0; 32];
            value.serialize_compressed(&mut bytes[..]).unwrap();
            Owned { value: Scalar::from_bytes(&bytes).unwrap(), ..opening.clone() }
        };
        assert_eq!(refusal(&key, &[plus(&a, Fr::ONE), plus(&b, -Fr::ONE)]), MISMATCH);
        assert_eq!(verify(&key, &[plus(&a, Fr::from(0)), b.clone()]), Ok(()));
        // Commitments: one moved by a point, the other by its negative.
        let moved = |opening: &Owned, by: G1Affine| {
            let commitment = compressed(&(point(&opening.commitment) + by).into_affine());
            Owned { commitment, ..opening.clone() }
        };
        let by = multiple(Fr::from(5));
        assert_eq!(refusal(&key, &[moved(&a, by), moved(&b, -by)]), MISMATCH);
    }
    // The same wrong opening twice, and one with its negative error.
    let wrong = Owned { value: value(77), ..vector.single(4) };
    assert_eq!(refusal(&key, &[wrong.clone(), wrong]), MISMATCH);
}

#[test]
fn another_arity_or_kind() {
    let key = VerifyingKey::dev(4).unwrap();
    for opening in SAMPLES.iter().cloned() {
        for kind in [1, 2, 4]
            .map(|log_arity| OpeningKind::Tree { log_arity })
            .into_iter()
            .chain([OpeningKind::Single])
        {
            if kind == opening.kind {
                continue;
            }
            let count = kind.points(4).unwrap();
            // A tree of one level is the same as a single point.
            if opening.kind.points(4) == Ok(1) && count == 1 {
                assert_eq!(verify(&key, &[Owned { kind, ..opening.clone() }]), Ok(()));
                continue;
            }
            let mut wrong = Owned { kind, ..opening.clone() };
            let reason =
                if wrong.points.len() == count { MISMATCH } else { Some(Reason::OpeningLength) };
            refused(&key, &wrong, reason, &format!("{:?} as {kind:?}", opening.kind));
            wrong.points.resize(count, INFINITY);
            refused(&key, &wrong, MISMATCH, &format!("{:?} filled up as {kind:?}", opening.kind));
        }
        for log_arity in [0, 3, 5, 255] {
            let wrong = Owned { kind: OpeningKind::Tree { log_arity }, ..opening.clone() };
            refused(&key, &wrong, Some(Reason::InvalidArgument), "an arity that does not fit");
        }
    }
}

#[test]
fn another_number_of_points_or_an_index_outside() {
    let key = VerifyingKey::dev(4).unwrap();
    for opening in SAMPLES.iter() {
        for index in [16, 17, 22, u32::MAX] {
            let wrong = Owned { index, ..opening.clone() };
            refused(&key, &wrong, Some(Reason::IndexOutOfRange), "an index outside");
        }
        let mut longer = opening.clone();
        longer.points.push(INFINITY);
        refused(&key, &longer, Some(Reason::OpeningLength), "a point more");
        let mut shorter = opening.clone();
        shorter.points.pop();
        refused(&key, &shorter, Some(Reason::OpeningLength), "a point less");
    }
}

#[test]
fn another_setup() {
    let ppot = VerifyingKey::ppot(4).unwrap();
    let larger = VerifyingKey::dev(8).unwrap();
    for opening in SAMPLES.iter().cloned() {
        assert_eq!(refusal(&ppot, std::slice::from_ref(&opening)), MISMATCH);
        let count = opening.kind.points(8).unwrap();
        let mut wrong = opening.clone();
        wrong.points.resize(count, INFINITY);
        assert_eq!(refusal(&larger, &[wrong]), MISMATCH, "a larger vector");
    }
    let id = VerifyingKey::dev(4).unwrap().params_id();
    for other in [&ppot, &larger, &VerifyingKey::dev(3).unwrap()] {
        assert_eq!(other.check_params_id(&id).unwrap_err().reason(), Reason::SetupMismatch);
    }
    assert_eq!(VerifyingKey::dev(4).unwrap().check_params_id(&id), Ok(()));
}

#[test]
fn encodings_that_are_not_canonical() {
    let key = VerifyingKey::dev(4).unwrap();
    let modulus = Fq::MODULUS;
    for opening in SAMPLES.iter().cloned() {
        let mut encodings = Vec::new();
        for set in [0x40_u8, 0xc0] {
            let mut flagged = opening.points[0];
            flagged[31] = (flagged[31] & 0x3f) | set;
            encodings.push(("infinity with an x", flagged));
        }
        let mut infinity = INFINITY;
        infinity[31] = 0xc0;
        encodings.push(("infinity with a sign", infinity));
        encodings.push(("zeros", [0; 32]));
        encodings.push(("x = q", limbs(&modulus.0)));
        // A point with a small x, and the same x plus q.
        let small =
            (1..1000_u64).find(|x| G1Affine::get_ys_from_x_unchecked(Fq::from(*x)).is_some());
        let mut beyond = modulus.0;
        beyond[0] += small.unwrap();
        encodings.push(("x + q", limbs(&beyond)));
        let off = (1..1000_u64).find(|x| G1Affine::get_ys_from_x_unchecked(Fq::from(*x)).is_none());
        encodings.push(("an x that no point has", limbs(&[off.unwrap(), 0, 0, 0])));
        encodings.push(("all bits", [0xff; 32]));
        for (what, bytes) in encodings {
            for place in 0..opening.points.len() {
                let mut wrong = opening.clone();
                wrong.points[place] = bytes;
                assert_eq!(refusal(&key, &[wrong]), Some(Reason::InvalidPoint), "{what}");
            }
            let wrong = Owned { commitment: bytes, ..opening.clone() };
            refused(&key, &wrong, Some(Reason::InvalidPoint), what);
            assert!(Point::from_bytes(&bytes).is_err(), "{what}");
        }
    }
}

fn limbs(limbs: &[u64; 4]) -> PointBytes {
    let mut bytes = [0; 32];
    for (bytes, limb) in bytes.chunks_exact_mut(8).zip(limbs) {
        bytes.copy_from_slice(&limb.to_le_bytes());
    }
    bytes
}

#[test]
fn every_flipped_bit() {
    let key = VerifyingKey::dev(2).unwrap();
    let vector = Vector::new(2, 1, &[(1, value(5)), (3, value(6))]);
    for opening in [vector.tree(1), vector.single(3)] {
        for bit in 0..256 {
            let flip = |mut bytes: [u8; 32]| {
                bytes[bit / 8] ^= 1 << (bit % 8);
                bytes
            };
            let mut wrong = vec![Owned { commitment: flip(opening.commitment), ..opening.clone() }];
            for place in 0..opening.points.len() {
                let mut opening = opening.clone();
                opening.points[place] = flip(opening.points[place]);
                wrong.push(opening);
            }
            if let Ok(value) = Scalar::from_bytes(&flip(opening.value.to_bytes())) {
                wrong.push(Owned { value, ..opening.clone() });
            }
            for wrong in wrong {
                let code = verify(&key, std::slice::from_ref(&wrong)).unwrap_err().code();
                assert!(matches!(code, Code::Mismatch | Code::Malformed), "bit {bit}: {wrong:?}");
            }
        }
    }
}

#[test]
fn scalars_are_below_the_order_and_versions_below_2_40() {
    let order = limbs(&Fr::MODULUS.0);
    assert_eq!(Scalar::from_bytes(&order).unwrap_err().reason(), Reason::InvalidScalar);
    assert_eq!(Scalar::from_bytes(&[0xff; 32]).unwrap_err().reason(), Reason::InvalidScalar);
    let mut below = order;
    below[0] -= 1;
    assert_eq!(Scalar::from_bytes(&below).unwrap().to_bytes(), below);

    let largest = (1_u64 << 40) - 1;
    let all = Scalar::from_versions(&[largest; 6]).unwrap().to_bytes();
    assert_eq!(all[..30], [0xff; 30]);
    assert_eq!(all[30..], [0; 2]);
    let one = Scalar::from_versions(&[0, 0, 1, 0, 0, 0]).unwrap().to_bytes();
    assert_eq!((one[10], one.iter().filter(|byte| **byte != 0).count()), (1, 1));
    for slot in 0..6 {
        for version in [1 << 40, (1 << 40) + 1, 1 << 63, u64::MAX] {
            let mut versions = [0; 6];
            versions[slot] = version;
            let error = Scalar::from_versions(&versions).unwrap_err();
            assert_eq!(error.reason(), Reason::VersionRange);
        }
    }
}

#[test]
fn points_are_encoded_as_ark_serialize_does() {
    for k in 0..40_u64 {
        let point = multiple(Fr::from(k));
        let bytes = compressed(&point);
        assert_eq!(Point::from_bytes(&bytes).unwrap().to_bytes(), bytes);
    }
}
