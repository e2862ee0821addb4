//! A prover's setup: the powers of tau that tables are made of.

use std::vec::Vec;

use ark_bn254::{Fr, G1Affine};
use prooflight_core::Result;

use crate::dev;
use crate::domain::Domain;
use crate::key::VerifyingKey;

/// The powers of tau of a setup, for vectors of `2^log_n` entries.
#[derive(Clone, Debug)]
pub struct Setup {
    key: VerifyingKey,
    pub(super) powers: Powers,
    /// The contributions that the file lists.
    listed: Option<u32>,
}

/// How tau is known.
#[derive(Clone, Debug)]
pub(super) enum Powers {
    /// By itself.
    Known(Fr),
    /// By `[tau^j]_1`, j < n.
    Points(Vec<G1Affine>),
}

impl Setup {
    /// The development setup, whose tau is public: for tests and development chains alone.
    ///
    /// `invalid_argument` unless `1 <= log_n <= 28`.
    pub fn dev(log_n: u8) -> Result<Self> {
        Ok(Self::new(VerifyingKey::dev(log_n)?, Powers::Known(dev::tau())))
    }

    #[cfg(test)]
    pub(super) fn points_of_dev(log_n: u8) -> Result<Self> {
        use ark_ec::{AffineRepr, CurveGroup};
        use ark_ff::Field;
        let key = VerifyingKey::dev(log_n)?;
        let powers = core::iter::successors(Some(Fr::ONE), |power| Some(*power * dev::tau()));
        let points = powers.take(1 << log_n).map(|p| (G1Affine::generator() * p).into_affine());
        Ok(Self::new(key, Powers::Points(points.collect())))
    }

    /// What a verifier needs of this setup.
    pub const fn verifying_key(&self) -> &VerifyingKey {
        &self.key
    }

    /// How many contributions its file lists, beacons included; `None` of the development setup.
    ///
    /// They show nothing of themselves: whoever makes a file can make up the list, too.
    pub const fn listed_contributions(&self) -> Option<u32> {
        self.listed
    }

    pub(super) const fn new(key: VerifyingKey, powers: Powers) -> Self {
        Self { key, powers, listed: None }
    }

    pub(super) fn with_listed(self, contributions: u32) -> Self {
        Self { listed: Some(contributions), ..self }
    }

    pub(super) const fn domain(&self) -> Domain {
        self.key.domain()
    }
}
