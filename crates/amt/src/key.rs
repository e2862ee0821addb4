//! The verifying key: the part of a setup that a verifier needs, at most 29 points.

use alloc::vec::Vec;

use ark_bn254::{Fr, G2Affine};
use ark_ec::bn::G2Prepared;
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::Field;
use prooflight_core::{Error, Hex, Reason, Result, blake2b256};

use crate::dev;
use crate::domain::{Domain, MAX_LOG_N};
use crate::point::{G2Bytes, decode_g2, encode_g2};

/// `[tau^(2^j)]_2`, j = 0..27, of the Perpetual Powers of Tau. Origin: `data/README.md`.
static PPOT_G2_POWERS: &[u8; 64 * MAX_LOG_N as usize] = include_bytes!("../data/ppot_g2.bin");

/// The part of a setup that verifies vectors of `2^log_n` entries: `[1]_2` and `[tau^(2^j)]_2`, `j
/// < log_n`.
///
/// Nobody may know tau: with it, every commitment can be opened to any value. A key is identified by its
/// [`params_id`](Self::params_id), which the verifier must trust as it trusts the root.
#[derive(Clone, Debug)]
pub struct VerifyingKey {
    domain: Domain,
    /// `log_n` and the compressed points.
    bytes: Vec<u8>,
    params_id: [u8; 32],
    /// `[1]_2`, then `[tau^(2^j)]_2`.
    prepared: Vec<G2Prepared<ark_bn254::Config>>,
}

impl VerifyingKey {
    /// Returns the key of the development setup. Its tau is public: only for tests and development
    /// chains.
    ///
    /// `invalid_argument` unless `1 <= log_n <= 28`.
    pub fn dev(log_n: u8) -> Result<Self> {
        Self::from_tau(log_n, dev::tau())
    }

    /// Returns the key of the Perpetual Powers of Tau, a ceremony with many participants.
    ///
    /// Secure if at least one participant destroyed their secret. `invalid_argument` unless `1 <=
    /// log_n <= 28`.
    pub fn ppot(log_n: u8) -> Result<Self> {
        let domain = Domain::new(log_n)?;
        let points = PPOT_G2_POWERS.as_chunks().0.iter().take(usize::from(log_n)).map(decode_g2);
        Ok(Self::new(domain, &points.collect::<Result<Vec<_>>>()?))
    }

