//! The coefficients with which a faulty verifier combines a batch of openings, and errors that cancel under them.
//!
//! An error is the difference between the two sides of an opening's equation, as a multiple of the generator.
//! The setup's tau must be known.

use ark_bn254::{Fr, G1Affine, G1Projective};
use ark_ec::{CurveGroup, PrimeGroup};
use ark_ff::{AdditiveGroup, BigInteger, FftField, Field, PrimeField};
use ark_serialize::{CanonicalDeserialize, CanonicalSerialize};
use blake2::digest::consts::U32;
use blake2::{Blake2b, Blake2b512, Digest};

type TranscriptHash = Blake2b<U32>;

/// An opening in the form of the transcript.
#[derive(Clone)]
pub(super) struct ClaimedOpening {
    pub(super) kind: u8,
    pub(super) commitment: [u8; 32],
    pub(super) index: u32,
    pub(super) value: [u8; 32],
    pub(super) points: Vec<[u8; 32]>,
}

/// The part that a faulty verifier omits from the transcript.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OmittedPart {
    ParamsId,
    Commitments,
    Values,
    Points,
    /// All points except the first of each opening.
    LaterPoints,
    /// The first opening.
    FirstOpening,
    /// All openings except the first.
    LaterOpenings,
    /// The last opening.
    LastOpening,
    Openings,
    /// Everything, so that there is no seed: only the opening's index is hashed.
    Seed,
}

/// One coefficient for each opening, from a transcript without one of its parts.
pub(super) fn coefficients(
    params_id: &[u8; 32],
    openings: &[ClaimedOpening],
    without: OmittedPart,
) -> Vec<Fr> {
    let mut hash = TranscriptHash::new_with_prefix(b"prooflight/amt/openings/v1");
    if without != OmittedPart::ParamsId {
        hash.update(params_id);
    }
    hash.update((openings.len() as u64).to_le_bytes());
    let hashed = match without {
        OmittedPart::Openings => &[],
        OmittedPart::FirstOpening => &openings[1..],
        OmittedPart::LaterOpenings => &openings[..1],
        OmittedPart::LastOpening => &openings[..openings.len() - 1],
        _ => openings,
    };
    for opening in hashed {
        hash.update([opening.kind]);
        if without != OmittedPart::Commitments {
            hash.update(opening.commitment);
        }
        hash.update(opening.index.to_le_bytes());
        if without != OmittedPart::Values {
            hash.update(opening.value);
        }
        let points = match without {
            OmittedPart::Points => 0,
            OmittedPart::LaterPoints => 1,
            _ => opening.points.len(),
        };
        hash.update(opening.points[..points].as_flattened());
    }
    let seed: [u8; 32] = hash.finalize().into();
    let seed = if without == OmittedPart::Seed { &[][..] } else { &seed };
    let coefficient = |i: u64| {
        let hash = TranscriptHash::new_with_prefix(seed).chain_update(i.to_le_bytes()).finalize();
        Fr::from_le_bytes_mod_order(&hash[..16])
    };
    let all = 0..openings.len() as u64;
    all.map(|i| if i == 0 { Fr::ONE } else { coefficient(i) }).collect()
}

/// Errors that cancel under `1, s, s^2, ...` for each of these numbers s; there is one more error than numbers.
pub(super) fn under_powers(of: impl IntoIterator<Item = u64>) -> Vec<Fr> {
    // The coefficients of the polynomial with these roots.
    of.into_iter().fold(vec![Fr::ONE], |polynomial, root| {
        let shifted = core::iter::once(Fr::ZERO).chain(polynomial.iter().copied());
        let scaled = polynomial.iter().map(|c| Fr::from(root) * c).chain([Fr::ZERO]);
        shifted.zip(scaled).map(|(shifted, scaled)| shifted - scaled).collect()
    })
}

impl ClaimedOpening {
    /// Changes the value, so that the sides differ by `error`.
    pub(super) fn misstate(&mut self, error: Fr) {
        let value = Fr::from_le_bytes_mod_order(&self.value) - error;
        self.value.copy_from_slice(&value.into_bigint().to_bytes_le());
    }

    /// Changes the commitment, so that the sides differ by `error`.
    pub(super) fn recommit(&mut self, error: Fr) {
        self.commitment = plus(&self.commitment, error);
    }

    /// Changes the last point, so that the sides differ by `error`: the point's factor on the left is `x_t`, and
    /// it is paired with tau on the right.
    pub(super) fn repoint(&mut self, log_n: u8, error: Fr) {
        let x =
            Fr::get_root_of_unity(1 << log_n).expect("a small domain").pow([u64::from(self.index)]);
        let last = self.points.last_mut().expect("a point");
        *last = plus(last, error / (x - tau()));
    }
}

/// The secret of the development setup.
pub(super) fn tau() -> Fr {
    Fr::from_le_bytes_mod_order(&Blake2b512::digest("prooflight/amt/dev-tau/v1"))
}

/// The sum of a point and a multiple of the generator.
pub(super) fn plus(bytes: &[u8; 32], multiple: Fr) -> [u8; 32] {
    let point = G1Affine::deserialize_compressed(&bytes[..]).expect("a point");
    let sum = G1Projective::generator() * multiple + point;
    let mut bytes = [0; 32];
    sum.into_affine().serialize_compressed(&mut bytes[..]).expect("32 bytes");
    bytes
}
