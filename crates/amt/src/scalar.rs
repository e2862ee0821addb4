//! Scalars: the values of a vector.

use ark_bn254::Fr;
use ark_ff::{AdditiveGroup, BigInt, PrimeField};
use prooflight_core::{Error, Hex, Reason, Result};

use crate::point::{limb_bytes, limbs};

/// Bits of one version within the value of an entry.
pub const VERSION_BITS: u32 = 40;

/// Versions packed into the value of one entry.
pub const SLOTS: usize = 6;

/// A number below the order of the groups: the value of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scalar(pub(crate) Fr);

impl Scalar {
    /// The value of an entry that was never set.
    pub const ZERO: Self = Self(Fr::ZERO);

    /// Decodes 32 little-endian bytes; `invalid_scalar` if the number is not below the order.
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<Self> {
        match Fr::from_bigint(limbs(bytes)) {
            Some(scalar) => Ok(Self(scalar)),
            None => Err(Error::new(
                Reason::InvalidScalar,
                "a number below the order of the group",
                Hex(bytes),
            )),
        }
    }

    /// Packs six versions into the value of an entry: `sum_j versions[j] * 2^(40 j)`.
    ///
    /// `version_range` for a version of 2^40 or more, which would spill into the next slot.
    pub fn from_versions(versions: &[u64; SLOTS]) -> Result<Self> {
        let mut bytes = [0; 32];
        for (bytes, version) in bytes.chunks_exact_mut(5).zip(versions) {
            let [low @ .., 0, 0, 0] = version.to_le_bytes() else {
                return Err(Error::new(Reason::VersionRange, "a version below 2^40", version));
            };
            bytes.copy_from_slice(&low);
        }
        Self::from_bytes(&bytes)
    }

    /// Encodes the number as 32 little-endian bytes.
    pub fn to_bytes(self) -> [u8; 32] {
        limb_bytes(&self.0.into_bigint())
    }

    #[cfg(feature = "prover")]
    pub(crate) fn is_zero(self) -> bool {
        self.0 == Fr::ZERO
    }
}

impl From<u64> for Scalar {
    fn from(number: u64) -> Self {
        Self(Fr::from(BigInt::from(number)))
    }
}