    /// Decodes a key from the bytes that [`encode`](Self::encode) returns.
    ///
    /// Each point is checked, but without more of the setup nothing shows that they are the powers
    /// of one number: compare the key's [`params_id`](Self::params_id) with a trusted one. Errors:
    /// `truncated`, `trailing_bytes`, `invalid_point` (also for infinity and points outside the
    /// subgroup), and `invalid_setup` if `log_n` is not 1 to 28 or the first point is not the
    /// generator.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let mut reader = prooflight_core::ByteReader::new(bytes);
        let log_n = reader.u8()?;
        let domain = Domain::new(log_n)
            .map_err(|error| Error::new(Reason::InvalidSetup, error.expected(), error.found()))?;
        let first: G2Bytes = reader.array()?;
        if first != encode_g2(&G2Affine::generator()) {
            return Err(Error::new(Reason::InvalidSetup, "the generator of G2 first", Hex(&first)));
        }
        let mut points = Vec::new();
        for _ in 0..log_n {
            let bytes = reader.array()?;
            points.push(checked(decode_g2(&bytes)?)?);
        }
        reader.finish()?;
        Ok(Self::new(domain, &points))
    }

    /// Encodes the key: `log_n` as one byte, then `[1]_2` and `[tau^(2^j)]_2`, `j < log_n`,
    /// compressed.
    pub fn encode(&self) -> &[u8] {
        &self.bytes
    }

    /// The base-2 logarithm of the number of entries of a vector.
    pub const fn log_n(&self) -> u8 {
        self.domain.log_n
    }

    /// The identifier of the setup: `BLAKE2b-256("prooflight/amt/v1" || encode())`.
    pub const fn params_id(&self) -> [u8; 32] {
        self.params_id
    }

    /// Returns `setup_mismatch` unless the key's `params_id` is `expected`.
    pub fn check_params_id(&self, expected: &[u8; 32]) -> Result<()> {
        if self.params_id == *expected {
            return Ok(());
        }
        Err(Error::new(Reason::SetupMismatch, Hex(expected), Hex(&self.params_id)))
    }

    /// Whether the setup's tau is public, that is, whether its `[tau]_2` is that of the development
    /// setup.
    pub fn is_insecure(&self) -> bool {
        self.bytes.get(65..129) == Some(&dev::DEV_TAU_G2[..])
    }

    /// Returns `insecure_setup` for a key whose tau is public, unless the caller allows it.
    pub fn check_secure(&self, allow_insecure_setup: bool) -> Result<()> {
        if self.is_insecure() && !allow_insecure_setup {
            return Err(Error::new(
                Reason::InsecureSetup,
                "a setup whose secret nobody knows",
                "the development setup",
            ));
        }
        Ok(())
    }

    /// Computes the key of a setup whose tau is known.
    pub(crate) fn from_tau(log_n: u8, tau: Fr) -> Result<Self> {
        let domain = Domain::new(log_n)?;
        let powers = core::iter::successors(Some(tau), |power| Some(power.square()));
        let points = powers.take(usize::from(log_n));
        let points = points.map(|power| (G2Affine::generator() * power).into_affine());
        Ok(Self::new(domain, &points.collect::<Vec<_>>()))
    }

    /// Builds the key from `[tau^(2^j)]_2`, which the caller has already checked.
    pub(crate) fn new(domain: Domain, powers: &[G2Affine]) -> Self {
        let points = || core::iter::once(G2Affine::generator()).chain(powers.iter().copied());
        let mut bytes = Vec::with_capacity(65 + 64 * powers.len());
        bytes.push(domain.log_n);
        bytes.extend(points().flat_map(|point| encode_g2(&point)));
        Self {
            domain,
            params_id: blake2b256(&[b"prooflight/amt/v1", &bytes]),
            bytes,
            prepared: points().map(G2Prepared::from).collect(),
        }
    }

    pub(crate) const fn domain(&self) -> Domain {
        self.domain
    }

    /// Returns `[1]_2`, then `[tau^(2^j)]_2` for j from 0, prepared for pairings.
    pub(crate) fn prepared(&self) -> &[G2Prepared<ark_bn254::Config>] {
        &self.prepared
    }
}

impl PartialEq for VerifyingKey {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for VerifyingKey {}

/// Returns the point if it is in the subgroup of prime order and not infinity, else
/// `invalid_point`.
pub(crate) fn checked(point: G2Affine) -> Result<G2Affine> {
    if point.is_zero() || !point.is_in_correct_subgroup_assuming_on_curve() {
        return Err(Error::new(
            Reason::InvalidPoint,
            "a point of the subgroup of prime order, not infinity",
            Hex(&encode_g2(&point)),
        ));
    }
    Ok(point)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairing::product_is_one;
    use crate::point::decode;
    use ark_bn254::G1Affine;

    /// `[tau^(2^28 - 2^j)]_1`, j = 0..27, of the same ceremony.
    static PPOT_G1_POWERS: &[u8; 32 * MAX_LOG_N as usize] =
        include_bytes!("../tests/data/ppot_g1.bin");

    #[test]
    fn each_power_of_the_ceremony_is_the_square_of_the_one_before() {
        let key = VerifyingKey::ppot(MAX_LOG_N).unwrap();
        let [one, powers @ ..] = key.prepared() else { panic!("a key without points") };
        let reverse: Vec<_> =
            PPOT_G1_POWERS.as_chunks().0.iter().map(|bytes| decode(bytes).unwrap()).collect();
        let equal = |a: G1Affine, b, c: G1Affine, d| product_is_one(&[(a, b), (-c, d)]);
        for j in 0..27 {
            // tau^(2^28 - 2^j) tau^(2^j) = tau^(2^28), and tau^(2^28 - 2^(j+1)) tau^(2^j) = tau^(2^28 - 2^j).
            assert!(equal(reverse[j], &powers[j], reverse[j + 1], &powers[j + 1]), "{j}");
            assert!(equal(reverse[j], one, reverse[j + 1], &powers[j]), "{j}");
        }
        assert!(equal(reverse[27], one, G1Affine::generator(), &powers[27]));
        assert!(!equal(reverse[26], one, G1Affine::generator(), &powers[27]));
    }

    #[test]
    fn the_points_of_the_ceremony_are_in_the_subgroup() {
        let key = VerifyingKey::ppot(MAX_LOG_N).unwrap();
        assert_eq!(VerifyingKey::decode(key.encode()), Ok(key));
    }
}
