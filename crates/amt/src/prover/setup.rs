//! A prover's setup: the powers of tau from which tables are built.

use std::vec::Vec;

use ark_bn254::{Fr, G1Affine};
use prooflight_core::Result;

use crate::dev;
use crate::domain::Domain;
use crate::key::VerifyingKey;

/// The powers of tau of a setup, for vectors of `2^log_n` entries.
#[derive(Clone, Debug)]
pub struct ProverSetup {
    key: VerifyingKey,
    pub(super) powers: TauPowers,
    /// The number of contributions that the file lists.
    listed: Option<u32>,
}

/// How tau is represented.
#[derive(Clone, Debug)]
pub(super) enum TauPowers {
    /// Tau itself.
    Known(Fr),
    /// `[tau^j]_1`, j < n.
    Points(Vec<G1Affine>),
}

impl ProverSetup {
    /// Returns the development setup. Its tau is public: only for tests and development chains.
    ///
    /// `invalid_argument` unless `1 <= log_n <= 28`.
    pub fn dev(log_n: u8) -> Result<Self> {
        Ok(Self::new(VerifyingKey::dev(log_n)?, TauPowers::Known(dev::tau())))
    }

    #[cfg(test)]
    pub(super) fn points_of_dev(log_n: u8) -> Result<Self> {
        use ark_ec::{AffineRepr, CurveGroup};
        use ark_ff::Field;
        let key = VerifyingKey::dev(log_n)?;
        let powers = core::iter::successors(Some(Fr::ONE), |power| Some(*power * dev::tau()));
        let points = powers.take(1 << log_n).map(|p| (G1Affine::generator() * p).into_affine());
        Ok(Self::new(key, TauPowers::Points(points.collect())))
    }

    /// Returns the verifying key of this setup.
    pub const fn verifying_key(&self) -> &VerifyingKey {
        &self.key
    }

    /// Returns the number of contributions that its file lists, beacons included; `None` for the
    /// development setup.
    ///
    /// The list proves nothing: the author of a file can forge it.
    pub const fn listed_contributions(&self) -> Option<u32> {
        self.listed
    }

    pub(super) const fn new(key: VerifyingKey, powers: TauPowers) -> Self {
        Self { key, powers, listed: None }
    }

    pub(super) fn with_listed(self, contributions: u32) -> Self {
        Self { listed: Some(contributions), ..self }
    }

    pub(super) const fn domain(&self) -> Domain {
        self.key.domain()
    }
}
